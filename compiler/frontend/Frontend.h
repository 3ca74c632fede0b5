// Frontend.h - the model file, checked and made into IR.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>
#include <string>
#include <vector>

namespace boostc {

struct FrontendOptions {
  struct File {
    std::string name, text;
  };
  /// --overlay FILE, in order: JSON merged over the model, before `sets`.
  std::vector<File> overlays = {};
  /// --set PATH=VALUE, in order; a later one wins.
  std::vector<std::string> sets = {};
  /// -O0, -O1, -O2.
  int boostLevel = 0;
  /// --boost KEY=VALUE or SECTION.KEY=VALUE, in order.
  std::vector<std::string> boosts = {};
  /// Whether every target of the program has instructions for bf16, or f16.
  bool hasBFloat16 = false, hasFloat16 = false;
  /// --boost-config: a dictionary that overrides the model file's "boost".
  std::optional<File> boostConfig = {};
  /// Samples of a micro-batch, a divisor of batch_size; without it batch_size.
  std::optional<int64_t> microBatch = {};
};

/// Whether a boost is on, and why.
struct BoostDecision {
  std::string name;
  bool isOn = false;
  std::string reason;
};

/// What a memory budget may make of batch_size: train.micro_batch.
struct MicroBatchSizes {
  int64_t batchSize = 0;
  /// The divisors of it that a micro-batch may have, the largest first; none
  /// where the model file lacks the key.
  std::vector<int64_t> sizes = {};
  /// Where it has the key.
  std::optional<mlir::Location> loc = {};
  /// The layers with statistics of a micro-batch: their number, and the first.
  size_t statisticLayers = 0;
  std::string statisticLayer = {};
};

enum class FrontendStatus {
  Ok,
  BadModel, ///< the model file or the boost configuration: exit code 1
  BadUsage, ///< --set or --boost, and nothing else: exit code 2
};

/// Reads the model `text` of the file `fileName` and, when it has no error,
/// sets `out` to a module in phase `input` whose operations stand at their
/// lines of the file. Loads the dialects it needs into `context`. Errors and
/// warnings are MLIR diagnostics; for a line and a caret, `sources` is the one
/// that the diagnostic handler prints from: the texts are added to it where
/// they are not in it yet, under `fileName`, the names of overlays and of the
/// boost configuration, and "--set PATH=VALUE" as the user wrote it.
/// `decisions` gets one entry for each boost, `microBatches` what
/// train.micro_batch says.
FrontendStatus importModel(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                           llvm::StringRef fileName, llvm::StringRef text,
                           const FrontendOptions &options,
                           mlir::OwningOpRef<mlir::ModuleOp> &out,
                           std::vector<BoostDecision> *decisions = nullptr,
                           MicroBatchSizes *microBatches = nullptr);

/// Loads the dialects whose ops a model file may name.
void loadModelDialects(mlir::MLIRContext &context);

/// The JSON schema (draft 2020-12) of model files.
std::string generateSchema(mlir::MLIRContext &context);

/// docs/model-format.md.
std::string generateModelFormatDoc(mlir::MLIRContext &context);

} // namespace boostc
