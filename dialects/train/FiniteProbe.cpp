#include "dialects/train/FiniteProbe.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace boostc;

/// x * 0: zero for a finite x, NaN otherwise; sums of it stay zero or become
/// NaN.
static Value buildProbe(OpBuilder &b, Location loc, Value x) {
  return arith::MulFOp::create(b, loc, x, buildConstant(b, loc, 0.0));
}

/// The sums of the probes of each row of `value`: rows are independent, so that
/// the pass over a large tensor runs on all threads. A vector or a scalar has
/// rows of one element, and stays as it is.
static Value sumRows(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rank = type.getRank();
  if (rank < 2)
    return value;
  auto rows =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  return buildReduction(
      builder, loc, rows, builder.getF32FloatAttr(0.0), rank, {0}, value,
      builder.getMultiDimIdentityMap(rank),
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return buildSumStep(b, nested, args[1], buildProbe(b, nested, args[0]));
      });
}

/// Tensors that one op adds up: the buffers of a kernel have a limit.
static constexpr size_t kMaxSummands = 64;

/// The sum of the probes of `values`, element by element; all have one type.
static Value sumElements(OpBuilder &builder, Location loc,
                         ArrayRef<Value> values) {
  SmallVector<Value> sums;
  for (ArrayRef<Value> rest = values; !rest.empty();
       rest = rest.drop_front(std::min(rest.size(), kMaxSummands)))
    sums.push_back(buildElementwise(
        builder, loc, cast<RankedTensorType>(rest.front().getType()),
        rest.take_front(kMaxSummands),
        [](OpBuilder &b, Location nested, ValueRange args) {
          ValueRange terms = args.drop_back(); // of what is written over
          Value sum = buildProbe(b, nested, terms.front());
          for (Value term : terms.drop_front())
            sum = buildSumStep(b, nested, sum, buildProbe(b, nested, term));
          return sum;
        }));
  return sums.size() == 1 ? sums.front() : sumElements(builder, loc, sums);
}

/// The sum of the elements of a vector or a scalar.
static Value sumAll(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  return buildReduction(
      builder, loc, RankedTensorType::get({}, type.getElementType()),
      builder.getF32FloatAttr(0.0), 1, {}, value,
      builder.getMultiDimIdentityMap(1),
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return buildSumStep(b, nested, args[1], args[0]);
      });
}

Value train::buildProbeSum(OpBuilder &builder, Location loc,
                           ValueRange values) {
  // Those of one length become one first: a network has hundreds of parameters
  // of a few lengths.
  llvm::MapVector<Type, SmallVector<Value>> lengths;
  for (Value value : values) {
    Value rows = sumRows(builder, loc, value);
    lengths[rows.getType()].push_back(rows);
  }
  SmallVector<Value> sums;
  for (const auto &[type, rows] : lengths)
    sums.push_back(sumAll(builder, loc, sumElements(builder, loc, rows)));
  return sums.size() == 1 ? sums.front() : sumElements(builder, loc, sums);
}
