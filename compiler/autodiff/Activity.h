// Activity.h - which values of a straight-line function carry a gradient.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace boostc::autodiff {

/// A value is active when it depends on one of the arguments asked for and the
/// loss depends on it, both through operands that a gradient can flow to
/// (DifferentiableOpInterface::isActiveOperand). An op without that interface
/// counts as reading every floating-point value it uses, in its regions too, so
/// that a gradient it would swallow is seen.
class Activity {
public:
  /// Analyses the single block of `function`: gradients of `loss`, a value of
  /// it, with respect to the arguments `wrt`.
  Activity(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> wrt,
           mlir::Value loss);

  bool isActive(mlir::Value value) const {
    return varied.contains(value) && useful.contains(value);
  }
  /// Whether a gradient flows through `op`: one of its results is active.
  bool isActive(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> varied; ///< depend on an argument asked for
  llvm::DenseSet<mlir::Value> useful; ///< the loss depends on them
};

} // namespace boostc::autodiff
