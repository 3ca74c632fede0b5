// OptimizerHelpers.h - pieces of arithmetic that several first-order rules
// share.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"

namespace boostc::train {

/// g + decay * w; g itself when decay is 0, so that no needless arithmetic is
/// emitted.
inline mlir::Value buildCoupledDecay(mlir::OpBuilder &builder,
                                     mlir::Location loc, mlir::Value gradient,
                                     mlir::Value parameter, double decay) {
  if (decay == 0.0)
    return gradient;
  mlir::Value term = mlir::arith::MulFOp::create(
      builder, loc, buildRoundedConstant(builder, loc, decay), parameter);
  return mlir::arith::AddFOp::create(builder, loc, gradient, term);
}

/// w - lr * direction.
inline mlir::Value buildDescent(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value parameter, mlir::Value rate,
                                mlir::Value direction) {
  mlir::Value step = mlir::arith::MulFOp::create(builder, loc, rate, direction);
  return mlir::arith::SubFOp::create(builder, loc, parameter, step);
}

/// g + decay * w with its rounding, as buildCoupledDecay() emits it.
inline Approximate addDecay(Approximate gradient, Approximate parameter,
                            const llvm::APFloat &decay) {
  if (decay.isZero())
    return gradient;
  return gradient + Approximate::constant(decay.convertToDouble()) * parameter;
}

} // namespace boostc::train
