// MemoryBudget.h - a memory plan that fits.
#pragma once

#include "compiler/frontend/Frontend.h"
#include "compiler/report/MemoryUse.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/program/StepModel.h"
#include <functional>

namespace boostc {

/// Leads a module from phase `linalg` to phase `buffers`, where so many values
/// at most are computed again instead of being kept.
using PlanMemoryFn =
    std::function<llvm::LogicalResult(mlir::ModuleOp, uint64_t)>;

/// The module in phase `linalg` with micro-batches of so many samples. Failure
/// where the model does not work with as few; the reason is emitted for the
/// first size alone.
using LowerMicroBatchFn =
    std::function<llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>(int64_t)>;

struct BudgetRequest {
  uint64_t bytes = 0; ///< that a training run may reserve on a rank
  boostrt::JobShape job = {};
  /// Without sizes of the model file `sizes` holds the only one there is.
  MicroBatchSizes microBatches = {};
  LowerMicroBatchFn lower = {};
  PlanMemoryFn plan = {};
};

struct BudgetedPlan {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< in phase `buffers`
  report::BudgetChoice choice;
};

/// Plans memory within a budget. Of the sizes with which a plan fits it takes
/// the one whose step costs least by ComputeCost::weigh(), computing as few
/// values again as that takes. Most sizes are judged by the lives of their
/// values; only a few are planned in full. Emits a remark on the choice, and an
/// error with the smallest possible budget where no plan fits.
llvm::FailureOr<BudgetedPlan> planWithinBudget(const BudgetRequest &request);

} // namespace boostc
