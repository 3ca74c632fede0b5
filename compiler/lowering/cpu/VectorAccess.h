// VectorAccess.h - loads and stores of vectors, the last of which along a loop
// may be partly empty.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace boostc {

/// The narrowest vectors, of a power of two lanes up to `maxLanes`, of which no
/// more are needed for `extent` elements than of the widest.
int64_t chooseLanes(int64_t extent, int64_t maxLanes);

/// For `count` vectors of `lanes` elements from element `first` of a loop on:
/// which lanes lie inside its `extent`. Null for all of them where the extent
/// is a multiple of what `count` vectors hold.
llvm::SmallVector<mlir::Value> emitMasks(mlir::OpBuilder &builder,
                                         mlir::Location loc, int64_t lanes,
                                         int64_t count, int64_t extent,
                                         mlir::Value first);
/// The same for a loop that ends at `end`, whatever that is.
llvm::SmallVector<mlir::Value> emitMasks(mlir::OpBuilder &builder,
                                         mlir::Location loc, int64_t lanes,
                                         int64_t count, mlir::Value end,
                                         mlir::Value first);

/// The first `count` lanes; null for all of them.
mlir::Value getFirstLanes(mlir::OpBuilder &builder, mlir::Location loc,
                          int64_t lanes, int64_t count);

/// The vector at `offset` of the one-dimensional `buffer`. With a mask, memory
/// is read for the lanes it has only; the others are 0.
mlir::Value loadVector(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::VectorType type, mlir::Value buffer,
                       mlir::Value offset, mlir::Value mask);
/// With a mask, memory is written for the lanes it has only.
void storeVector(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value vector, mlir::Value buffer, mlir::Value offset,
                 mlir::Value mask);

/// Exchanges lanes and vectors: lane j of vector i is lane i of vector j then.
/// There are as many vectors as lanes, a power of two.
void transposeVectors(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::MutableArrayRef<mlir::Value> vectors);

} // namespace boostc
