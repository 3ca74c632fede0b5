#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// 1 + exp(-x), what the logistic function divides by.
static Value buildLogisticDivisor(OpBuilder &b, Location loc, Value x) {
  Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
  return arith::AddFOp::create(b, loc, buildConstant(b, loc, 1.0), power);
}

//===----------------------------------------------------------------------===//
// nn.silu
//===----------------------------------------------------------------------===//

LogicalResult SiluOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] / (1.0 + std::exp(-args[0]));
  });
}

SmallVector<Value> SiluOp::savedForBackward() { return {getInput()}; }

LogicalResult SiluOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = SiluGradOp::create(
      context.builder, context.loc, context.gradResults[0], getInput());
  return success();
}

FailureOr<SmallVector<Value>> SiluOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::DivFOp::create(b, loc, args[0],
                                     buildLogisticDivisor(b, loc, args[0]));
      });
}

int64_t SiluOp::getFlops() { return 4 * getType().getNumElements(); }

std::vector<LayerSpec> SiluOp::getLayerSpecs() {
  return {{"silu", LayerSpec::Kind::Layer,
           "Sigmoid linear unit (swish), `y = x / (1 + exp(-x))`."}};
}

FailureOr<SmallVector<Value>> SiluOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      SiluOp::create(layer.builder, layer.loc, layer.inputs[0])};
}

//===----------------------------------------------------------------------===//
// nn.silu_grad
//===----------------------------------------------------------------------===//

LogicalResult SiluGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    double s = 1.0 / (1.0 + std::exp(-args[1]));
    return args[0] * (s * (1.0 + args[1] * (1.0 - s)));
  });
}

FailureOr<SmallVector<Value>> SiluGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value one = buildConstant(b, loc, 1.0);
        Value s = arith::DivFOp::create(b, loc, one,
                                        buildLogisticDivisor(b, loc, args[1]));
        Value rest = arith::MulFOp::create(
            b, loc, args[1], arith::SubFOp::create(b, loc, one, s));
        Value slope = arith::MulFOp::create(
            b, loc, s, arith::AddFOp::create(b, loc, one, rest));
        return arith::MulFOp::create(b, loc, args[0], slope);
      });
}

int64_t SiluGradOp::getFlops() { return 8 * getType().getNumElements(); }
