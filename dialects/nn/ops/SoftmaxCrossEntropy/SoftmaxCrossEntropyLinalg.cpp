// Lowerings of the loss and its gradient. Both need each row's maximum and sum
// of exponentials; CSE merges the two copies when forward and backward meet in
// one function.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {
/// The vectors [batch] that both lowerings start from.
struct RowStatistics {
  Value maximum, exponentials;
};
} // namespace

static RowStatistics buildRowStatistics(OpBuilder &builder, Location loc,
                                        Value logits) {
  auto type = cast<RankedTensorType>(logits.getType());
  auto rows =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(2);
  AffineMap row = projection(builder, 2, {0});
  float lowest = -std::numeric_limits<float>::infinity();
  Value maximum = buildReduction(
      builder, loc, rows, builder.getF32FloatAttr(lowest), 2, {0}, logits, all,
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return arith::MaximumFOp::create(b, nested, args[0], args[1]);
      });
  Value exponentials = buildReduction(
      builder, loc, rows, builder.getF32FloatAttr(0.0), 2, {0},
      {logits, maximum}, {all, row},
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value shifted = arith::SubFOp::create(b, nested, args[0], args[1]);
        Value power = math::ExpOp::create(b, nested, shifted);
        return buildSumStep(b, nested, args[2], power);
      });
  return {maximum, exponentials};
}

/// i1: is the class of loop 1 the label `label`?
static Value buildIsLabel(OpBuilder &b, Location loc, Value label) {
  Value index = linalg::IndexOp::create(b, loc, 1);
  Value column = arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column, label);
}

FailureOr<SmallVector<Value>>
SoftmaxCrossEntropyOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto type = getLogits().getType();
  auto rows =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  AffineMap row = projection(builder, 2, {0});
  RowStatistics statistics = buildRowStatistics(builder, loc, getLogits());
  // The target's distance below the maximum: all terms are 0 or more.
  auto [on, off] = getTargets();
  Value distance = buildReduction(
      builder, loc, rows, builder.getF32FloatAttr(0.0), 2, {0},
      {getLogits(), getLabels(), statistics.maximum},
      {builder.getMultiDimIdentityMap(2), row, row},
      [on = on, off = off](OpBuilder &b, Location nested,
                           ValueRange args) -> Value {
        Value below = arith::SubFOp::create(b, nested, args[2], args[0]);
        Value isLabel = buildIsLabel(b, nested, args[1]);
        auto weigh = [&](double target) -> Value {
          if (target == 0.0)
            return buildConstant(b, nested, 0.0);
          if (target == 1.0)
            return below;
          return arith::MulFOp::create(
              b, nested, buildRoundedConstant(b, nested, target), below);
        };
        Value term =
            arith::SelectOp::create(b, nested, isLabel, weigh(on), weigh(off));
        return buildSumStep(b, nested, args[3], term);
      });
  AffineMap vector = builder.getMultiDimIdentityMap(1);
  AffineMap scalar = projection(builder, 1, {});
  Value sum = buildReduction(
      builder, loc, cast<RankedTensorType>(getSum().getType()),
      builder.getF32FloatAttr(0.0), 1, {},
      {statistics.exponentials, distance, getValid()}, {vector, vector, scalar},
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value log = math::LogOp::create(b, nested, args[0]);
        Value loss = arith::AddFOp::create(b, nested, log, args[1]);
        Value isValid = buildIsValid(b, nested, 0, args[2]);
        Value term = arith::SelectOp::create(b, nested, isValid, loss,
                                             buildConstant(b, nested, 0.0));
        return buildSumStep(b, nested, args[3], term);
      });
  Value count = buildElementwise(
      builder, loc, cast<RankedTensorType>(getCount().getType()), getValid(),
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return arith::ExtSIOp::create(b, nested, b.getI64Type(), args[0]);
      });
  return SmallVector<Value>{sum, count};
}

FailureOr<SmallVector<Value>>
SoftmaxCrossEntropyGradOp::lowerToLinalg(OpBuilder &builder) {
  AffineMap all = builder.getMultiDimIdentityMap(2);
  AffineMap row = projection(builder, 2, {0}),
            scalar = projection(builder, 2, {});
  RowStatistics statistics = buildRowStatistics(builder, getLoc(), getLogits());
  auto [on, off] = getTargets();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), cast<RankedTensorType>(getType()),
      {getLogits(), statistics.maximum, statistics.exponentials, getLabels(),
       getValid(), getGradient()},
      {all, row, row, row, scalar, scalar},
      [on = on, off = off](OpBuilder &b, Location loc,
                           ValueRange args) -> Value {
        Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
        Value power = math::ExpOp::create(b, loc, shifted);
        Value softmax = arith::DivFOp::create(b, loc, power, args[2]);
        Value zero = buildConstant(b, loc, 0.0);
        Value target =
            arith::SelectOp::create(b, loc, buildIsLabel(b, loc, args[3]),
                                    buildRoundedConstant(b, loc, on),
                                    buildRoundedConstant(b, loc, off));
        Value difference = arith::SubFOp::create(b, loc, softmax, target);
        Value scaled = arith::MulFOp::create(b, loc, args[5], difference);
        return arith::SelectOp::create(b, loc, buildIsValid(b, loc, 0, args[4]),
                                       scaled, zero);
      })};
}
