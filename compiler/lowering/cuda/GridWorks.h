// GridWorks.h - the ops of phase buffers as work for a grid.
#pragma once

#include "compiler/lowering/cuda/GridNest.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace boostc {

/// A work and the plan that it runs by.
struct GridPart {
  std::unique_ptr<GridWork> work;
  GridPlan plan;
};

/// The work of `op`, a linalg.generic, a sum of products or a walk over rows on
/// buffers; `buffers` maps its operands, and what its body reads from outside,
/// to the kernel's when code is emitted. Fails, with a diagnostic, when there
/// is none for the op.
llvm::FailureOr<GridPart> buildGridPart(mlir::Operation *op,
                                        const mlir::IRMapping &buffers);

// By the kind of op.
llvm::FailureOr<GridPart> buildGenericPart(mlir::linalg::GenericOp op,
                                           const mlir::IRMapping &buffers);
GridPart buildContractionPart(rt::ConvolutionOp op,
                              const mlir::IRMapping &buffers);
GridPart buildContractionPart(rt::MatmulOp op, const mlir::IRMapping &buffers);
GridPart buildGatherPart(rt::GatherOp op, const mlir::IRMapping &buffers);
GridPart buildScatterAddPart(rt::ScatterAddOp op,
                             const mlir::IRMapping &buffers);

/// The element of a one-dimensional buffer at an offset.
mlir::Value loadAt(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value buffer, const LinearIndex &offset,
                   llvm::ArrayRef<mlir::Value> indices);
void storeAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
             mlir::Value buffer, const LinearIndex &offset,
             llvm::ArrayRef<mlir::Value> indices);

/// numerator / divisor, and whether that is exact and in [0, extent).
std::pair<mlir::Value, mlir::Value>
emitDivision(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::Value numerator, int64_t divisor, int64_t extent);

} // namespace boostc
