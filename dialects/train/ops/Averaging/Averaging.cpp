// Means over the samples of a step, by micro-batch and rank.

#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

//===----------------------------------------------------------------------===//
// train.divide_gradient
//===----------------------------------------------------------------------===//

ParseResult boostc::train::parseDivisor(OpAsmParser &parser,
                                        OpAsmParser::UnresolvedOperand &divisor,
                                        Type &type) {
  Builder &b = parser.getBuilder();
  bool isWeight = succeeded(parser.parseOptionalKeyword("weight"));
  type = RankedTensorType::get({}, isWeight ? Type(b.getF32Type())
                                            : Type(b.getI64Type()));
  return parser.parseOperand(divisor);
}

void boostc::train::printDivisor(OpAsmPrinter &printer, Operation *,
                                 Value divisor, Type type) {
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    printer << "weight ";
  printer << divisor;
}

/// What gradients are divided by: 1 for no sample, infinity for no weight.
static double getDivisor(DivideGradientOp op, double count) {
  if (isa<FloatType>(getElementTypeOrSelf(op.getCount())))
    return count == 0.0 ? std::numeric_limits<double>::infinity() : count;
  return std::max(count, 1.0);
}

LogicalResult
DivideGradientOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue mean = operands[0];
  for (double &element : mean.data)
    element /= getDivisor(*this, operands[1].item());
  results.push_back(std::move(mean));
  return success();
}

ErrorBounds DivideGradientOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue>) {
  // A number of samples is exact.
  Approximate count(getDivisor(*this, operands[1].value.item()));
  count.error = operands[1].at(0).error;
  return boundElements(operands.take_front(), 1,
                       [=](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[0] / count;
                         y[0].error += kUnderflow;
                       });
}

Value DivideGradientOp::buildScalarTransform(OpBuilder &builder,
                                             ValueRange operands) {
  Location loc = getLoc();
  if (isa<FloatType>(operands[1].getType())) {
    Value zero = buildConstant(builder, loc, 0.0);
    Value isNone = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, operands[1], zero);
    Value mean = arith::DivFOp::create(builder, loc, operands[0], operands[1]);
    return arith::SelectOp::create(builder, loc, isNone, zero, mean);
  }
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
        Value has = buildHasSamples(b, loc, args[0]);
        return arith::ExtUIOp::create(b, loc, b.getI64Type(), has);
      })};
}
