#include "dialects/rt/MatrixProduct.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;

/// Loops: m, n, k.
Value rt::buildProductLoops(OpBuilder &builder, Location loc,
                            RankedTensorType type,
                            const MatrixProduct &product) {
  AffineMap mapA = product.transposeA ? projection(builder, 3, {2, 0})
                                      : projection(builder, 3, {0, 2});
  AffineMap mapB = product.transposeB ? projection(builder, 3, {1, 2})
                                      : projection(builder, 3, {2, 1});
  Value result = buildReduction(
      builder, loc, type, builder.getF32FloatAttr(0.0), 3, {0, 1},
      {product.a, product.b}, {mapA, mapB},
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value term = arith::MulFOp::create(b, nested, args[0], args[1]);
        return buildSumStep(b, nested, args[2], term);
      });
  if (product.bias)
    result = buildElementwise(
        builder, loc, type, {result, product.bias},
        {builder.getMultiDimIdentityMap(2), projection(builder, 2, {1})},
        [](OpBuilder &b, Location nested, ValueRange args) -> Value {
          return arith::AddFOp::create(b, nested, args[0], args[1]);
        });
  return result;
}

Value rt::buildProductCall(OpBuilder &builder, Location loc,
                           RankedTensorType type,
                           const MatrixProduct &product) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto call = rt::MatmulOp::create(
      builder, loc, TypeRange{type}, product.a, product.b, product.bias, empty,
      /*scratch=*/Value(),
      /*parts=*/Value(), product.transposeA, product.transposeB);
  return call.getResult(0);
}
