// OpKernels.h - kernels for rt ops that are no loop nests over elements.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include <functional>
#include <optional>

namespace boostc {

/// The iterations of loops over elements that take as long as so many
/// multiply-adds, whose operands stay in registers and caches.
constexpr int64_t countIterations(int64_t multiplyAdds) {
  return multiplyAdds / 8;
}

/// A kernel of one op, whose pieces threads share.
struct OpKernel {
  int64_t pieces;
  int64_t workPerPiece; ///< iterations of a loop over elements
  int64_t minGrain = 1; ///< pieces that share a cache line
  /// Emits the pieces [begin, end). `buffers` maps the op's operands to the
  /// kernel's.
  std::function<void(mlir::OpBuilder &builder, const mlir::IRMapping &buffers,
                     mlir::Value begin, mlir::Value end)>
      emit = {};
};

/// The kernel of a copy from `source` to `target`, in `pieces`. An
/// Emitter(builder, loc, plan, source, target) has emit(begin, end).
template <typename Emitter, typename Plan>
OpKernel makeCopyKernel(mlir::Operation *copy, mlir::Value source,
                        mlir::Value target, Plan plan, int64_t pieces,
                        int64_t workPerPiece) {
  return {.pieces = pieces,
          .workPerPiece = workPerPiece,
          .emit = [=, loc = copy->getLoc()](
                      mlir::OpBuilder &builder, const mlir::IRMapping &buffers,
                      mlir::Value begin, mlir::Value end) {
            Emitter(builder, loc, plan, buffers.lookup(source),
                    buffers.lookup(target))
                .emit(begin, end);
          }};
}

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
