// FiniteProbe.h - whether all elements of some tensors are finite, as a sum.
#pragma once

#include "mlir/IR/Builders.h"

namespace boostc::train {

/// The f32 scalar that is 0 if every element of `values` is finite, else NaN:
/// the sum of x * 0 over all elements x.
mlir::Value buildProbeSum(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ValueRange values);

} // namespace boostc::train
