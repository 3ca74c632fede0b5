// Lowerings of the loss and its gradient. Both need each row's maximum and sum
// of exponentials; CSE merges the two copies when forward and backward meet in
// one function.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {
/// The rows, their labels, and the vectors, an element for each, that both
/// lowerings start from.
struct Rows {
  Value logits, labels, maximum, exponentials;
};
} // namespace

static Rows buildStatistics(OpBuilder &builder, Location loc, Value given,
                            Value labels) {
  Value logits = buildRows(builder, loc, given);
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
  return {logits, buildLabelVector(builder, loc, labels), maximum,
          exponentials};
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
  AffineMap row = projection(builder, 2, {0});
  Rows rows = buildStatistics(builder, loc, getLogits(), getLabels());
  int64_t perSample = countRowsPerSample(getLogits().getType().getShape());
  // The target's distance below the maximum: all terms are 0 or more.
  auto [on, off] = getTargets();
  Value distance = buildReduction(
      builder, loc, cast<RankedTensorType>(rows.maximum.getType()),
      builder.getF32FloatAttr(0.0), 2, {0},
      {rows.logits, rows.labels, rows.maximum},
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
  SmallVector<Value> inputs = {rows.exponentials, distance, getValid()};
  SmallVector<AffineMap> maps = {vector, vector, scalar};
  if (getWeights()) {
    inputs.push_back(buildLabelVector(builder, loc, getWeights()));
    maps.push_back(vector);
  }
  Value sum = buildReduction(
      builder, loc, cast<RankedTensorType>(getSum().getType()),
      builder.getF32FloatAttr(0.0), 1, {}, inputs, maps,
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value log = math::LogOp::create(b, nested, args[0]);
        Value loss = arith::AddFOp::create(b, nested, log, args[1]);
        if (getWeights())
          loss = arith::MulFOp::create(b, nested, args[3], loss);
        Value isValid = buildIsValidRow(b, nested, 0, args[2], perSample);
        Value term = arith::SelectOp::create(b, nested, isValid, loss,
                                             buildConstant(b, nested, 0.0));
        return buildSumStep(b, nested, args.back(), term);
      });
  return SmallVector<Value>{sum,
                            buildRowCount(builder, loc, getValid(), perSample)};
}

FailureOr<SmallVector<Value>>
SoftmaxCrossEntropyGradOp::lowerToLinalg(OpBuilder &builder) {
  AffineMap all = builder.getMultiDimIdentityMap(2);
  AffineMap row = projection(builder, 2, {0}),
            scalar = projection(builder, 2, {});
  Rows rows = buildStatistics(builder, getLoc(), getLogits(), getLabels());
  int64_t perSample = countRowsPerSample(getLogits().getType().getShape());
  auto [on, off] = getTargets();
  auto type = cast<RankedTensorType>(getType());
  SmallVector<Value> inputs = {rows.logits, rows.maximum, rows.exponentials,
                               rows.labels, getValid(),   getGradient()};
  SmallVector<AffineMap> maps = {all, row, row, row, scalar, scalar};
  bool isWeighted = getWeights() != nullptr;
  if (isWeighted) {
    inputs.push_back(buildLabelVector(builder, getLoc(), getWeights()));
    maps.push_back(row);
  }
  Value gradients = buildElementwise(
      builder, getLoc(), getRowsType(type), inputs, maps,
      [on = on, off = off, perSample, isWeighted](OpBuilder &b, Location loc,
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
        Value dsum = args[5];
        if (isWeighted)
          dsum = arith::MulFOp::create(b, loc, dsum, args[6]);
        Value scaled = arith::MulFOp::create(b, loc, dsum, difference);
        Value isValid = buildIsValidRow(b, loc, 0, args[4], perSample);
        return arith::SelectOp::create(b, loc, isValid, scaled, zero);
      });
  return SmallVector<Value>{buildFromRows(builder, getLoc(), type, gradients)};
}
