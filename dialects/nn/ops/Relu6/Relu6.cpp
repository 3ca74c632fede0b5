#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include <algorithm>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.relu6
//===----------------------------------------------------------------------===//

LogicalResult Relu6Op::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return std::min(std::max(args[0], 0.0), 6.0);
  });
}

SmallVector<Value> Relu6Op::savedForBackward() { return {getResult()}; }

LogicalResult Relu6Op::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = Relu6GradOp::create(
      context.builder, context.loc, context.gradResults[0], getResult());
  return success();
}

FailureOr<SmallVector<Value>> Relu6Op::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value positive = arith::MaximumFOp::create(b, loc, args[0],
                                                   buildConstant(b, loc, 0.0));
        return arith::MinimumFOp::create(b, loc, positive,
                                         buildConstant(b, loc, 6.0));
      });
}

int64_t Relu6Op::getFlops() { return 2 * getType().getNumElements(); }

std::vector<LayerSpec> Relu6Op::getLayerSpecs() {
  return {{"relu6", LayerSpec::Kind::Layer,
           "Rectifier that ends at 6, `y = min(max(x, 0), 6)`."}};
}

FailureOr<SmallVector<Value>> Relu6Op::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      Relu6Op::create(layer.builder, layer.loc, layer.inputs[0])};
}

//===----------------------------------------------------------------------===//
// nn.relu6_grad
//===----------------------------------------------------------------------===//

LogicalResult Relu6GradOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [](ArrayRef<double> args) {
    return args[1] > 0.0 && args[1] < 6.0 ? args[0] : 0.0;
  });
}

FailureOr<SmallVector<Value>> Relu6GradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = buildConstant(b, loc, 0.0);
        Value isAbove = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                              args[1], zero);
        Value isBelow =
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, args[1],
                                  buildConstant(b, loc, 6.0));
        Value passes = arith::AndIOp::create(b, loc, isAbove, isBelow);
        return arith::SelectOp::create(b, loc, passes, args[0], zero);
      });
}

int64_t Relu6GradOp::getFlops() { return 2 * getType().getNumElements(); }
