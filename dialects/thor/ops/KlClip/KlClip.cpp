#include "dialects/thor/ThorDialect.h"
#include "dialects/train/OptimizerHelpers.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

//===----------------------------------------------------------------------===//
// thor.kl_divergence
//===----------------------------------------------------------------------===//

int64_t KlDivergenceOp::getFlops() {
  return 2 * getGradient().getType().getNumElements();
}

LogicalResult
KlDivergenceOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  double sum = 0.0, rate = operands[2].item();
  for (auto [p, g] : llvm::zip_equal(operands[0].data, operands[1].data))
    sum += p * g;
  results.push_back(ReferenceValue::scalar(rate * rate * sum));
  return success();
}

ErrorBounds KlDivergenceOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue>) {
  Approximate sum = train::boundInnerProduct(operands[0], operands[1]);
  Approximate rate = operands[2].at(0);
  return {{(rate * rate * sum).error}};
}

FailureOr<SmallVector<Value>>
KlDivergenceOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto number = RankedTensorType::get({}, builder.getF32Type());
  Value sum = train::buildInnerProduct(builder, loc, getPreconditioned(),
                                       getGradient());
  return SmallVector<Value>{buildElementwise(
      builder, loc, number, {sum, getRate()},
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        Scalar product(args[0], emitter), rate(args[1], emitter);
        Scalar square = rate * rate;
        return (square * product).get(emitter);
      })};
}

//===----------------------------------------------------------------------===//
// thor.kl_factor
//===----------------------------------------------------------------------===//

LogicalResult KlFactorOp::verify() {
  double limit = getLimit().convertToDouble();
  if (!(limit > 0.0))
    return emitOpError("expected a positive limit, found ") << limit;
  return success();
}

LogicalResult KlFactorOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  double sum = 0.0, limit = getLimit().convertToDouble();
  for (const ReferenceValue &divergence : operands)
    sum += divergence.item();
  results.push_back(ReferenceValue::scalar(
      sum > 0.0 ? std::min(1.0, std::sqrt(limit / sum)) : 1.0));
  return success();
}

ErrorBounds KlFactorOp::boundErrors(ReferenceContext &,
                                    ArrayRef<Bounded> operands,
                                    ArrayRef<ReferenceValue>) {
  ApproximateSum sum;
  for (const Bounded &divergence : operands)
    sum.add(divergence.at(0));
  Approximate total = sum.get();
  if (total.high() <= 0.0)
    return {}; // 1
  Approximate limit = Approximate::constant(getLimit().convertToDouble());
  Approximate factor =
      min(sqrt(divide(limit, total, std::max(total.low(), 0.0))), 1.0);
  if (total.value <= 0.0)
    factor.value = 1.0;
  return {{train::boundShareError(factor)}};
}

FailureOr<SmallVector<Value>> KlFactorOp::lowerToLinalg(OpBuilder &builder) {
  double limit = getLimit().convertToDouble();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), RankedTensorType::get({}, builder.getF32Type()),
      getDivergences(),
      [=](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        Scalar sum = 0.0;
        for (Value divergence : args.drop_back())
          sum = sum + Scalar(divergence, emitter);
        Scalar factor = min(sqrt(limit / sum), 1.0);
        return select(sum > 0.0, factor, 1.0).get(emitter);
      })};
}
