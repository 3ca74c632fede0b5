// Lowerings of the dense ops: each is one matmul that reads its
// operands plainly or transposed. The library takes it as it is; the linalg
// form is the complete fallback and what the interpreter compares the library
// call with.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {
/// C[m, n] = op(A) op(B) (+ bias[n]), where an operand of more dimensions is
/// the matrix of its rows.
struct Product {
  Value a, b, bias;
  bool transposeA = false, transposeB = false;
};
} // namespace

static Product getProduct(DenseOp op) {
  return {op.getInput(), op.getWeight(), op.getBias(), false, true};
}
static Product getProduct(DenseGradInputOp op) {
  return {op.getGradient(), op.getWeight(), Value(), false, false};
}
static Product getProduct(DenseGradWeightOp op) {
  return {op.getGradient(), op.getInput(), Value(), true, false};
}

static Product asMatrices(OpBuilder &builder, Location loc, Product product) {
  product.a = buildRows(builder, loc, product.a);
  product.b = buildRows(builder, loc, product.b);
  return product;
}

/// Loops: m, n, k.
static Value lowerProduct(OpBuilder &builder, Location loc,
                          RankedTensorType type, const Product &product) {
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

static Value callMatmul(OpBuilder &builder, Location loc, RankedTensorType type,
                        const Product &product) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto call = rt::MatmulOp::create(
      builder, loc, TypeRange{type}, product.a, product.b, product.bias, empty,
      /*scratch=*/Value(),
      /*parts=*/Value(), product.transposeA, product.transposeB);
  return call.getResult(0);
}

/// What `compute` makes of the operands as matrices, in the shape of `type`.
static SmallVector<Value>
onMatrices(OpBuilder &builder, Location loc, RankedTensorType type,
           const Product &product,
           Value (*compute)(OpBuilder &, Location, RankedTensorType,
                            const Product &)) {
  Value result = compute(builder, loc, getRowsType(type),
                         asMatrices(builder, loc, product));
  return {buildFromRows(builder, loc, type, result)};
}

#define BOOSTC_LOWER_PRODUCT(OP)                                               \
  FailureOr<SmallVector<Value>> OP::lowerToLinalg(OpBuilder &builder) {        \
    return onMatrices(builder, getLoc(), cast<RankedTensorType>(getType()),    \
                      getProduct(*this), lowerProduct);                        \
  }                                                                            \
  FailureOr<SmallVector<Value>> OP::buildLibraryCall(OpBuilder &builder) {     \
    return onMatrices(builder, getLoc(), cast<RankedTensorType>(getType()),    \
                      getProduct(*this), callMatmul);                          \
  }
BOOSTC_LOWER_PRODUCT(DenseOp)
BOOSTC_LOWER_PRODUCT(DenseGradInputOp)
BOOSTC_LOWER_PRODUCT(DenseGradWeightOp)
#undef BOOSTC_LOWER_PRODUCT
