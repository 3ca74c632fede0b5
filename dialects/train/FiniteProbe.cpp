#include "dialects/train/FiniteProbe.h"
#include "dialects/interfaces/LinalgHelpers.h"

using namespace mlir;
using namespace boostc;

/// x * 0: zero for a finite x, NaN otherwise; sums of it stay zero or become
/// NaN.
static Value buildProbe(OpBuilder &b, Location loc, Value x) {
  return arith::MulFOp::create(b, loc, x, buildConstant(b, loc, 0.0));
}

/// Adds the probes of all elements of `value` to the scalar `total`. Rows
/// first: they are independent, so that the pass over a large tensor runs on
/// all threads.
static Value probe(OpBuilder &builder, Location loc, Value value, Value total) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rank = type.getRank();
  bool isProbed = false;
  if (rank >= 2) {
    auto rows =
        RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
    value = buildReduction(
        builder, loc, rows, builder.getF32FloatAttr(0.0), rank, {0}, value,
        builder.getMultiDimIdentityMap(rank),
        [](OpBuilder &b, Location nested, ValueRange args) -> Value {
          return buildSumStep(b, nested, args[1],
                              buildProbe(b, nested, args[0]));
        });
    isProbed = true;
    rank = 1;
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank),
                                 projection(builder, rank, {})};
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{total.getType()}, ValueRange{value},
      ValueRange{total}, maps, iterators,
      [&](OpBuilder &b, Location nested, ValueRange args) {
        Value term = isProbed ? args[0] : buildProbe(b, nested, args[0]);
        linalg::YieldOp::create(b, nested,
                                buildSumStep(b, nested, args[1], term));
      });
  return generic.getResult(0);
}

Value train::buildProbeSum(OpBuilder &builder, Location loc,
                           ValueRange values) {
  Value empty = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{},
                                        builder.getF32Type());
  Value total = linalg::FillOp::create(builder, loc,
                                       buildConstant(builder, loc, 0.0), empty)
                    .getResult(0);
  for (Value value : values)
    total = probe(builder, loc, value, total);
  return total;
}
