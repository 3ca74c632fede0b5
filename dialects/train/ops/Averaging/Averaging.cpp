// Means over the samples of a step, by micro-batch and rank.

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

//===----------------------------------------------------------------------===//
// train.divide_gradient
//===----------------------------------------------------------------------===//

LogicalResult
DivideGradientOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue mean = operands[0];
  for (double &element : mean.data)
    element /= std::max(operands[1].item(), 1.0);
  results.push_back(std::move(mean));
  return success();
}

ErrorBounds DivideGradientOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue>) {
  // By a number of samples, which is exact.
  Approximate count(std::max(operands[1].value.item(), 1.0));
  return boundElements(operands.take_front(), 1,
                       [=](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[0] / count;
                         y[0].error += kUnderflow;
                       });
}

Value DivideGradientOp::buildScalarTransform(OpBuilder &builder,
                                             ValueRange operands) {
  Location loc = getLoc();
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  Value samples = arith::MaxSIOp::create(builder, loc, operands[1], one);
  Value count =
      arith::SIToFPOp::create(builder, loc, operands[0].getType(), samples);
  return arith::DivFOp::create(builder, loc, operands[0], count);
}

//===----------------------------------------------------------------------===//
// train.has_samples
//===----------------------------------------------------------------------===//

LogicalResult HasSamplesOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(ReferenceValue::scalar(operands[0].item() > 0 ? 1.0 : 0.0));
  return success();
}

ErrorBounds HasSamplesOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                      ArrayRef<ReferenceValue>) {
  return {}; // integers
}

FailureOr<SmallVector<Value>> HasSamplesOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), RankedTensorType::get({}, builder.getI64Type()),
      getCount(), [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value none = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
        Value has = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          args[0], none);
        return arith::ExtUIOp::create(b, loc, b.getI64Type(), has);
      })};
}
