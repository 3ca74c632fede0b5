// KernelBodies.h - the ops of phase buffers as loops for a grid.
#pragma once

#include "compiler/lowering/cuda/GridNest.h"
#include "compiler/lowering/target/TilingPolicy.h"
#include "compiler/lowering/kernels/Contraction.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace boostc {

/// A body and the plan that it runs by.
struct PlannedBody {
  std::unique_ptr<KernelBody> body;
  GridPlan plan;
};

/// The kernel bodies of `op`, a linalg.generic, a contraction or a walk over
/// rows on buffers: one, or two for a split reduction, the second of which adds
/// the partial sums up. `buffers` maps its operands, and what its body reads
/// from outside, to the kernel's when code is emitted. Fails, with a
/// diagnostic, when the op has none.
llvm::FailureOr<std::vector<PlannedBody>>
buildKernelBodies(mlir::Operation *op, const mlir::IRMapping &buffers,
                  TilingPolicy tilingPolicy);

// By the kind of op.
llvm::FailureOr<PlannedBody> buildGenericBody(mlir::linalg::GenericOp op,
                                              const mlir::IRMapping &buffers);
PlannedBody buildContractionBody(mlir::Location loc, const Contraction &c,
                                 const mlir::IRMapping &buffers,
                                 TilingPolicy tilingPolicy);
PlannedBody buildGatherBody(rt::GatherOp op, const mlir::IRMapping &buffers);
PlannedBody buildScatterAddBody(rt::ScatterAddOp op,
                                const mlir::IRMapping &buffers);
PlannedBody buildGramBody(rt::GramOp op, const mlir::IRMapping &buffers);
PlannedBody buildDampedInverseBody(rt::DampedInverseOp op,
                                   const mlir::IRMapping &buffers);

/// Threads in the order of the loops.
PlannedBody planInOrder(std::unique_ptr<KernelBody> body);

/// Cycles that a GPU is estimated to need for `c` by `plan`:
/// SharedMemoryTiling.cpp says how.
double estimateCycles(const Contraction &c, const GridPlan &plan);

/// The element of a one-dimensional buffer at an offset.
mlir::Value loadAt(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value buffer, const LinearIndex &offset,
                   llvm::ArrayRef<mlir::Value> indices);
void storeAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
             mlir::Value buffer, const LinearIndex &offset,
             llvm::ArrayRef<mlir::Value> indices);

/// Whether both conditions hold; null is one that always does, as `a`.
mlir::Value emitBoth(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value a, mlir::Value b);

/// Appends the values of `indices` to those of the loops, from which they are
/// computed. Returns whether all of them count; null when there are none.
mlir::Value emitDerived(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<Contraction::DerivedIndex> indices,
                        llvm::SmallVectorImpl<mlir::Value> &values);

/// What `body` yields where `condition` holds, else `values`; always that of
/// `body` where there is no condition.
llvm::SmallVector<mlir::Value> emitWhere(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
    mlir::ValueRange values,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> body);

} // namespace boostc
