// ClipDivergence.h - THOR's limit of how far a step moves the predictions.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace boostc::boost {

/// A step of `rate` along a preconditioned gradient.
struct NaturalStep {
  mlir::Value preconditioned, gradient, rate;
};

/// Scales the preconditioned gradients of `steps`, all in `function`, where all
/// of them together would move the predictions by more than `limit`; see
/// thor.kl_factor. Rules stand between the gradients, so ops change their
/// order.
void clipDivergence(mlir::func::FuncOp function,
                    llvm::ArrayRef<NaturalStep> steps, double limit);

} // namespace boostc::boost
