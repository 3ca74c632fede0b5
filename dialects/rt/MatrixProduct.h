// MatrixProduct.h - products of matrices on tensors, for lowerings of ops that
// are made of them: as loops, or as a call of the library.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace boostc::rt {

/// op(a) op(b) (+ bias), as in rt.matmul.
struct MatrixProduct {
  mlir::Value a, b;
  mlir::Value bias = {};
  bool transposeA = false, transposeB = false;
};

/// One of the functions below.
using BuildProduct = mlir::Value (*)(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     mlir::RankedTensorType type,
                                     const MatrixProduct &product);

/// Emits the product, of `type`, as loops.
mlir::Value buildProductLoops(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::RankedTensorType type,
                              const MatrixProduct &product);
/// Emits it as rt.matmul.
mlir::Value buildProductCall(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::RankedTensorType type,
                             const MatrixProduct &product);

} // namespace boostc::rt
