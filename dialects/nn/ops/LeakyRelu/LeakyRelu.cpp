#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult LeakyReluOp::verify() {
  if (double slope = getSlope().convertToDouble(); !(slope >= 0.0))
    return emitOpError("expected a slope of 0 or more, found ") << slope;
  return success();
}

/// `value` where `deciding` is above zero, else slope * value.
static Scalar leak(Scalar deciding, Scalar value, double slope) {
  ScalarCondition isPositive = deciding > 0.0;
  return select(isPositive, value, slope * value);
}
static double leak(double deciding, double value, double slope) {
  return deciding > 0.0 ? value : slope * value;
}

ScalarRule LeakyReluOp::getScalarRule() {
  double slope = getSlope().convertToDouble();
  return {.flops = 2,
          .build = [=](Scalars x) { return leak(x[0], x[0], slope); },
          .evaluate = [=](Numbers x) { return leak(x[0], x[0], slope); },
          .bound =
              [=](Approximates x) {
                Approximate leaked = Approximate::constant(slope) * x[0];
                leaked.error += x[0].error;
                return x[0].low() > 0.0 ? x[0] : leaked;
              }};
}

ScalarRule LeakyReluOp::getGradientRule() {
  double slope = getSlope().convertToDouble();
  return {.flops = 2,
          .build = [=](Scalars x) { return leak(x[1], x[0], slope); },
          .evaluate = [=](Numbers x) { return leak(x[1], x[0], slope); },
          .bound =
              [=](Approximates x) {
                Approximate leaked = Approximate::constant(slope) * x[0];
                if (std::abs(x[1].value) <= x[1].error && x[1].error > 0.0)
                  return Approximate(0.0,
                                     x[0].magnitude() + leaked.magnitude());
                return x[1].value > 0.0 ? x[0] : leaked;
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
