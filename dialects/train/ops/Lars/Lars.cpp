#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static auto getRule(LarsOp op) {
  double momentum = op.getMomentum().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  return [=]<typename T>(ArrayRef<T> x) -> SmallVector<T> {
    T w = x[0], g = x[1], rate = x[2], ratio = x[3], v = x[4];
    T decayed = addDecay(g, w, decay);
    T kept = T::constant(momentum) * v;
    T velocity = dropSubnormal(kept + ratio * decayed);
    return {w - rate * velocity, velocity};
  };
}

SmallVector<Value> LarsOp::buildScalarRule(OpBuilder &builder,
                                           ValueRange operands) {
  return emitRule(builder, getLoc(), operands, getRule(*this));
}

void LarsOp::evaluateRule(ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue w = operands[0], v = operands[4];
  double decay = getWeightDecay().convertToDouble();
  for (int64_t i = 0; i < w.size(); ++i) {
    double decayed = operands[1].data[i] + decay * w.data[i];
    v.data[i] = dropSubnormal(getMomentum().convertToDouble() * v.data[i] +
                              operands[3].item() * decayed);
    w.data[i] -= operands[2].item() * v.data[i];
  }
  results.append({std::move(w), std::move(v)});
}

ErrorBounds LarsOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue> results) {
  return boundRule(operands, results.size(), getRule(*this));
}

std::vector<LayerSpec> LarsOp::getLayerSpecs() {
  LayerSpec spec{
      "lars", LayerSpec::Kind::Optimizer,
      "Momentum with a rate for each tensor, `v = momentum * v + ratio * (g + "
      "weight_decay * w)`, `w = w - lr * v`, `ratio = trust_coefficient * |w| "
      "/ "
      "(|g| + weight_decay * |w| + epsilon)` for weights and 1 for biases and "
      "the like, and where a norm is 0."};
  spec.keys = {
      {"learning_rate", KeyType::Rate, "Step size `lr`.", {}, 0.0},
      {"momentum", KeyType::Number, "Share of the velocity that is kept.",
       "0.9", 0.0, 1.0},
      {"weight_decay", KeyType::Number, "Weight decay.", "0.0", 0.0},
      {"trust_coefficient", KeyType::Number, "Scale of the ratio.", "0.001",
       0.0},
      {"epsilon", KeyType::Number, "Added to the divisor.", "0.0", 0.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> LarsOp::buildLayer(LayerBuilder &layer) {
  OpBuilder &b = layer.builder;
  FailureOr<Value> velocity = layer.state("momentum");
  if (failed(velocity))
    return failure();
  Value w = layer.inputs[0], g = layer.inputs[1];
  FloatAttr decay = b.getF64FloatAttr(layer.getNumber("weight_decay"));
  bool isWeight =
      layer.role == BOOSTC_ROLE_WEIGHT || layer.role == BOOSTC_ROLE_EMBEDDING;
  double coefficient = layer.getNumber("trust_coefficient");
  Value ratio = isWeight
                    ? TrustRatioOp::create(
                          b, layer.loc, SquaredNormOp::create(b, layer.loc, w),
                          SquaredNormOp::create(b, layer.loc, g),
                          b.getF64FloatAttr(coefficient), decay,
                          b.getF64FloatAttr(layer.getNumber("epsilon")))
                          .getResult()
                    : arith::ConstantOp::create(
                          b, layer.loc,
                          DenseElementsAttr::get(
                              RankedTensorType::get({}, b.getF32Type()), 1.0f))
                          .getResult();
  auto op = LarsOp::create(
      b, layer.loc, w, g, layer.inputs[2], ratio, *velocity, layer.applied,
      b.getF64FloatAttr(layer.getNumber("momentum")), decay, UnitAttr());
  return SmallVector<Value>(op.getResults());
}
