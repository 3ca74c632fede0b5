#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

ScalarRule MulOp::getScalarRule() {
  return {.build = [](Scalars x) { return x[0] * x[1]; },
          .evaluate = [](Numbers x) { return x[0] * x[1]; },
          .bound = [](Approximates x) { return x[0] * x[1]; }};
}

SmallVector<Value> MulOp::savedForBackward() { return {getLhs(), getRhs()}; }

LogicalResult MulOp::buildBackward(BackwardContext &context) {
  Value others[] = {getRhs(), getLhs()};
  for (unsigned i : {0, 1})
    if (context.needed[i])
      context.gradOperands[i] = MulOp::create(
          context.builder, context.loc, context.gradResults[0], others[i]);
  return success();
}

std::vector<LayerSpec> MulOp::getLayerSpecs() {
  LayerSpec spec{
      "mul", LayerSpec::Kind::Layer,
      "Product of two values, elementwise, `y = a * b`. An extent of 1 is "
      "repeated as often as the other value has it."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> MulOp::buildLayer(LayerBuilder &layer) {
  return buildBinaryLayer<MulOp>(layer);
}
