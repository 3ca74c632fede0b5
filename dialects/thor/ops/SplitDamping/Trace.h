// Trace.h - sums of what is on the diagonals of blocks.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "mlir/IR/Builders.h"

namespace boostc::thor {

/// Calls `visit` with the offset of each element on the diagonals.
template <typename Visit>
void forEachOnDiagonal(const ReferenceValue &blocks, Visit visit) {
  int64_t size = blocks.dim(1);
  for (int64_t block = 0; block < blocks.dim(0); ++block)
    for (int64_t i = 0; i < size; ++i)
      visit((block * size + i) * size + i);
}

/// The sum of the elements on the diagonals, and its error.
Approximate computeTrace(const Bounded &blocks);

/// The same as a tensor<f32>, of a tensor.
mlir::Value buildTrace(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value blocks);

} // namespace boostc::thor
