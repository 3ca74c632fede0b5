#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult ScaleOp::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  double factor = getFactor().convertToDouble();
  return evaluateElementwise(operands, results, [=](ArrayRef<double> args) {
    return factor * args[0];
  });
}

LogicalResult ScaleOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = ScaleOp::create(
      context.builder, context.loc, context.gradResults[0], getFactorAttr());
  return success();
}

FailureOr<SmallVector<Value>> ScaleOp::lowerToLinalg(OpBuilder &builder) {
  double factor = getFactor().convertToDouble();
  return lowerElementwise(
      *this, builder,
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::MulFOp::create(
            b, loc, buildRoundedConstant(b, loc, factor), args[0]);
      });
}

int64_t ScaleOp::getFlops() { return getType().getNumElements(); }

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
