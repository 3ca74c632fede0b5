#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/DampedInverse/RowWeight.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

LogicalResult AverageFactorOp::verify() {
  double decay = getDecay().convertToDouble();
  if (!(decay >= 0.0 && decay < 1.0))
    return emitOpError("expected a decay of at least 0 and below 1, found ")
           << decay;
  return verifyPositive(*this,
                        {{"rows", getRows()}, {"positions", getPositions()}});
}

int64_t AverageFactorOp::getFlops() { return 4 * getType().getNumElements(); }

/// The larger one moves no farther than the one that moves most.
static Approximate max(Approximate a, Approximate b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error)};
}

/// The weight of the factor that is added to an average of `refreshes`.
template <typename T> static T getRate(T refreshes, double decay) {
  return max(T(1.0) / (refreshes + T(1.0)), T::constant(1.0 - decay));
}
template <typename T>
static T moveTowards(T average, T factor, T weight, T rate) {
  T distance = weight * factor - average;
  return average + rate * distance;
}

LogicalResult
AverageFactorOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue average = operands[0];
  double rows =
      operands[2].item() * static_cast<double>(getRows() * getPositions());
  if (getScale())
    rows *= operands[3].item() * operands[3].item();
  double rate = std::max(1.0 / (operands.back().item() + 1.0),
                         1.0 - getDecay().convertToDouble());
  for (auto [mean, factor] : llvm::zip_equal(average.data, operands[1].data))
    mean += rate * (factor / rows - mean);
  results.push_back(std::move(average));
  return success();
}

ErrorBounds AverageFactorOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  auto rows = static_cast<double>(getRows() * getPositions());
  std::optional<Approximate> scale;
  if (getScale())
    scale = operands[3].at(0);
  auto weight = getRowWeight<Approximate>(operands[2].at(0), scale, rows);
  auto rate =
      getRate<Approximate>(operands.back().at(0), getDecay().convertToDouble());
  return boundElements(operands.take_front(2), 1,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = moveTowards(x[0], x[1], weight, rate);
                       });
}

FailureOr<SmallVector<Value>>
AverageFactorOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto rows = static_cast<double>(getRows() * getPositions());
  double decay = getDecay().convertToDouble();
  auto number = RankedTensorType::get({}, builder.getF32Type());
  auto buildNumber = [&](ValueRange inputs, auto compute) {
    return buildElementwise(
        builder, loc, number, inputs,
        [&](OpBuilder &b, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(b, at);
          Value count = arith::SIToFPOp::create(b, at, b.getF32Type(), args[0]);
          std::optional<Scalar> second;
          if (inputs.size() > 1)
            second = Scalar(args[1], emitter);
          return compute(Scalar(count, emitter), second).get(emitter);
        });
  };
  SmallVector<Value> counted = {getCount()};
  if (getScale())
    counted.push_back(getScale());
  Value weight =
      buildNumber(counted, [&](Scalar count, std::optional<Scalar> scale) {
        return getRowWeight<Scalar>(count, scale, rows);
      });
  Value rate =
      buildNumber(getRefreshes(), [&](Scalar refreshes, std::optional<Scalar>) {
        return getRate<Scalar>(refreshes, decay);
      });
  AffineMap same = builder.getMultiDimIdentityMap(3);
  AffineMap scalar = projection(builder, 3, {});
  return SmallVector<Value>{buildElementwise(
      builder, loc, getType(), {getAverage(), getFactor(), weight, rate},
      {same, same, scalar, scalar},
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        return moveTowards<Scalar>({args[0], emitter}, {args[1], emitter},
                                   {args[2], emitter}, {args[3], emitter})
            .get(emitter);
      })};
}
