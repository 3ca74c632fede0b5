// Trace.h - sums of what is on the diagonals of blocks.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "mlir/IR/Builders.h"

namespace boostc::thor {

/// The sum of the elements on the diagonals, and its error.
Approximate computeTrace(const Bounded &blocks);

/// The same as a tensor<f32>, of a tensor.
mlir::Value buildTrace(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value blocks);

} // namespace boostc::thor
