// Lowerings of the dense ops: each is one matmul that reads its
// operands plainly or transposed. The library takes it as it is; the linalg
// form is the complete fallback and what the interpreter compares the library
// call with.

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"
#include "dialects/rt/MatrixProduct.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static rt::MatrixProduct getProduct(DenseOp op) {
  return {op.getInput(), op.getWeight(), op.getBias(), false, true};
}
static rt::MatrixProduct getProduct(DenseGradInputOp op) {
  return {op.getGradient(), op.getWeight(), Value(), false, false};
}
static rt::MatrixProduct getProduct(DenseGradWeightOp op) {
  return {op.getGradient(), op.getInput(), Value(), true, false};
}

static rt::MatrixProduct asMatrices(OpBuilder &builder, Location loc,
                                    rt::MatrixProduct product) {
  product.a = buildRows(builder, loc, product.a);
  product.b = buildRows(builder, loc, product.b);
  return product;
}

/// What `compute` makes of the operands as matrices, in the shape of `type`.
static SmallVector<Value> onMatrices(OpBuilder &builder, Location loc,
                                     RankedTensorType type,
                                     const rt::MatrixProduct &product,
                                     rt::BuildProduct compute) {
  Value result = compute(builder, loc, getRowsType(type),
                         asMatrices(builder, loc, product));
  return {buildFromRows(builder, loc, type, result)};
}

#define BOOSTC_LOWER_PRODUCT(OP)                                               \
  FailureOr<SmallVector<Value>> OP::lowerToLinalg(OpBuilder &builder) {        \
    return onMatrices(builder, getLoc(), cast<RankedTensorType>(getType()),    \
                      getProduct(*this), rt::buildProductLoops);               \
  }                                                                            \
  FailureOr<SmallVector<Value>> OP::buildLibraryCall(OpBuilder &builder) {     \
    return onMatrices(builder, getLoc(), cast<RankedTensorType>(getType()),    \
                      getProduct(*this), rt::buildProductCall);                \
  }
BOOSTC_LOWER_PRODUCT(DenseOp)
BOOSTC_LOWER_PRODUCT(DenseGradInputOp)
BOOSTC_LOWER_PRODUCT(DenseGradWeightOp)
#undef BOOSTC_LOWER_PRODUCT
