// Axes.h - dimensions of a tensor as the model file and loops see them.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "mlir/IR/AffineMap.h"

namespace boostc::nn {

/// A row-major tensor seen as [outer][extent][inner] around one dimension.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;

  AxisView(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t offset(int64_t o, int64_t i) const { return o * extent * inner + i; }
  /// Element `k` along the axis of line (o, i) is at offset(o, i) + k * inner.
};

/// Checks that `axis` is a dimension of `type` after the batch.
llvm::LogicalResult verifyAxis(std::optional<mlir::Location> loc,
                               mlir::RankedTensorType type, int64_t axis);

/// `count` elements along `axis` from index `start` of `from` on become those
/// from `toStart` of `to` on.
void copyAlongAxis(const ReferenceValue &from, int64_t start,
                   ReferenceValue &to, int64_t toStart, int64_t count,
                   int64_t axis);

/// The offsets of a slice of extents `shape` that begins at `start` along
/// `axis` and at 0 along the others.
struct AxisPart {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;

  AxisPart(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> shape,
           int64_t axis, int64_t start);
};

/// The key "axis" of a layer, and the dimension of its first input that it
/// means; see resolveAxis().
KeySpec getAxisKey(llvm::StringRef defaultValue);
llvm::FailureOr<int64_t> getAxis(LayerBuilder &layer);

/// The dimension that `axis` of the model file means for a tensor of `rank`:
/// the file counts without the batch, from the end when negative. Emits a
/// diagnostic at `key`.
llvm::FailureOr<int64_t> resolveAxis(LayerBuilder &layer, llvm::StringRef key,
                                     int64_t axis, int64_t rank);

/// All dimensions below `rank` without `axes`.
llvm::SmallVector<unsigned> withoutAxes(unsigned rank,
                                        llvm::ArrayRef<int64_t> axes);

} // namespace boostc::nn
