#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

ScalarRule AddOp::getScalarRule() {
  return {.build = [](Scalars x) { return x[0] + x[1]; },
          .evaluate = [](Numbers x) { return x[0] + x[1]; },
          .bound = [](Approximates x) { return x[0] + x[1]; }};
}

LogicalResult AddOp::buildBackward(BackwardContext &context) {
  for (unsigned i = 0; i < 2; ++i)
    if (context.needed[i])
      context.gradOperands[i] = context.gradResults[0];
  return success();
}

std::vector<LayerSpec> AddOp::getLayerSpecs() {
  LayerSpec spec{
      "add", LayerSpec::Kind::Layer,
      "Sum of two values, elementwise, `y = a + b`. An extent of 1 is "
      "repeated as often as the other value has it."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> AddOp::buildLayer(LayerBuilder &layer) {
  return buildBinaryLayer<AddOp>(layer);
}
