// EmitGatherScatter.h - rt.gather and rt.scatter_add as loops.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace boostc {

/// How threads share a rows op: gather by positions, scatter_add by
/// columns.
struct RowsPlan {
  int64_t pieces;       ///< of the shared loop
  int64_t workPerPiece; ///< elements
  int64_t minGrain;     ///< pieces that share a cache line
};

RowsPlan planGather(rt::GatherOp op);
RowsPlan planScatterAdd(rt::ScatterAddOp op);

/// The pieces [begin, end) at the insertion point, on the kernel's buffers.
void emitGather(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value source, mlir::Value index, mlir::Value destination,
                mlir::Value begin, mlir::Value end);
void emitScatterAdd(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value source, mlir::Value index,
                    mlir::Value destination, mlir::Value begin,
                    mlir::Value end);

} // namespace boostc
