// PredictRanks.h - what --explain --ranks N tells of a step on N ranks.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/predict/Predict.h"

namespace boostc {

/// Compiles `module`, in phase `llvm` with code for CPUs, runs it here for a
/// moment and prints what follows for `job`. Fails with a diagnostic.
llvm::LogicalResult predictRanks(mlir::ModuleOp module, int codegenLevel,
                                 const boostrt::PredictOptions &job,
                                 llvm::raw_ostream &os);

} // namespace boostc
