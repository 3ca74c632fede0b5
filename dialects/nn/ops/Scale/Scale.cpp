#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

ScalarRule ScaleOp::getScalarRule() {
  double factor = getFactor().convertToDouble();
  return {
      .build = [=](Scalars x) { return factor * x[0]; },
      .evaluate = [=](Numbers x) { return factor * x[0]; },
      .bound =
          [=](Approximates x) { return Approximate::constant(factor) * x[0]; }};
}

LogicalResult ScaleOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = ScaleOp::create(
      context.builder, context.loc, context.gradResults[0], getFactorAttr());
  return success();
}

std::vector<LayerSpec> ScaleOp::getLayerSpecs() {
  LayerSpec spec{"scale", LayerSpec::Kind::Layer,
                 "Multiplies by a number, `y = factor * x`."};
  spec.keys = {{"factor", KeyType::Number, "The number."}};
  return {spec};
}

FailureOr<SmallVector<Value>> ScaleOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{ScaleOp::create(
      layer.builder, layer.loc, layer.inputs[0],
      layer.builder.getF64FloatAttr(layer.getNumber("factor")))};
}
