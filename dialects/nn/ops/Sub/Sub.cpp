#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

ScalarRule SubOp::getScalarRule() {
  return {.build = [](Scalars x) { return x[0] - x[1]; },
          .evaluate = [](Numbers x) { return x[0] - x[1]; },
          .bound = [](Approximates x) { return x[0] - x[1]; }};
}

LogicalResult SubOp::buildBackward(BackwardContext &context) {
  if (context.needed[0])
    context.gradOperands[0] = context.gradResults[0];
  if (context.needed[1])
    context.gradOperands[1] =
        ScaleOp::create(context.builder, context.loc, context.gradResults[0],
                        context.builder.getF64FloatAttr(-1.0));
  return success();
}

std::vector<LayerSpec> SubOp::getLayerSpecs() {
  LayerSpec spec{
      "sub", LayerSpec::Kind::Layer,
      "Difference of two values, elementwise, `y = a - b`. An extent of 1 is "
      "repeated as often as the other value has it."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> SubOp::buildLayer(LayerBuilder &layer) {
  return buildBinaryLayer<SubOp>(layer);
}
