// MemoryBudget.h - a memory plan that fits.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/program/StepModel.h"

namespace boostc {

/// Leads a module from phase `linalg` to phase `buffers`, where so many values
/// at most are computed again instead of being kept.
using PlanMemoryFn =
    llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp, uint64_t)>;

/// Plans `module` by `plan` such that a training run reserves no more than
/// `budget` bytes on any rank of `job`: with as few values computed again as
/// that takes, which a remark tells. Emits an error when no plan fits.
llvm::LogicalResult planWithinBudget(mlir::OwningOpRef<mlir::ModuleOp> &module,
                                     uint64_t budget,
                                     const boostrt::JobShape &job,
                                     PlanMemoryFn plan);

} // namespace boostc
