#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

//===----------------------------------------------------------------------===//
// train.count_applied
//===----------------------------------------------------------------------===//

LogicalResult
CountAppliedOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  bool isApplied = operands[1].item() != 0.0;
  results.push_back(ReferenceValue::scalar(operands[0].item() + isApplied));
  return success();
}

ErrorBounds CountAppliedOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                        ArrayRef<ReferenceValue>) {
  return {}; // integers
}

FailureOr<SmallVector<Value>>
CountAppliedOp::lowerToLinalg(OpBuilder &builder) {
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{getType()}, ValueRange{getApplied()},
      ValueRange{getSteps()},
      SmallVector<AffineMap>(2, builder.getMultiDimIdentityMap(0)),
      ArrayRef<utils::IteratorType>(),
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value isApplied = buildIsSet(b, loc, args[0]);
        Value step = arith::ExtUIOp::create(b, loc, b.getI64Type(), isApplied);
        linalg::YieldOp::create(
            b, loc, Value(arith::AddIOp::create(b, loc, args[1], step)));
      });
  return SmallVector<Value>{generic.getResult(0)};
}

//===----------------------------------------------------------------------===//
// train.one_minus_power
//===----------------------------------------------------------------------===//

LogicalResult OneMinusPowerOp::verify() {
  double base = getBase().convertToDouble();
  if (!(base >= 0.0 && base < 1.0))
    return emitOpError("expected a base of at least 0 and below 1, found ")
           << base;
  return success();
}

LogicalResult
OneMinusPowerOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  double base = getBase().convertToDouble();
  results.push_back(
      ReferenceValue::scalar(1.0 - std::pow(base, operands[0].item())));
  return success();
}

ErrorBounds OneMinusPowerOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                         ArrayRef<ReferenceValue> results) {
  // In double precision, rounded once.
  return {{Approximate::constant(results[0].item()).error}};
}

FailureOr<SmallVector<Value>>
OneMinusPowerOp::lowerToLinalg(OpBuilder &builder) {
  double base = getBase().convertToDouble();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), cast<RankedTensorType>(getType()), getExponent(),
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto number = [&](double value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
        };
        Value one = number(1.0),
              none = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
        // base^n is the product of base^(2^k) over the bits k of n; from some k
        // on these powers are 0 in double precision. Each is computed from the
        // base: squaring one after the other would square their errors.
        Value power = one;
        constexpr unsigned kSignBit = 63;
        for (unsigned k = 0; k < kSignBit; ++k) {
          double factorOfBit =
              std::pow(base, std::ldexp(1.0, static_cast<int>(k)));
          uint64_t bits =
              factorOfBit > 0.0 ? uint64_t(1) << k : ~uint64_t(0) << k;
          Value mask = arith::ConstantOp::create(
              b, loc, b.getI64IntegerAttr(static_cast<int64_t>(bits)));
          Value set = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ne,
              arith::AndIOp::create(b, loc, args[0], mask), none);
          Value factor =
              arith::SelectOp::create(b, loc, set, number(factorOfBit), one);
          power = arith::MulFOp::create(b, loc, power, factor);
          if (factorOfBit == 0.0)
            break;
        }
        Value rest = arith::SubFOp::create(b, loc, one, power);
        return arith::TruncFOp::create(b, loc, b.getF32Type(), rest);
      })};
}
