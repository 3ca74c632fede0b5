#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static auto getRule(SgdOp op) {
  double decay = op.getWeightDecay().convertToDouble();
  return [=]<typename T>(ArrayRef<T> x) -> SmallVector<T> {
    T w = x[0], g = x[1], rate = x[2];
    return {w - rate * addDecay(g, w, decay)};
  };
}

SmallVector<Value> SgdOp::buildScalarRule(OpBuilder &builder,
                                          ValueRange operands) {
  return emitRule(builder, getLoc(), operands, getRule(*this));
}

void SgdOp::evaluateRule(ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue w = operands[0];
  double rate = operands[2].item(), decay = getWeightDecay().convertToDouble();
  for (int64_t i = 0; i < w.size(); ++i)
    w.data[i] -= rate * (operands[1].data[i] + decay * w.data[i]);
  results.push_back(std::move(w));
}

ErrorBounds SgdOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                               ArrayRef<ReferenceValue> results) {
  return boundRule(operands, results.size(), getRule(*this));
}

std::vector<LayerSpec> SgdOp::getLayerSpecs() {
  LayerSpec spec{
      "sgd", LayerSpec::Kind::Optimizer,
      "Stochastic gradient descent, `w = w - lr * (g + weight_decay * w)`."};
  spec.keys = {
      {"learning_rate", KeyType::Rate, "Step size `lr`.", {}, 0.0},
      {"weight_decay", KeyType::Number, "Weight decay.", "0.0", 0.0},
      {.name = "decay",
       .type = KeyType::Choice,
       .doc = "`coupled` or `decoupled`: without momentum they are the same.",
       .defaultValue = "\"coupled\"",
       .choices = {"coupled", "decoupled"}}};
  return {spec};
}

FailureOr<SmallVector<Value>> SgdOp::buildLayer(LayerBuilder &layer) {
  OpBuilder &b = layer.builder;
  return SmallVector<Value>{SgdOp::create(
      b, layer.loc, layer.inputs[0], layer.inputs[1], layer.inputs[2],
      layer.applied, b.getF64FloatAttr(layer.getNumber("weight_decay")),
      UnitAttr())};
}
