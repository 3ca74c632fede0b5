#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult PointwiseLossGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyTargets(loc, adaptor.getOutputs().getType(),
                           adaptor.getTargets().getType())) ||
      failed(
          verifyWeights(loc,
                        cast<RankedTensorType>(adaptor.getOutputs().getType())
                            .getShape()
                            .take_front(),
                        adaptor.getWeights())))
    return failure();
  inferred.push_back(adaptor.getOutputs().getType());
  return success();
}

/// Types of the loss: operands and results.
static std::pair<SmallVector<Type>, SmallVector<Type>>
getLossTypes(PointwiseLossGradOp op) {
  Type count = RankedTensorType::get({}, IntegerType::get(op.getContext(), 64));
  return {{op.getOutputs().getType(), op.getTargets().getType(),
           op.getValid().getType()},
          {op.getGradient().getType(), count}};
}

LogicalResult PointwiseLossGradOp::verify() {
  auto [operands, results] = getLossTypes(*this);
  return getFunction().verifyOp(getLoc(), operands, results);
}

ScalarRule PointwiseLossGradOp::getScalarRule() {
  auto [operands, results] = getLossTypes(*this);
  return getFunction().getGradientRule(operands, results);
}

LogicalResult
PointwiseLossGradOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLossGrad(getScalarRule(), operands, results);
}

FailureOr<SmallVector<Value>>
PointwiseLossGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLossGrad(getScalarRule(), builder, getLoc(), getOperands());
}

int64_t PointwiseLossGradOp::getFlops() {
  return getScalarRule().flops * getOutputs().getType().getNumElements();
}

ErrorBounds PointwiseLossGradOp::boundErrors(ReferenceContext &,
                                             ArrayRef<Bounded> operands,
                                             ArrayRef<ReferenceValue>) {
  return boundLossGrad(getScalarRule(), operands);
}
