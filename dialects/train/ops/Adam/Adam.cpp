#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

/// share * mean + (1 - share) * x.
template <typename T> static T average(T mean, T x, double share) {
  // 1 - share in double: rounded once, it is not a difference of close numbers.
  T added = T::constant(1.0 - share) * x;
  return T::constant(share) * mean + added;
}

static auto getRule(AdamOp op) {
  double beta1 = op.getBeta1().convertToDouble();
  double beta2 = op.getBeta2().convertToDouble();
  double epsilon = op.getEpsilon().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  bool isDecoupled = op.getDecoupled();
  return [=]<typename T>(ArrayRef<T> x) -> SmallVector<T> {
    T w = x[0], g = x[1], rate = x[2], c1 = x[3], c2 = x[4];
    if (!isDecoupled)
      g = addDecay(g, w, decay);
    T first = dropSubnormal(average(x[5], g, beta1));
    T second = average(x[6], g * g, beta2);
    T scale = sqrt(second / c2) + T::constant(epsilon);
    T corrected = first / c1;
    // A root is not negative, and rounding keeps an order.
    T descent = divide(corrected, scale, epsilon * (1.0 - kUnitRoundoff));
    if (isDecoupled)
      descent = addDecay(descent, w, decay);
    return {w - rate * descent, first, second};
  };
}

SmallVector<Value> AdamOp::buildScalarRule(OpBuilder &builder,
                                           ValueRange operands) {
  return emitRule(builder, getLoc(), operands, getRule(*this));
}

void AdamOp::evaluateRule(ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue w = operands[0], m = operands[5], v = operands[6];
  double rate = operands[2].item(), c1 = operands[3].item();
  double c2 = operands[4].item(), decay = getWeightDecay().convertToDouble();
  double beta1 = getBeta1().convertToDouble();
  double beta2 = getBeta2().convertToDouble();
  for (int64_t i = 0; i < w.size(); ++i) {
    double decayed = decay * w.data[i];
    double g = operands[1].data[i] + (getDecoupled() ? 0.0 : decayed);
    m.data[i] = dropSubnormal(beta1 * m.data[i] + (1.0 - beta1) * g);
    v.data[i] = beta2 * v.data[i] + (1.0 - beta2) * g * g;
    double step = m.data[i] / c1 /
                  (std::sqrt(v.data[i] / c2) + getEpsilon().convertToDouble());
    w.data[i] -= rate * (step + (getDecoupled() ? decayed : 0.0));
  }
  results.append({std::move(w), std::move(m), std::move(v)});
}

ErrorBounds AdamOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue> results) {
  return boundRule(operands, results.size(), getRule(*this));
}

std::vector<LayerSpec> AdamOp::getLayerSpecs() {
  auto describe = [](StringRef name, StringRef summary, StringRef decay,
                     StringRef convention) {
    LayerSpec spec{name, LayerSpec::Kind::Optimizer, summary};
    spec.keys = {
        {"learning_rate", KeyType::Rate, "Step size `lr`.", {}, 0.0},
        {"beta1", KeyType::Number, "Share of the mean that is kept.", "0.9",
         0.0, 0.999999},
        {"beta2", KeyType::Number, "Share of the mean square that is kept.",
         "0.999", 0.0, 0.999999999},
        {"epsilon", KeyType::Number, "Added to the root.", "1e-8", 0.0},
        {"weight_decay", KeyType::Number, "Weight decay.", decay, 0.0},
        {.name = "decay",
         .type = KeyType::Choice,
         .doc = "`coupled`: decay is added to the gradient and so to the "
                "moments. `decoupled`: weights decay separately, `w = w - lr * "
                "(... + weight_decay * w)`.",
         .defaultValue = convention,
         .choices = {"coupled", "decoupled"}}};
    return spec;
  };
  return {describe("adam",
                   "Adam, `m = beta1 * m + (1 - beta1) * g`, `v = beta2 * v + "
                   "(1 - beta2) * g^2`, `w = w - lr * (m / (1 - beta1^t)) / "
                   "(sqrt(v / (1 - beta2^t)) + epsilon)` at update t.",
                   "0.0", "\"coupled\""),
          describe("adamw", "Adam with decoupled weight decay.", "0.01",
                   "\"decoupled\"")};
}

FailureOr<SmallVector<Value>> AdamOp::buildLayer(LayerBuilder &layer) {
  return buildAdam(layer, layer.inputs[2],
                   layer.getChoice("decay") == "decoupled");
}

FailureOr<SmallVector<Value>>
boostc::train::buildAdam(LayerBuilder &layer, Value rate, bool decoupled) {
  OpBuilder &b = layer.builder;
  double beta1 = layer.getNumber("beta1"), beta2 = layer.getNumber("beta2");
  FailureOr<Value> first = layer.state("first_moment");
  if (failed(first))
    return failure();
  FailureOr<Value> second = layer.state("second_moment");
  if (failed(second))
    return failure();
  Value steps = layer.appliedSteps();
  auto correct = [&](double beta) -> Value {
    return OneMinusPowerOp::create(b, steps.getLoc(), rate.getType(), steps,
                                   b.getF64FloatAttr(beta));
  };
  Value correction1 = correct(beta1), correction2 = correct(beta2);
  auto op = AdamOp::create(
      b, layer.loc, layer.inputs[0], layer.inputs[1], rate, correction1,
      correction2, *first, *second, layer.applied, b.getF64FloatAttr(beta1),
      b.getF64FloatAttr(beta2), b.getF64FloatAttr(layer.getNumber("epsilon")),
      b.getF64FloatAttr(layer.getNumber("weight_decay")),
      decoupled ? b.getUnitAttr() : UnitAttr(), UnitAttr());
  return SmallVector<Value>(op.getResults());
}
