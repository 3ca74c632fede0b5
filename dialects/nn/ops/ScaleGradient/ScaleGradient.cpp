#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.scale_gradient
//===----------------------------------------------------------------------===//

LogicalResult
ScaleGradientOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(operands[0]);
  return success();
}

ErrorBounds ScaleGradientOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  return {operands[0].error};
}

bool ScaleGradientOp::isActiveOperand(unsigned index) { return index == 0; }

SmallVector<Value> ScaleGradientOp::savedForBackward() {
  return {getTo(), getFrom()};
}

LogicalResult ScaleGradientOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      ScaleGradientGradOp::create(context.builder, context.loc, getType(),
                                  context.gradResults[0], getTo(), getFrom());
  return success();
}

FailureOr<SmallVector<Value>> ScaleGradientOp::lowerToLinalg(OpBuilder &) {
  return SmallVector<Value>{getInput()};
}

int64_t ScaleGradientOp::getFlops() { return 0; }

//===----------------------------------------------------------------------===//
// nn.scale_gradient_grad
//===----------------------------------------------------------------------===//

LogicalResult
ScaleGradientGradOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue dx = operands[0];
  double ratio = operands[1].item() / operands[2].item();
  for (double &element : dx.data)
    element *= ratio;
  results.push_back(std::move(dx));
  return success();
}

ErrorBounds ScaleGradientGradOp::boundErrors(ReferenceContext &,
                                             ArrayRef<Bounded> operands,
                                             ArrayRef<ReferenceValue>) {
  return boundElements(operands, 1,
                       [](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[0] * (x[1] / x[2]);
                         y[0].error += kUnderflow;
                       });
}

FailureOr<SmallVector<Value>>
ScaleGradientGradOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = getType().getRank();
  AffineMap scalar = projection(builder, rank, {});
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getType(), getOperands(),
      {builder.getMultiDimIdentityMap(rank), scalar, scalar},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value ratio = arith::DivFOp::create(b, loc, args[1], args[2]);
        return arith::MulFOp::create(b, loc, args[0], ratio);
      })};
}

int64_t ScaleGradientGradOp::getFlops() { return getType().getNumElements(); }
