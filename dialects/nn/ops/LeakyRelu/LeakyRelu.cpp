#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult LeakyReluOp::verify() {
  if (double slope = getSlope().convertToDouble(); !(slope >= 0.0))
    return emitOpError("expected a slope of 0 or more, found ") << slope;
  return success();
}

ScalarRule LeakyReluOp::getScalarRule() {
  double slope = getSlope().convertToDouble();
  return {
      .flops = 2,
      .build =
          [=](Scalars x) {
            ScalarCondition isPositive = x[0] > 0.0;
            return select(isPositive, x[0], slope * x[0]);
          },
      .evaluate = [=](Numbers x) { return x[0] > 0.0 ? x[0] : slope * x[0]; },
      .bound =
          [=](Approximates x) {
            Approximate leak = Approximate::constant(slope) * x[0];
            leak.error += x[0].error;
            return x[0].low() > 0.0 ? x[0] : leak;
          }};
}

ScalarRule LeakyReluOp::getGradientRule() {
  double slope = getSlope().convertToDouble();
  return {
      .flops = 2,
      .build =
          [=](Scalars x) {
            ScalarCondition isPositive = x[1] > 0.0;
            return select(isPositive, x[0], slope * x[0]);
          },
      .evaluate = [=](Numbers x) { return x[1] > 0.0 ? x[0] : slope * x[0]; },
      .bound =
          [=](Approximates x) {
            Approximate leak = Approximate::constant(slope) * x[0];
            if (std::abs(x[1].value) <= x[1].error && x[1].error > 0.0)
              return Approximate(0.0, x[0].magnitude() + leak.magnitude());
            return x[1].value > 0.0 ? x[0] : leak;
          }};
}

std::vector<LayerSpec> LeakyReluOp::getLayerSpecs() {
  LayerSpec spec{"leaky_relu", LayerSpec::Kind::Layer,
                 "Leaky rectifier, `y = x > 0 ? x : negative_slope * x`."};
  spec.keys = {{"negative_slope", KeyType::Number, "Slope left of zero.",
                "0.01", 0.0, 1.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> LeakyReluOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{LeakyReluOp::create(
      layer.builder, layer.loc, layer.inputs[0],
      layer.builder.getF64FloatAttr(layer.getNumber("negative_slope")))};
}
