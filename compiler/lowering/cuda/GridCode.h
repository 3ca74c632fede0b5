// GridCode.h - what emitters of grids have in common.
#pragma once

#include "compiler/lowering/cuda/GridNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace boostc {

class GridCode {
protected:
  GridCode(mlir::OpBuilder &builder, mlir::Location loc, const GridNest &nest)
      : builder(builder), loc(loc), nest(nest), body(nest.getMain()),
        plan(nest.plan), indices(body.loops.size()) {}

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::AddIOp>(loc, a, b);
  }
  mlir::Value multiply(mlir::Value a, int64_t b) {
    return builder.createOrFold<mlir::arith::MulIOp>(loc, a, constant(b));
  }
  mlir::Value divide(mlir::Value a, int64_t b) {
    return builder.createOrFold<mlir::arith::DivUIOp>(loc, a, constant(b));
  }
  mlir::Value remainder(mlir::Value a, int64_t b) {
    return b == 1 ? constant(0)
                  : builder.createOrFold<mlir::arith::RemUIOp>(loc, a,
                                                               constant(b));
  }
  mlir::Value isBelow(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc,
                                       mlir::arith::CmpIPredicate::ult, a, b);
  }
  mlir::Block *ifTrue(mlir::Value condition) {
    return mlir::scf::IfOp::create(builder, loc, condition, /*withElse=*/false)
        .thenBlock();
  }

  mlir::SmallVector<mlir::Value>
  emitLoop(mlir::Value begin, mlir::Value end, int64_t stride,
           mlir::ValueRange values,
           llvm::function_ref<mlir::SmallVector<mlir::Value>(mlir::Value,
                                                             mlir::ValueRange)>
               action);

  /// The indices of `loops` in iteration `number` of them, the last fastest.
  void decode(mlir::Value number, llvm::ArrayRef<unsigned> loops);

  /// The bodies [begin, end), which do not reduce, for one output.
  void emitMembers(size_t begin, size_t end);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const GridNest &nest;
  KernelBody &body;
  const GridPlan &plan;
  mlir::SmallVector<mlir::Value> indices; ///< by loop
};

/// Emits a block of a nest whose plan is tiling; `memory` is what all threads
/// of the block share, of the plan's size.
void emitTiled(mlir::OpBuilder &builder, mlir::Location loc,
               const GridNest &nest, mlir::Value memory, mlir::Value block,
               mlir::Value thread);

} // namespace boostc
