#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult WeightSumOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &weights = operands[0];
  auto valid = static_cast<int64_t>(operands[1].item());
  double sum = 0.0;
  for (int64_t i = 0; i < valid * (weights.size() / weights.dim(0)); ++i)
    sum += weights.data[i];
  results.push_back(ReferenceValue::scalar(sum));
  return success();
}

FailureOr<SmallVector<Value>> WeightSumOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getWeights().getType();
  unsigned rank = type.getRank();
  return SmallVector<Value>{buildReduction(
      builder, getLoc(), cast<RankedTensorType>(getResult().getType()),
      builder.getF32FloatAttr(0.0), rank, {}, {getWeights(), getValid()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value term =
            arith::SelectOp::create(b, loc, buildIsValid(b, loc, 0, args[1]),
                                    args[0], buildConstant(b, loc, 0.0));
        return buildSumStep(b, loc, args[2], term);
      })};
}

ErrorBounds WeightSumOp::boundErrors(ReferenceContext &,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  const Bounded &weights = operands[0];
  auto valid = static_cast<int64_t>(operands[1].value.item());
  int64_t size = weights.value.size();
  ApproximateSum sum;
  for (int64_t i = 0; i < size; ++i)
    sum.add(i < valid * (size / weights.value.dim(0)) ? weights.at(i)
                                                      : Approximate(0.0));
  return {{sum.get().error}};
}

int64_t WeightSumOp::getFlops() {
  return getWeights().getType().getNumElements();
}
