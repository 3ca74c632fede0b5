#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.expected_nll
//===----------------------------------------------------------------------===//

LogicalResult ExpectedNllOp::verify() {
  return verifyTargets(getLoc(), getLogarithms().getType(),
                       getTargets().getType());
}

LogicalResult
ExpectedNllOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLoss(
      operands, results, [](double l, double t) { return -t * l; },
      SampleLoss::Sum);
}

bool ExpectedNllOp::isActiveOperand(unsigned index) { return index == 0; }

SmallVector<Value> ExpectedNllOp::savedForBackward() { return {getTargets()}; }

LogicalResult ExpectedNllOp::buildBackward(BackwardContext &context) {
  // Nothing differentiable flows through the count.
  if (!context.gradResults[0] || !context.needed[0])
    return success();
  context.gradOperands[0] = ExpectedNllGradOp::create(
      context.builder, context.loc, context.gradResults[0], getLogarithms(),
      getTargets(), context.valid);
  return success();
}

FailureOr<SmallVector<Value>> ExpectedNllOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLoss(
      builder, getLoc(), getOperands(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value t = arith::NegFOp::create(b, loc, args[1]);
        return arith::MulFOp::create(b, loc, t, args[0]);
      },
      SampleLoss::Sum);
}

int64_t ExpectedNllOp::getFlops() {
  return 3 * getLogarithms().getType().getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.expected_nll_grad
//===----------------------------------------------------------------------===//

LogicalResult
ExpectedNllGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyTargets(loc, adaptor.getLogarithms().getType(),
                           adaptor.getTargets().getType())))
    return failure();
  inferred.push_back(adaptor.getLogarithms().getType());
  return success();
}

LogicalResult
ExpectedNllGradOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLossGrad(
      operands, results, [](double, double t) { return -t; }, SampleLoss::Sum);
}

FailureOr<SmallVector<Value>>
ExpectedNllGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLossGrad(
      builder, getLoc(), getOperands(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::NegFOp::create(b, loc, args[1]);
      },
      SampleLoss::Sum);
}

int64_t ExpectedNllGradOp::getFlops() {
  return 2 * getLogarithms().getType().getNumElements();
}
