#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.mse
//===----------------------------------------------------------------------===//

LogicalResult MseOp::verify() {
  return verifyTargets(getLoc(), getOutputs().getType(),
                       getTargets().getType());
}

LogicalResult MseOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLoss(operands, results,
                      [](double p, double t) { return (p - t) * (p - t); });
}

bool MseOp::isActiveOperand(unsigned index) { return index == 0; }

SmallVector<Value> MseOp::savedForBackward() {
  return {getOutputs(), getTargets()};
}

LogicalResult MseOp::buildBackward(BackwardContext &context) {
  return buildLossBackward<MseGradOp>(*this, context);
}

FailureOr<SmallVector<Value>> MseOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLoss(builder, getLoc(), getOperands(),
                   [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     Value d = arith::SubFOp::create(b, loc, args[0], args[1]);
                     return arith::MulFOp::create(b, loc, d, d);
                   });
}

int64_t MseOp::getFlops() {
  return 3 * getOutputs().getType().getNumElements();
}

std::vector<LayerSpec> MseOp::getLayerSpecs() {
  return {{"mse", LayerSpec::Kind::Loss,
           "Mean squared error, `(y - t)^2` averaged over outputs and samples; "
           "t is the target, or 1 for the labelled class, else 0."}};
}

FailureOr<SmallVector<Value>> MseOp::buildLayer(LayerBuilder &layer) {
  return buildLossLayer<MseOp>(layer);
}

//===----------------------------------------------------------------------===//
// nn.mse_grad
//===----------------------------------------------------------------------===//

LogicalResult MseGradOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  if (failed(verifyTargets(loc, adaptor.getOutputs().getType(),
                           adaptor.getTargets().getType())))
    return failure();
  inferred.push_back(adaptor.getOutputs().getType());
  return success();
}

LogicalResult MseGradOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLossGrad(operands, results,
                          [](double p, double t) { return 2.0 * (p - t); });
}

FailureOr<SmallVector<Value>> MseGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLossGrad(
      builder, getLoc(), getOperands(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value d = arith::SubFOp::create(b, loc, args[0], args[1]);
        return arith::AddFOp::create(b, loc, d, d);
      });
}

int64_t MseGradOp::getFlops() {
  return 4 * getOutputs().getType().getNumElements();
}
