#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult AddOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] + args[1];
  });
}

LogicalResult AddOp::buildBackward(BackwardContext &context) {
  for (unsigned i = 0; i < 2; ++i)
    if (context.needed[i])
      context.gradOperands[i] = context.gradResults[0];
  return success();
}

FailureOr<SmallVector<Value>> AddOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::AddFOp::create(b, loc, args[0], args[1]);
      });
}

int64_t AddOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> AddOp::getLayerSpecs() {
  LayerSpec spec{"add", LayerSpec::Kind::Layer,
                 "Sum of two values of the same shape, `y = a + b`."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> AddOp::buildLayer(LayerBuilder &layer) {
  return buildBinaryLayer<AddOp>(layer);
}
