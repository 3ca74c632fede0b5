// WeightPacking.h - copies of convolutions' weights from the order of files
// into the orders that kernels read, and back.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <optional>

namespace boostc {

/// A copy between [O, C, KH, KW] as it lies in a file and an order with the
/// taps outermost. Squares of `lanes` x `lanes` elements pass through vector
/// registers, where they are transposed: no cache line is touched for the sake
/// of one element.
struct WeightPacking {
  int64_t filters, channels, taps, lanes;
  /// Are filters innermost, or channels, where taps are outermost?
  bool alongFilters;
  bool unpacks; ///< into the order of the file

  /// Blocks of filters, for threads.
  int64_t countPieces() const;
};

/// Nothing for any other copy.
std::optional<WeightPacking> planWeightPacking(mlir::memref::CopyOp copy,
                                               int64_t maxLanes);

/// Emits pieces [begin, end) on the buffers of the kernel.
void emitWeightPacking(mlir::OpBuilder &builder, mlir::Location loc,
                       const WeightPacking &packing, mlir::Value source,
                       mlir::Value target, mlir::Value begin, mlir::Value end);

} // namespace boostc
