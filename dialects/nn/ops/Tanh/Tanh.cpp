#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.tanh
//===----------------------------------------------------------------------===//

LogicalResult TanhOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return std::tanh(args[0]);
  });
}

SmallVector<Value> TanhOp::savedForBackward() { return {getResult()}; }

LogicalResult TanhOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = TanhGradOp::create(
      context.builder, context.loc, context.gradResults[0], getResult());
  return success();
}

FailureOr<SmallVector<Value>> TanhOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return math::TanhOp::create(b, loc, args[0]);
      });
}

int64_t TanhOp::getFlops() { return 8 * getType().getNumElements(); }

std::vector<LayerSpec> TanhOp::getLayerSpecs() {
  return {
      {"tanh", LayerSpec::Kind::Layer, "Hyperbolic tangent, `y = tanh(x)`."}};
}

FailureOr<SmallVector<Value>> TanhOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      TanhOp::create(layer.builder, layer.loc, layer.inputs[0])};
}

//===----------------------------------------------------------------------===//
// nn.tanh_grad
//===----------------------------------------------------------------------===//

LogicalResult TanhGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] * (1.0 - args[1] * args[1]);
  });
}

FailureOr<SmallVector<Value>> TanhGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value square = arith::MulFOp::create(b, loc, args[1], args[1]);
        Value slope =
            arith::SubFOp::create(b, loc, buildConstant(b, loc, 1.0), square);
        return arith::MulFOp::create(b, loc, args[0], slope);
      });
}

int64_t TanhGradOp::getFlops() { return 3 * getType().getNumElements(); }
