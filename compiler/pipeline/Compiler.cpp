#include "compiler/pipeline/Compiler.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/report/MemoryUse.h"
#include "compiler/report/Report.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <system_error>

using namespace mlir;
using namespace boostc;

/// What is read of a pipe or a device, which may have no end.
static constexpr size_t kMaxStreamBytes = size_t{256} << 20;

static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readStream(llvm::sys::fs::file_t file, StringRef name) {
  SmallVector<char, 0> bytes;
  for (size_t size = 0; size <= kMaxStreamBytes;) {
    bytes.resize_for_overwrite(size + (1 << 16));
    llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(
        file, MutableArrayRef(bytes).drop_front(size));
    if (!count)
      return llvm::errorToErrorCode(count.takeError());
    size += *count;
    if (*count == 0) {
      bytes.truncate(size);
      return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes),
                                                             name);
    }
  }
  return std::make_error_code(std::errc::file_too_large);
}

static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
openInput(StringRef path) {
  if (path == "-")
    return readStream(llvm::sys::fs::getStdinHandle(), "<stdin>");
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  llvm::scope_exit close([&] { llvm::sys::fs::closeFile(*file); });
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(*file, status))
    return error;
  if (llvm::sys::fs::is_regular_file(status))
    return llvm::MemoryBuffer::getOpenFile(*file, path, status.getSize());
  return readStream(*file, path);
}

/// The whole of a file the command line names.
static std::unique_ptr<llvm::MemoryBuffer> readFile(MLIRContext &context,
                                                    StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = openInput(path);
  if (file)
    return std::move(*file);
  emitError(UnknownLoc::get(&context))
      << "cannot read '" << path << "': " << file.getError().message();
  return nullptr;
}

/// Reports a compiled program, which is not text.
static bool isText(MLIRContext &context, StringRef path, StringRef text) {
  if (!text.starts_with("\x7f"
                        "ELF"))
    return true;
  emitError(UnknownLoc::get(&context))
      << "'" << path << "' is a compiled program, not a model file; train it "
      << "with boost-run '" << path << "'";
  return false;
}

/// Explains which flag IR needs where a model file is expected.
static bool isModelText(MLIRContext &context, StringRef path, StringRef text) {
  if (!isText(context, path, text))
    return false;
  StringRef start = text.ltrim();
  bool isAttribute =
      start.size() > 1 && start[0] == '#' && llvm::isAlpha(start[1]);
  bool isIr = isAttribute || start.starts_with("module") ||
              start.starts_with("train.program") || start.starts_with("{-#");
  if (!isIr)
    return true;
  emitError(FileLineColLoc::get(&context, path, 1, 1))
      << "this is IR, and a model file, JSON, was expected; name IR *.mlir, or "
         "say its phase with --compile-from";
  return false;
}

/// The same for a model file where IR is expected.
static bool isIrText(MLIRContext &context, const CompileOptions &options,
                     StringRef text) {
  if (!isText(context, options.input, text))
    return false;
  StringRef start = text.ltrim();
  if (!start.starts_with("{") || start.starts_with("{-#"))
    return true;
  emitError(FileLineColLoc::get(&context, options.input, 1, 1))
      << "this is JSON, as of a model file, and IR of phase "
      << getPhaseName(options.from)
      << (options.from == Phase::Input
              ? " was expected in a file named *.mlir"
              : " was expected; a model file needs no --compile-from");
  return false;
}

namespace {
/// What was compiled, and what is known of it besides the IR.
struct Input {
  OwningOpRef<ModuleOp> module = {};
  std::vector<BoostDecision> decisions = {};
  MicroBatchSizes microBatches = {};

  // Of a model file, which may be imported again with other micro-batches.
  FrontendOptions frontend = {};
  std::string text = {};
};
} // namespace

static FrontendStatus import(MLIRContext &context, llvm::SourceMgr &sources,
                             const CompileOptions &options, Input &input) {
  return importModel(context, sources, options.input, input.text,
                     input.frontend, input.module, &input.decisions,
                     &input.microBatches);
}

static CompileResult importJson(MLIRContext &context, llvm::SourceMgr &sources,
                                const CompileOptions &options, Input &input) {
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(context, options.input);
  if (!file)
    return CompileResult::BadInput;
  if (!isModelText(context, options.input, file->getBuffer()))
    return CompileResult::BadInput;
  FrontendOptions &frontend = input.frontend;
  for (const std::string &overlay : options.overlays) {
    std::unique_ptr<llvm::MemoryBuffer> text = readFile(context, overlay);
    if (!text)
      return CompileResult::BadInput;
    frontend.overlays.push_back({overlay, text->getBuffer().str()});
  }
  frontend.sets = options.sets;
  frontend.boosts = options.boosts;
  frontend.boostLevel = options.boostLevel;
  // All GPUs have both.
  frontend.hasBFloat16 =
      !options.phase.forCpu || computesBFloat16(options.phase.cpu);
  frontend.hasFloat16 = !options.phase.forCpu;
  if (!options.boostConfig.empty()) {
    std::unique_ptr<llvm::MemoryBuffer> config =
        readFile(context, options.boostConfig);
    if (!config)
      return CompileResult::BadInput;
    frontend.boostConfig = {options.boostConfig, config->getBuffer().str()};
  }
  input.text = file->getBuffer().str();
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  switch (import(context, sources, options, input)) {
  case FrontendStatus::Ok:
    return CompileResult::Ok;
  case FrontendStatus::BadModel:
    return CompileResult::BadInput;
  case FrontendStatus::BadUsage:
    return CompileResult::BadUsage;
  }
  llvm_unreachable("unknown frontend status");
}

static CompileResult parseIr(MLIRContext &context, llvm::SourceMgr &sources,
                             const CompileOptions &options,
                             OwningOpRef<ModuleOp> &module) {
  if (!options.overlays.empty() || !options.sets.empty() ||
      !options.boosts.empty() || !options.boostConfig.empty() ||
      options.boostLevel != 0) {
    emitError(UnknownLoc::get(&context))
        << "--overlay, --set, --boost, --boost-config and -O work on a model "
           "file; '"
        << options.input << "' is IR";
    return CompileResult::BadUsage;
  }
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(context, options.input);
  if (!file)
    return CompileResult::BadInput;
  if (!isIrText(context, options, file->getBuffer()))
    return CompileResult::BadInput;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  return module ? CompileResult::Ok : CompileResult::BadInput;
}

/// A file that ends in .mlir is IR; so is everything read in a later phase.
static CompileResult readInput(MLIRContext &context, llvm::SourceMgr &sources,
                               const CompileOptions &options, Input &input) {
  if (options.from != Phase::Input ||
      StringRef(options.input).ends_with(".mlir"))
    return parseIr(context, sources, options, input.module);
  return importJson(context, sources, options, input);
}

/// Says in the IR what its bits may depend on.
static void setReproducible(ModuleOp module, rt::Reproducibility level) {
  for (auto program : module.getOps<train::ProgramOp>())
    if (level == rt::Reproducibility::On)
      program->removeAttr(rt::kReproducibleAttrName);
    else
      program->setAttr(rt::kReproducibleAttrName,
                       rt::ReproducibleAttr::get(module.getContext(), level));
}

/// Prints IR so that reading it back gives the same module.
static void printModule(ModuleOp module, SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(stream, flags);
  stream << "\n";
}

/// Runs the phases after `from` up to `to`.
static LogicalResult advance(ModuleOp module, Phase from, Phase to,
                             const CompileOptions &options) {
  PassManager manager(module.getContext());
  manager.enableVerifier(true);
  if (options.configure && failed(options.configure(manager)))
    return failure();
  buildPipeline(manager, from, to, options.phase);
  return manager.run(module);
}

static train::ProgramOp getProgram(ModuleOp module) {
  return *module.getOps<train::ProgramOp>().begin();
}

/// Imports the model file of `input` again, with micro-batches of so many
/// samples, and without a message.
static FailureOr<OwningOpRef<ModuleOp>>
importAgain(MLIRContext &context, llvm::SourceMgr &sources,
            const CompileOptions &options, const Input &input,
            int64_t microBatch) {
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  Input again;
  again.frontend = input.frontend;
  again.frontend.microBatch = microBatch;
  again.text = input.text;
  if (import(context, sources, options, again) != FrontendStatus::Ok)
    return failure();
  if (options.reproducible)
    setReproducible(*again.module, *options.reproducible);
  return std::move(again.module);
}

/// Runs the phases after `from`, that of `input`, up to `buffers`, within the
/// memory budget if there is one, which `choice` then tells of.
static LogicalResult planMemory(MLIRContext &context, llvm::SourceMgr &sources,
                                Input &input, Phase from,
                                const CompileOptions &options,
                                std::optional<report::BudgetChoice> &choice) {
  if (!options.memoryBudget)
    return advance(*input.module, from, Phase::Buffers, options);
  uint64_t budget = *options.memoryBudget;
  if (from >= Phase::Buffers) {
    if (failed(advance(*input.module, from, Phase::Buffers, options)))
      return failure();
    return report::checkMemoryBudget(
        report::getLargestProgram(*input.module, options.job), budget,
        options.job, "compiled from an earlier phase");
  }
  BudgetRequest request;
  request.bytes = budget;
  request.job = options.job;
  request.microBatches = input.microBatches;
  int64_t given = getProgram(*input.module).getBatchSize();
  if (request.microBatches.sizes.empty()) {
    request.microBatches.batchSize = given;
    request.microBatches.sizes = {given};
  }
  request.lower = [&](int64_t size) -> FailureOr<OwningOpRef<ModuleOp>> {
    OwningOpRef<ModuleOp> module = input.module->clone();
    Phase phase = from;
    if (size != given) {
      auto again = importAgain(context, sources, options, input, size);
      if (failed(again))
        return failure();
      module = std::move(*again);
      phase = Phase::Input;
    }
    // What passes say of the first they would say of all.
    std::optional<ScopedDiagnosticHandler> quiet;
    if (size != request.microBatches.sizes.front())
      quiet.emplace(&context, [](Diagnostic &) { return success(); });
    if (failed(advance(*module, phase, Phase::Linalg, options)))
      return failure();
    return module;
  };
  request.plan = [&](ModuleOp planned, uint64_t maxRecomputed) {
    CompileOptions decided = options;
    decided.phase.maxRecomputed = maxRecomputed;
    return advance(planned, Phase::Linalg, Phase::Buffers, decided);
  };
  FailureOr<BudgetedPlan> plan = planWithinBudget(request);
  if (failed(plan))
    return failure();
  input.module = std::move(plan->module);
  choice = plan->choice;
  return success();
}

/// The features of the CPU that `module` is compiled for: of its program for
/// CPUs, if it has one already, else as the options say.
static std::string getCpuFeatures(ModuleOp module,
                                  const CompileOptions &options) {
  for (auto program : module.getOps<train::ProgramOp>())
    if (auto target =
            program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName))
      return target.getFeatures().str();
  std::string error;
  std::optional<rt::CpuTargetAttr> target = resolveCpuTarget(
      module.getContext(), options.phase.cpu, options.phase.threads, error);
  // The pass that sets the target reports a CPU that does not exist.
  return target ? target->getFeatures().str() : std::string();
}

/// Layers, from a module in phase `input`, and what they cost, which leads it
/// to phase `step`.
static LogicalResult explainLayers(ModuleOp module,
                                   const CompileOptions &options,
                                   report::Explanation &explanation) {
  explanation.layers = report::collectLayers(getProgram(module));
  if (failed(advance(module, Phase::Input, Phase::Step, options)))
    return failure();
  explanation.rest =
      report::addStepCosts(getProgram(module), explanation.layers);
  return success();
}

/// The same for the micro-batches that the memory budget has led to.
static LogicalResult explainChoice(MLIRContext &context,
                                   llvm::SourceMgr &sources,
                                   const CompileOptions &options,
                                   const Input &input,
                                   report::Explanation &explanation) {
  const report::BudgetChoice &choice = *explanation.choice;
  for (report::Decision &decision : explanation.decisions)
    if (decision.name == "grad_accumulation" && choice.microBatches > 1)
      decision = {decision.name, true, "the memory budget divides batches"};
  auto module =
      importAgain(context, sources, options, input, choice.microBatch);
  if (failed(module))
    return failure();
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  return explainLayers(**module, options, explanation);
}

/// The report on a module in phase `input`.
static CompileResult printReport(MLIRContext &context, llvm::SourceMgr &sources,
                                 Input &input, const CompileOptions &options,
                                 llvm::raw_ostream &os) {
  // Verifies the phase: IR may come from anywhere.
  if (failed(advance(*input.module, Phase::Input, Phase::Input, options)))
    return CompileResult::BadInput;
  train::ProgramOp program = getProgram(*input.module);
  if (options.report == Report::Summary) {
    report::printSummary(program, os);
    return CompileResult::Ok;
  }
  int64_t given = program.getBatchSize();
  report::Explanation explanation;
  explanation.samples = options.samples;
  explanation.job = options.job;
  for (const BoostDecision &decision : input.decisions)
    explanation.decisions.push_back(
        {decision.name, decision.isOn, decision.reason});
  if (failed(explainLayers(*input.module, options, explanation)) ||
      failed(planMemory(context, sources, input, Phase::Step, options,
                        explanation.choice)))
    return CompileResult::BadInput;
  if (explanation.choice && explanation.choice->microBatch != given &&
      failed(explainChoice(context, sources, options, input, explanation)))
    return CompileResult::BadInput;
  std::vector<report::TargetPlan> plans;
  for (auto planned : input.module->getOps<train::ProgramOp>())
    plans.push_back({getCudaTarget(planned) ? "cuda" : "cpu", planned});
  report::printExplanation(plans, explanation, os);
  return CompileResult::Ok;
}

/// One compilation, with all decisions made.
static CompileResult compileWith(MLIRContext &context, llvm::SourceMgr &sources,
                                 const CompileOptions &options,
                                 SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  if (options.report == Report::Ops) {
    report::printOps(context, stream);
    return CompileResult::Ok;
  }
  Input input;
  if (CompileResult result = readInput(context, sources, options, input);
      result != CompileResult::Ok)
    return result;
  OwningOpRef<ModuleOp> &module = input.module;
  if (options.reproducible)
    setReproducible(*module, *options.reproducible);
  if (options.limitLibrary)
    options.limitLibrary(getCpuFeatures(*module, options));
  if (options.report != Report::None)
    return printReport(context, sources, input, options, stream);

  bool wantsCode = options.emit != Emit::Phase || options.to > Phase::Llvm;
  Phase from = options.from, to = wantsCode ? Phase::Llvm : options.to;
  if (options.memoryBudget) {
    std::optional<report::BudgetChoice> choice;
    if (failed(planMemory(context, sources, input, from, options, choice)))
      return CompileResult::BadInput;
    from = Phase::Buffers;
  }
  PassManager manager(&context);
  manager.enableVerifier(true);
  if (options.configure && failed(options.configure(manager)))
    return CompileResult::BadUsage;
  buildPipeline(manager, from, to, options.phase);
  if (failed(manager.run(*module)))
    return CompileResult::BadInput;
  if (!wantsCode) {
    printModule(*module, output);
    return CompileResult::Ok;
  }

  if (options.emit == Emit::Ptx) {
    bool hasKernels = !module->getOps<gpu::GPUModuleOp>().empty();
    return succeeded(emitPtx(*module, options.codegenLevel, output))
               ? CompileResult::Ok
           : hasKernels ? CompileResult::Internal
                        : CompileResult::BadUsage;
  }
  bool lacksSpace = false;
  auto emit = [&] {
    if (options.emit == Emit::Asm)
      return emitMachineCode(*module, MachineCode::Assembly,
                             options.codegenLevel, output, options.ptxas);
    if (options.to == Phase::Obj)
      return emitMachineCode(*module, MachineCode::Object, options.codegenLevel,
                             output, options.ptxas);
    return emitProgram(*module, options.codegenLevel, output, options.ptxas,
                       &lacksSpace);
  };
  return succeeded(emit()) ? CompileResult::Ok
         : lacksSpace      ? CompileResult::BadUsage
                           : CompileResult::Internal;
}

CompileResult boostc::compile(MLIRContext &context, llvm::SourceMgr &sources,
                              const CompileOptions &options,
                              SmallVectorImpl<char> &output,
                              std::optional<std::string> *tuned) {
  if (options.tuning.file.empty())
    return compileWith(context, sources, options, output);
  std::string error;
  std::optional<rt::CpuTargetAttr> target = resolveCpuTarget(
      &context, options.phase.cpu, options.phase.threads, error);
  if (!target) {
    emitError(UnknownLoc::get(&context)) << error;
    return CompileResult::BadUsage;
  }
  std::unique_ptr<Tuning> tuning = Tuning::create(
      &context, sources, options.tuning, *target, options.codegenLevel);
  if (!tuning)
    return CompileResult::BadInput;
  CompileOptions decided = options;
  decided.phase.chooseContraction = tuning->getChooser();
  CompileResult result = compileWith(context, sources, decided, output);
  if (result == CompileResult::Ok && tuned)
    *tuned = tuning->getNewText();
  return result;
}
