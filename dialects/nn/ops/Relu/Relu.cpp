#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.relu
//===----------------------------------------------------------------------===//

LogicalResult ReluOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[0] <= 0.0 ? 0.0 : args[0];
  });
}

SmallVector<Value> ReluOp::savedForBackward() { return {getResult()}; }

LogicalResult ReluOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = ReluGradOp::create(
      context.builder, context.loc, context.gradResults[0], getResult());
  return success();
}

FailureOr<SmallVector<Value>> ReluOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = buildConstant(b, loc, 0.0);
        // An ordered comparison: a NaN is not "<= 0" and passes through.
        Value isOff = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE,
                                            args[0], zero);
        return arith::SelectOp::create(b, loc, isOff, zero, args[0]);
      });
}

int64_t ReluOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> ReluOp::getLayerSpecs() {
  return {{"relu", LayerSpec::Kind::Layer,
           "Rectified linear unit, `y = max(x, 0)`."}};
}

FailureOr<SmallVector<Value>> ReluOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      ReluOp::create(layer.builder, layer.loc, layer.inputs[0])};
}

//===----------------------------------------------------------------------===//
// nn.relu_grad
//===----------------------------------------------------------------------===//

LogicalResult ReluGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[1] > 0.0 ? args[0] : 0.0;
  });
}

FailureOr<SmallVector<Value>> ReluGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = buildConstant(b, loc, 0.0);
        Value isOn = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                           args[1], zero);
        return arith::SelectOp::create(b, loc, isOn, args[0], zero);
      });
}

int64_t ReluGradOp::getFlops() { return getType().getNumElements(); }
