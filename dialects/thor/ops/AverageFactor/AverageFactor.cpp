#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/DampedInverse/RowWeight.h"
#include "dialects/train/OptimizerHelpers.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

LogicalResult AverageFactorOp::verify() {
  if (failed(
          train::verifyDecay(*this, "a decay", getDecay().convertToDouble())))
    return failure();
  return verifyPositive(*this,
                        {{"rows", getRows()}, {"positions", getPositions()}});
}

int64_t AverageFactorOp::getFlops() { return 4 * getType().getNumElements(); }

/// The larger one moves no farther than the one that moves most.
static Approximate max(Approximate a, Approximate b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error)};
}

/// The share of the factor that is added to an average of `refreshes`.
template <typename T> static T getShare(T refreshes, double decay) {
  return max(T(1.0) / (refreshes + T(1.0)), T::constant(1.0 - decay));
}

LogicalResult
AverageFactorOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue average = operands[0];
  double rows =
      operands[2].item() * static_cast<double>(getRows() * getPositions());
  if (getScale())
    rows *= operands[3].item() * operands[3].item();
  double share = std::max(1.0 / (operands.back().item() + 1.0),
                          1.0 - getDecay().convertToDouble());
  for (auto [mean, factor] : llvm::zip_equal(average.data, operands[1].data))
    mean = train::moveTowards(mean, factor / rows, share);
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
  auto share = getShare<Approximate>(operands.back().at(0),
                                     getDecay().convertToDouble());
  return boundElements(operands.take_front(2), 1,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = train::moveTowards(x[0], weight * x[1], share);
                       });
}

FailureOr<SmallVector<Value>>
AverageFactorOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto rows = static_cast<double>(getRows() * getPositions());
  double decay = getDecay().convertToDouble();
  Value weight = buildRowWeight(builder, loc, getCount(), getScale(), rows);
  Value share = buildElementwise(
      builder, loc, RankedTensorType::get({}, builder.getF32Type()),
      {getRefreshes()},
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        Value count = arith::SIToFPOp::create(b, at, b.getF32Type(), args[0]);
        return getShare<Scalar>({count, emitter}, decay).get(emitter);
      });
  AffineMap same = builder.getMultiDimIdentityMap(3);
  AffineMap scalar = projection(builder, 3, {});
  return SmallVector<Value>{buildElementwise(
      builder, loc, getType(), {getAverage(), getFactor(), weight, share},
      {same, same, scalar, scalar},
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        Scalar mean = Scalar(args[2], emitter) * Scalar(args[1], emitter);
        return train::moveTowards<Scalar>({args[0], emitter}, mean,
                                          {args[3], emitter})
            .get(emitter);
      })};
}
