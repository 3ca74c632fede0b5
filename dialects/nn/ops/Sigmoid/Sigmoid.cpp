#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.sigmoid
//===----------------------------------------------------------------------===//

LogicalResult SigmoidOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return 1.0 / (1.0 + std::exp(-args[0]));
  });
}

SmallVector<Value> SigmoidOp::savedForBackward() { return {getResult()}; }

LogicalResult SigmoidOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = SigmoidGradOp::create(
      context.builder, context.loc, context.gradResults[0], getResult());
  return success();
}

FailureOr<SmallVector<Value>> SigmoidOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value one = buildConstant(b, loc, 1.0);
        Value power =
            math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, args[0]));
        return arith::DivFOp::create(b, loc, one,
                                     arith::AddFOp::create(b, loc, one, power));
      });
}

int64_t SigmoidOp::getFlops() { return 4 * getType().getNumElements(); }

std::vector<LayerSpec> SigmoidOp::getLayerSpecs() {
  return {{"sigmoid", LayerSpec::Kind::Layer,
           "Logistic function, `y = 1 / (1 + exp(-x))`."}};
}

FailureOr<SmallVector<Value>> SigmoidOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      SigmoidOp::create(layer.builder, layer.loc, layer.inputs[0])};
}

//===----------------------------------------------------------------------===//
// nn.sigmoid_grad
//===----------------------------------------------------------------------===//

LogicalResult
SigmoidGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] * args[1] * (1.0 - args[1]);
  });
}

FailureOr<SmallVector<Value>> SigmoidGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value rest =
            arith::SubFOp::create(b, loc, buildConstant(b, loc, 1.0), args[1]);
        Value slope = arith::MulFOp::create(b, loc, args[1], rest);
        return arith::MulFOp::create(b, loc, args[0], slope);
      });
}

int64_t SigmoidGradOp::getFlops() { return 3 * getType().getNumElements(); }
