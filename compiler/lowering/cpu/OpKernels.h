// OpKernels.h - kernels for rt ops that are no loop nests over elements.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include <functional>
#include <optional>

namespace boostc {

/// A kernel of one op, whose pieces threads share.
struct OpKernel {
  int64_t pieces;
  int64_t workPerPiece; ///< elements, or multiply-adds
  int64_t minGrain = 1; ///< pieces that share a cache line
  /// Emits the pieces [begin, end). `buffers` maps the op's operands to the
  /// kernel's.
  std::function<void(mlir::OpBuilder &builder, const mlir::IRMapping &buffers,
                     mlir::Value begin, mlir::Value end)>
      emit = {};
};

/// The kernel of `op` for vectors of up to `maxLanes` and `threads` threads;
/// nothing for an op that has none of its own.
std::optional<OpKernel> planOpKernel(mlir::Operation *op, int64_t maxLanes,
                                     int64_t threads);

// By the kind of op.
OpKernel planGather(rt::GatherOp op);
OpKernel planScatterAdd(rt::ScatterAddOp op);
OpKernel planGram(rt::GramOp op, int64_t maxLanes, int64_t threads);
OpKernel planDampedInverse(rt::DampedInverseOp op, int64_t maxLanes);

} // namespace boostc
