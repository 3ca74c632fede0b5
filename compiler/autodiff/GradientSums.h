// GradientSums.h - the gradients met so far, summed over the uses of each
// value.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace boostc::autodiff {

/// How gradients of a type are added; nothing else knows.
class GradientSums {
public:
  /// Adds `gradient` to the gradient of `primal`, building the sum where there
  /// is one already.
  void add(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value primal,
           mlir::Value gradient);
  /// The gradient of `primal`, null while none was added.
  mlir::Value lookup(mlir::Value primal) const { return sums.lookup(primal); }

private:
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
};

} // namespace boostc::autodiff
