// LinearIndex.h - offsets into memory that are linear in loops.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace boostc {

/// constant + sum of coefficient * loop.
struct LinearIndex {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> coefficients;

  int64_t operator[](unsigned loop) const { return coefficients[loop]; }
  /// Whether `outer` goes on where `inner` ends after `extent` iterations, so
  /// that both are as good as one loop.
  bool isContinued(unsigned outer, unsigned inner, int64_t extent) const {
    return coefficients[outer] == coefficients[inner] * extent;
  }
};

/// Whether `expr` is made of sums of loops, loops times constants, and
/// constants.
bool isLinear(mlir::AffineExpr expr);

/// The offset, in elements from the start of its buffer, of `operand` for each
/// iteration of its op's loops; nothing when that is not linear.
std::optional<LinearIndex> getOffset(mlir::linalg::GenericOp op,
                                     mlir::OpOperand &operand);

/// The value of `index`; loops without a value count as 0.
mlir::Value emitLinear(mlir::OpBuilder &builder, mlir::Location loc,
                       const LinearIndex &index,
                       llvm::ArrayRef<mlir::Value> loops);

/// The buffer from its start as one row of elements: vectors are loaded along
/// whichever dimension is contiguous.
mlir::Value flattenBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value buffer);

} // namespace boostc
