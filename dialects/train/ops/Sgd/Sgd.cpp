#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

SmallVector<Value> SgdOp::buildScalarRule(OpBuilder &builder,
                                          ValueRange operands) {
  Value w = operands[0], g = operands[1], rate = operands[2];
  Value direction = buildCoupledDecay(builder, getLoc(), g, w,
                                      getWeightDecay().convertToDouble());
  return {buildDescent(builder, getLoc(), w, rate, direction)};
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
                               ArrayRef<ReferenceValue>) {
  return boundElements(
      operands, 1, [&](Approximates x, MutableArrayRef<Approximate> y) {
        y[0] = x[0] - x[2] * addDecay(x[1], x[0], getWeightDecay());
      });
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
