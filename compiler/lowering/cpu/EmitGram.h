// EmitGram.h - rt.gram as loops.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/IR/Builders.h"

namespace boostc {

/// How the products of columns are computed. Columns of a block are packed,
/// each contiguous, for as many windows as stay in a cache; tiles of products
/// are summed along them in vectors.
struct GramPlan {
  rt::GramShape shape;
  int64_t lanes;         ///< of vectors
  int64_t samples, rows; ///< of output pixels that are packed together
  int64_t columnLength;  ///< of a packed column: whole vectors
  int64_t stripes = 1;   ///< pieces of a block
  int64_t pieces;        ///< of all blocks
  int64_t workPerPiece;  ///< multiply-adds
};

/// `threads`: for which stripes are made.
GramPlan planGram(rt::GramOp op, int64_t maxLanes, int64_t threads);

/// The pieces [begin, end) at the insertion point, on the kernel's buffers.
void emitGram(mlir::OpBuilder &builder, mlir::Location loc,
              const GramPlan &plan, mlir::Value input, mlir::Value valid,
              mlir::Value result, mlir::Value begin, mlir::Value end);

} // namespace boostc
