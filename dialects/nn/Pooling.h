// Pooling.h - what max_pool, avg_pool and their gradients have in common.
#pragma once

#include "dialects/rt/Convolution.h"
#include "mlir/IR/Builders.h"

namespace boostc::nn {

/// Checks the attributes of a pooling of `input`; returns the pooled shape.
llvm::FailureOr<llvm::SmallVector<int64_t>>
verifyPooling(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
              mlir::ShapedType input, llvm::ArrayRef<int64_t> kernel,
              llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> padding);

/// Calls `tap(x, y, k)` for every tap inside the input: row-major offsets of
/// the pixel and of the window's output, and the tap's number in its window.
void forEachTap(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> output,
                llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> strides,
                llvm::ArrayRef<int64_t> padding,
                llvm::function_ref<void(int64_t, int64_t, int64_t)> tap);

/// Loops of a pooling in linalg: n, c, i, j of the output, k, l of the window.
struct PoolingLoops {
  PoolingLoops(mlir::OpBuilder &builder, mlir::Location loc,
               llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> padding);

  mlir::AffineMap input;  ///< pixel under a tap of the padded input
  mlir::AffineMap output; ///< (n, c, i, j)
  mlir::AffineMap window; ///< (k, l)
  /// An operand of the window's shape that is never read: linalg infers the
  /// extents of loops from operands.
  mlir::Value extents;
};

/// `input` with `value` around it; itself without padding.
mlir::Value padInput(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value input, llvm::ArrayRef<int64_t> padding,
                     double value);

/// The sum over each window of `input`, which is padded already.
mlir::Value buildWindowSums(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::RankedTensorType type,
                            const PoolingLoops &loops, mlir::Value input);

/// The gradient of a pooling's input, `term(args)` for each window and tap: the
/// body's arguments are the elements of `inputs` at the window. Windows that
/// overlap are summed; where every pixel is in exactly one, each is written
/// once.
mlir::Value buildPoolingGrad(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType input,
    const PoolingLoops &loops, mlir::ValueRange inputs,
    llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> strides,
    llvm::ArrayRef<int64_t> padding,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::ValueRange)>
        term);

} // namespace boostc::nn
