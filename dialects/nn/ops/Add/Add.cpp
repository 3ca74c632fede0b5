#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult AddOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue sum = operands[0];
  for (int64_t i = 0; i < sum.size(); ++i)
    sum.data[i] += operands[1].data[i];
  results.push_back(std::move(sum));
  return success();
}

LogicalResult AddOp::buildBackward(BackwardContext &context) {
  for (unsigned i = 0; i < 2; ++i)
    if (context.needed[i])
      context.gradOperands[i] = context.gradResults[0];
  return success();
}

FailureOr<SmallVector<Value>> AddOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getType(), {getLhs(), getRhs()},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::AddFOp::create(b, loc, args[0], args[1]);
      })};
}

int64_t AddOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> AddOp::getLayerSpecs() {
  LayerSpec spec{"add", LayerSpec::Kind::Layer,
                 "Sum of two values of the same shape, `y = a + b`."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> AddOp::buildLayer(LayerBuilder &layer) {
  if (layer.inputs[0].getType() != layer.inputs[1].getType())
    return layer.emitError("inputs")
           << "add needs two inputs of the same shape, found "
           << layer.inputs[0].getType() << " and " << layer.inputs[1].getType()
           << " with the batch; one of the layers that make them must change";
  return SmallVector<Value>{AddOp::create(layer.builder, layer.loc,
                                          layer.inputs[0], layer.inputs[1])};
}
