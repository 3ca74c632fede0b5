#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.square
//===----------------------------------------------------------------------===//

LogicalResult SquareOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  for (double &x : result.data)
    x *= x;
  results.push_back(std::move(result));
  return success();
}

SmallVector<Value> SquareOp::savedForBackward() { return {getInput()}; }

LogicalResult SquareOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = SquareGradOp::create(
      context.builder, context.loc, context.gradResults[0], getInput());
  return success();
}

FailureOr<SmallVector<Value>> SquareOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getType(), getInput(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::MulFOp::create(b, loc, args[0], args[0]);
      })};
}

int64_t SquareOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> SquareOp::getLayerSpecs() {
  return {
      {"square", LayerSpec::Kind::Layer, "Elementwise square, `y = x * x`."}};
}

FailureOr<SmallVector<Value>> SquareOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      SquareOp::create(layer.builder, layer.loc, layer.inputs[0])};
}

//===----------------------------------------------------------------------===//
// nn.square_grad
//===----------------------------------------------------------------------===//

LogicalResult SquareGradOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  for (int64_t i = 0; i < result.size(); ++i)
    result.data[i] *= 2.0 * operands[1].data[i];
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> SquareGradOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getType(), {getGradient(), getInput()},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value slope = arith::AddFOp::create(b, loc, args[1], args[1]);
        return arith::MulFOp::create(b, loc, args[0], slope);
      })};
}

int64_t SquareGradOp::getFlops() { return 2 * getType().getNumElements(); }
