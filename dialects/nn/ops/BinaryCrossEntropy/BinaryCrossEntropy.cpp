#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.binary_cross_entropy
//===----------------------------------------------------------------------===//

LogicalResult BinaryCrossEntropyOp::verify() {
  return verifyTargets(getLoc(), getOutputs().getType(),
                       getTargets().getType());
}

LogicalResult
BinaryCrossEntropyOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLoss(operands, results, [](double p, double t) {
    return std::max(p, 0.0) - p * t + std::log(1.0 + std::exp(-std::abs(p)));
  });
}

bool BinaryCrossEntropyOp::isActiveOperand(unsigned index) {
  return index == 0;
}

SmallVector<Value> BinaryCrossEntropyOp::savedForBackward() {
  return {getOutputs(), getTargets()};
}

LogicalResult BinaryCrossEntropyOp::buildBackward(BackwardContext &context) {
  return buildLossBackward<BinaryCrossEntropyGradOp>(*this, context);
}

FailureOr<SmallVector<Value>>
BinaryCrossEntropyOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLoss(
      builder, getLoc(), getOperands(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = buildConstant(b, loc, 0.0),
              one = buildConstant(b, loc, 1.0);
        Value size = math::AbsFOp::create(b, loc, args[0]);
        Value power =
            math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, size));
        Value log = math::LogOp::create(
            b, loc, arith::AddFOp::create(b, loc, one, power));
        Value linear = arith::SubFOp::create(
            b, loc, arith::MaximumFOp::create(b, loc, args[0], zero),
            arith::MulFOp::create(b, loc, args[0], args[1]));
        return arith::AddFOp::create(b, loc, linear, log);
      });
}

int64_t BinaryCrossEntropyOp::getFlops() {
  return 8 * getOutputs().getType().getNumElements();
}

std::vector<LayerSpec> BinaryCrossEntropyOp::getLayerSpecs() {
  return {{"binary_cross_entropy", LayerSpec::Kind::Loss,
           "Cross-entropy of the sigmoid of each output with t, `-t * log(s) - "
           "(1 - t) * log(1 - s)`, `s = 1 / (1 + exp(-y))`, averaged over "
           "outputs and samples; t is the target, or 1 for the labelled class, "
           "else 0. The last layer gives logits."}};
}

FailureOr<SmallVector<Value>>
BinaryCrossEntropyOp::buildLayer(LayerBuilder &layer) {
  return buildLossLayer<BinaryCrossEntropyOp>(layer);
}

//===----------------------------------------------------------------------===//
// nn.binary_cross_entropy_grad
//===----------------------------------------------------------------------===//

LogicalResult BinaryCrossEntropyGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyTargets(loc, adaptor.getOutputs().getType(),
                           adaptor.getTargets().getType())))
    return failure();
  inferred.push_back(adaptor.getOutputs().getType());
  return success();
}

LogicalResult
BinaryCrossEntropyGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLossGrad(operands, results, [](double p, double t) {
    return 1.0 / (1.0 + std::exp(-p)) - t;
  });
}

FailureOr<SmallVector<Value>>
BinaryCrossEntropyGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLossGrad(
      builder, getLoc(), getOperands(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value one = buildConstant(b, loc, 1.0);
        Value power =
            math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, args[0]));
        Value sigmoid = arith::DivFOp::create(
            b, loc, one, arith::AddFOp::create(b, loc, one, power));
        return arith::SubFOp::create(b, loc, sigmoid, args[1]);
      });
}

int64_t BinaryCrossEntropyGradOp::getFlops() {
  return 9 * getOutputs().getType().getNumElements();
}
