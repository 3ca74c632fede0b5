#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// x > 0 ? value : slope * value.
static Value buildLeak(OpBuilder &b, Location loc, Value x, Value value,
                       double slope) {
  Value isPositive = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x,
                                           buildConstant(b, loc, 0.0));
  Value leak =
      arith::MulFOp::create(b, loc, buildRoundedConstant(b, loc, slope), value);
  return arith::SelectOp::create(b, loc, isPositive, value, leak);
}

//===----------------------------------------------------------------------===//
// nn.leaky_relu
//===----------------------------------------------------------------------===//

LogicalResult LeakyReluOp::verify() {
  if (double slope = getSlope().convertToDouble(); !(slope >= 0.0))
    return emitOpError("expected a slope of 0 or more, found ") << slope;
  return success();
}

LogicalResult LeakyReluOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  double slope = getSlope().convertToDouble();
  return evaluateElementwise(operands, results, [=](ArrayRef<double> args) {
    return args[0] > 0.0 ? args[0] : slope * args[0];
  });
}

SmallVector<Value> LeakyReluOp::savedForBackward() { return {getInput()}; }

LogicalResult LeakyReluOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = LeakyReluGradOp::create(
      context.builder, context.loc, context.gradResults[0], getInput(),
      getSlopeAttr());
  return success();
}

FailureOr<SmallVector<Value>> LeakyReluOp::lowerToLinalg(OpBuilder &builder) {
  double slope = getSlope().convertToDouble();
  return lowerElementwise(
      *this, builder,
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return buildLeak(b, loc, args[0], args[0], slope);
      });
}

int64_t LeakyReluOp::getFlops() { return 2 * getType().getNumElements(); }

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

//===----------------------------------------------------------------------===//
// nn.leaky_relu_grad
//===----------------------------------------------------------------------===//

LogicalResult
LeakyReluGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  double slope = getSlope().convertToDouble();
  return evaluateElementwise(operands, results, [=](ArrayRef<double> args) {
    return args[1] > 0.0 ? args[0] : slope * args[0];
  });
}

FailureOr<SmallVector<Value>>
LeakyReluGradOp::lowerToLinalg(OpBuilder &builder) {
  double slope = getSlope().convertToDouble();
  return lowerElementwise(
      *this, builder,
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return buildLeak(b, loc, args[1], args[0], slope);
      });
}

int64_t LeakyReluGradOp::getFlops() { return 2 * getType().getNumElements(); }
