#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult MulOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] * args[1];
  });
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

FailureOr<SmallVector<Value>> MulOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::MulFOp::create(b, loc, args[0], args[1]);
      });
}

int64_t MulOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> MulOp::getLayerSpecs() {
  LayerSpec spec{
      "mul", LayerSpec::Kind::Layer,
      "Product of two values of the same shape, elementwise, `y = a * b`."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> MulOp::buildLayer(LayerBuilder &layer) {
  return buildBinaryLayer<MulOp>(layer);
}
