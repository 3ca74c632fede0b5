#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult SubOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] - args[1];
  });
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

FailureOr<SmallVector<Value>> SubOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::SubFOp::create(b, loc, args[0], args[1]);
      });
}

int64_t SubOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> SubOp::getLayerSpecs() {
  LayerSpec spec{"sub", LayerSpec::Kind::Layer,
                 "Difference of two values of the same shape, `y = a - b`."};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> SubOp::buildLayer(LayerBuilder &layer) {
  return buildBinaryLayer<SubOp>(layer);
}
