#include "compiler/frontend/BoostConfig.h"
#include "compiler/frontend/BuildProgram.h"
#include "compiler/frontend/CheckModel.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/JsonReader.h"
#include "compiler/frontend/LossScaleGroups.h"
#include "compiler/frontend/MicroBatches.h"
#include "compiler/frontend/NormalizeHead.h"
#include "compiler/frontend/Overlay.h"
#include "compiler/frontend/Overrides.h"
#include "compiler/frontend/ResolveModel.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/IR/Verifier.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::StringRef;

namespace {

/// One import: owns the sources that nodes and diagnostics point into.
class Import {
public:
  Import(mlir::MLIRContext &context, llvm::SourceMgr &sources,
         const FrontendOptions &options, std::vector<BoostDecision> *decisions,
         MicroBatchSizes *microBatches)
      : context(context), sourceManager(sources), options(options),
        decisions(decisions), microBatches(microBatches), errors(&context) {}

  FrontendStatus run(StringRef fileName, StringRef text,
                     mlir::OwningOpRef<mlir::ModuleOp> &out) {
    mlir::OwningOpRef<mlir::ModuleOp> module = build(fileName, text);
    errors.emit();
    if (errors.hasErrors())
      return errors.hasFileErrors() ? FrontendStatus::BadModel
                                    : FrontendStatus::BadUsage;
    if (failed(mlir::verify(*module)))
      return FrontendStatus::BadModel;
    out = std::move(module);
    return FrontendStatus::Ok;
  }

private:
  const Source &addSource(Source::Kind kind, StringRef name, StringRef text) {
    bool isKnown = false;
    for (unsigned id = 1; id <= sourceManager.getNumBuffers(); ++id)
      isKnown |=
          sourceManager.getMemoryBuffer(id)->getBufferIdentifier() == name;
    if (!isKnown)
      sourceManager.AddNewSourceBuffer(
          llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
    return sources.emplace_back(&context, kind, name, text);
  }

  /// The source of a command line option, under the option as it was written.
  const Source &addOption(StringRef option, StringRef text) {
    std::string name = (option + " " + printable(text)).str();
    return addSource(Source::Kind::CommandLine, name, text);
  }

  mlir::OwningOpRef<mlir::ModuleOp> build(StringRef fileName, StringRef text) {
    ModelTable table(context);
    std::optional<Node> document =
        readJson(addSource(Source::Kind::File, fileName, text), 0, errors);
    if (!document)
      return {};
    for (const auto &[name, overlay] : options.overlays)
      if (std::optional<Node> node =
              readJson(addSource(Source::Kind::File, name, overlay), 0, errors))
        mergeOverlay(*document, std::move(*node), errors);
    for (const std::string &set : options.sets)
      applyOverride(*document, addOption("--set", set), errors);
    if (options.boostConfig) {
      const auto &[name, config] = *options.boostConfig;
      std::optional<Node> node =
          readJson(addSource(Source::Kind::File, name, config), 0, errors);
      if (node)
        mergeBoostConfig(*document, std::move(*node), errors);
    }
    for (const std::string &boost : options.boosts)
      applyBoostOverride(*document, table, addOption("--boost", boost), errors);

    resolveAmp(*document, options.hasBFloat16);
    Checker checker(&context, errors);
    ExpandedLayers expanded =
        expandBlocks(*document, table, checker, expansions, errors);
    Node model = checker.checkObject(*document, table.file(), "the model");
    if (errors.hasErrors())
      return {};
    resolveModel(model, expanded, table, errors);
    resolveBoosts(model, options.boostLevel, errors, decisions);
    resolveLossScaleGroups(model, errors);
    if (!errors.hasErrors())
      normalizeHead(model, table, checker);
    MicroBatchSizes sizes = resolveMicroBatches(model, table, errors);
    if (errors.hasErrors())
      return {};
    if (microBatches)
      *microBatches = sizes;
    remarkPrecision(model, options);
    return buildProgram(context, model, table,
                        options.microBatch.value_or(sizes.batchSize), errors);
  }

  mlir::MLIRContext &context;
  llvm::SourceMgr &sourceManager;
  const FrontendOptions &options;
  std::vector<BoostDecision> *decisions;
  MicroBatchSizes *microBatches;
  ErrorList errors;
  std::deque<Source> sources;
  std::deque<Expansion> expansions;
};

} // namespace

void boostc::loadModelDialects(mlir::MLIRContext &context) {
  context.loadDialect<nn::NnDialect, thor::ThorDialect, train::TrainDialect>();
}

FrontendStatus boostc::importModel(mlir::MLIRContext &context,
                                   llvm::SourceMgr &sources, StringRef fileName,
                                   StringRef text,
                                   const FrontendOptions &options,
                                   mlir::OwningOpRef<mlir::ModuleOp> &out,
                                   std::vector<BoostDecision> *decisions,
                                   MicroBatchSizes *microBatches) {
  loadModelDialects(context);
  return Import(context, sources, options, decisions, microBatches)
      .run(fileName, text, out);
}
