#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult MovingAverageOp::verify() {
  return verifyDecay(*this, "a decay", getDecay().convertToDouble());
}

LogicalResult boostc::train::verifyDecay(Operation *op, StringRef what,
                                         double decay) {
  if (!(decay >= 0.0 && decay < 1.0))
    return op->emitOpError("expected ")
           << what << " of at least 0 and below 1, found " << decay;
  return success();
}

/// The share of the value after a step in the average.
template <typename T> static T getShare(MovingAverageOp op) {
  return T::constant(1.0 - op.getDecay().convertToDouble());
}

LogicalResult
MovingAverageOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue average = operands[0];
  double rate = 1.0 - getDecay().convertToDouble();
  bool isApplied = operands[2].item() != 0.0;
  for (int64_t i = 0; isApplied && i < average.size(); ++i)
    average.data[i] = moveTowards(average.data[i], operands[1].data[i], rate);
  results.push_back(std::move(average));
  return success();
}

ErrorBounds MovingAverageOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  return boundElements(operands.take_front(2), 1,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = moveTowards(x[0], x[1],
                                            getShare<Approximate>(*this));
                       });
}

FailureOr<SmallVector<Value>>
MovingAverageOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = cast<RankedTensorType>(getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{getType()},
      ValueRange{getValue(), getApplied()}, ValueRange{getAverage()},
      ArrayRef<AffineMap>{identity, projection(builder, rank, {}), identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        ScalarEmitter emitter(b, loc);
        Scalar moved =
            moveTowards(Scalar(args[2], emitter), Scalar(args[0], emitter),
                        getShare<Scalar>(*this));
        linalg::YieldOp::create(
            b, loc,
            Value(arith::SelectOp::create(b, loc, buildIsSet(b, loc, args[1]),
                                          moved.get(emitter), args[2])));
      });
  return SmallVector<Value>{generic.getResult(0)};
}
