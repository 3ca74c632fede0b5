#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult RunningStatisticsOp::verify() {
  double momentum = getMomentum().convertToDouble();
  if (!(momentum >= 0.0 && momentum <= 1.0))
    return emitOpError("expected a momentum from 0 to 1, found ") << momentum;
  return success();
}

LogicalResult
RunningStatisticsOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue mean = operands[0], variance = operands[1];
  double n = std::max(operands[4].item(), 1.0);
  double momentum = getMomentum().convertToDouble();
  bool isApplied = operands[5].item() != 0.0;
  for (int64_t i = 0; isApplied && i < mean.size(); ++i) {
    double d = operands[2].data[i] / n;
    double v = std::max(operands[3].data[i] / n - d * d, 0.0);
    if (getUnbiased())
      v *= n / std::max(n - 1.0, 1.0);
    mean.data[i] += momentum * d;
    variance.data[i] += momentum * (v - variance.data[i]);
  }
  results.append({std::move(mean), std::move(variance)});
  return success();
}

/// What both the code and its error bound compute of a channel: x are the
/// operands up to `squares`; `rest` is max(n - 1, 1), of no use where the
/// variance is biased.
template <typename Number>
static std::array<Number, 2> update(ArrayRef<Number> x, Number n, Number rest,
                                    double momentum, bool isUnbiased) {
  Number rate = Number::constant(momentum);
  Number d = x[2] / n;
  Number squares = x[3] / n;
  Number drift = d * d;
  Number v = max(squares - drift, 0.0);
  if (isUnbiased)
    v = v * n / rest;
  Number change = rate * (v - x[1]);
  return {x[0] + rate * d, x[1] + change};
}

ErrorBounds RunningStatisticsOp::boundErrors(ReferenceContext &,
                                             ArrayRef<Bounded> operands,
                                             ArrayRef<ReferenceValue>) {
  double count = operands[4].value.item();
  auto n = Approximate::constant(std::max(count, 1.0));
  auto rest = Approximate::constant(std::max(count - 1.0, 1.0));
  return boundElements(operands.take_front(4), 2,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         auto changed = update<Approximate>(
                             x, n, rest, getMomentum().convertToDouble(),
                             getUnbiased());
                         llvm::copy(changed, y.begin());
                       });
}

FailureOr<SmallVector<Value>>
RunningStatisticsOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = cast<RankedTensorType>(getMean().getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap scalar = projection(builder, rank, {});
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), getResultTypes(),
      ValueRange{getShifts(), getSquares(), getCount(), getApplied()},
      ValueRange{getMean(), getVariance()},
      ArrayRef<AffineMap>{identity, identity, scalar, scalar, identity,
                          identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        ScalarEmitter emitter(b, loc);
        Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
        auto convert = [&](Value integer) {
          Value atLeastOne = arith::MaxSIOp::create(b, loc, integer, one);
          return Scalar(
              arith::SIToFPOp::create(b, loc, b.getF32Type(), atLeastOne),
              emitter);
        };
        Scalar n = convert(args[2]);
        Scalar rest = n;
        if (getUnbiased())
          rest = convert(arith::SubIOp::create(b, loc, args[2], one));
        Scalar x[] = {{args[4], emitter},
                      {args[5], emitter},
                      {args[0], emitter},
                      {args[1], emitter}};
        auto changed = update<Scalar>(
            x, n, rest, getMomentum().convertToDouble(), getUnbiased());
        Value isApplied = buildIsSet(b, loc, args[3]);
        SmallVector<Value> chosen;
        for (auto [value, current] : llvm::zip(changed, args.take_back(2)))
          chosen.push_back(arith::SelectOp::create(
              b, loc, isApplied, value.get(emitter), current));
        linalg::YieldOp::create(b, loc, chosen);
      });
  return SmallVector<Value>(generic.getResults());
}
