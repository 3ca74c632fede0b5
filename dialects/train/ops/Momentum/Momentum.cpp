#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static auto getRule(MomentumOp op) {
  double momentum = op.getMomentum().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  bool isDecoupled = op.getDecoupled(), isNesterov = op.getNesterov();
  return [=]<typename T>(ArrayRef<T> x) -> SmallVector<T> {
    T w = x[0], g = x[1], rate = x[2], v = x[3];
    T direction = isDecoupled ? g : addDecay(g, w, decay);
    T share = T::constant(momentum);
    T velocity = dropSubnormal(share * v + direction);
    T descent = isNesterov ? direction + share * velocity : velocity;
    if (isDecoupled)
      descent = addDecay(descent, w, decay);
    return {w - rate * descent, velocity};
  };
}

SmallVector<Value> MomentumOp::buildScalarRule(OpBuilder &builder,
                                               ValueRange operands) {
  return emitRule(builder, getLoc(), operands, getRule(*this));
}

void MomentumOp::evaluateRule(ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue w = operands[0], v = operands[3];
  double rate = operands[2].item(), momentum = getMomentum().convertToDouble();
  double decay = getWeightDecay().convertToDouble();
  for (int64_t i = 0; i < w.size(); ++i) {
    double decayed = decay * w.data[i];
    double direction = operands[1].data[i] + (getDecoupled() ? 0.0 : decayed);
    v.data[i] = dropSubnormal(momentum * v.data[i] + direction);
    double descent =
        getNesterov() ? direction + momentum * v.data[i] : v.data[i];
    w.data[i] -= rate * (descent + (getDecoupled() ? decayed : 0.0));
  }
  results.push_back(std::move(w));
  results.push_back(std::move(v));
}

ErrorBounds MomentumOp::boundErrors(ReferenceContext &,
                                    ArrayRef<Bounded> operands,
                                    ArrayRef<ReferenceValue> results) {
  return boundRule(operands, results.size(), getRule(*this));
}

std::vector<LayerSpec> MomentumOp::getLayerSpecs() {
  LayerSpec spec{
      "momentum", LayerSpec::Kind::Optimizer,
      "Gradient descent with momentum, `v = momentum * v + g + weight_decay * "
      "w`, `w = w - lr * v`."};
  spec.keys = {
      {"learning_rate", KeyType::Rate, "Step size `lr`.", {}, 0.0},
      {"momentum", KeyType::Number, "Share of the velocity that is kept.",
       "0.9", 0.0, 1.0},
      {"weight_decay", KeyType::Number, "Weight decay.", "0.0", 0.0},
      {.name = "decay",
       .type = KeyType::Choice,
       .doc =
           "`coupled`: decay is added to the gradient and so to the velocity. "
           "`decoupled`: the velocity is free of it, `w = w - lr * (v + "
           "weight_decay * "
           "w)`.",
       .defaultValue = "\"coupled\"",
       .choices = {"coupled", "decoupled"}},
      {"nesterov", KeyType::Boolean,
       "Go along the gradient ahead, `w = w - lr * (g + momentum * v)`.",
       "false"}};
  return {spec};
}

FailureOr<SmallVector<Value>> MomentumOp::buildLayer(LayerBuilder &layer) {
  OpBuilder &b = layer.builder;
  FailureOr<Value> velocity = layer.state("momentum");
  if (failed(velocity))
    return failure();
  auto op = MomentumOp::create(
      b, layer.loc, layer.inputs[0], layer.inputs[1], layer.inputs[2],
      *velocity, layer.applied, b.getF64FloatAttr(layer.getNumber("momentum")),
      b.getF64FloatAttr(layer.getNumber("weight_decay")),
      layer.getChoice("decay") == "decoupled" ? b.getUnitAttr() : UnitAttr(),
      layer.getBoolean("nesterov") ? b.getUnitAttr() : UnitAttr(), UnitAttr());
  return SmallVector<Value>(op.getResults());
}
