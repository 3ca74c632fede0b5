#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult TopKOp::verify() {
  RankedTensorType logits = getLogits().getType();
  if (failed(verifyLabels(getLoc(), logits, getLabels().getType())) ||
      failed(verifyWeights(getLoc(), getLabels().getType().getShape(),
                           getWeights())))
    return failure();
  if (getK() < 1 || getK() > logits.getShape().back())
    return emitOpError("expected k between 1 and the number of classes, ")
           << logits.getShape().back() << ", found " << getK();
  return success();
}

LogicalResult TopKOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue logits = asRows(operands[0]);
  const ReferenceValue &labels = operands[1];
  int64_t perSample = countRowsPerSample(getLogits().getType().getShape());
  int64_t rows = countValidRows(operands[0], operands[2]);
  double correct = 0.0;
  for (int64_t n = 0; n < rows; ++n) {
    int64_t label = static_cast<int64_t>(labels.data[n]), rank = 0;
    if (label < 0 || label >= logits.dim(1))
      return emitOpError("label ") << label << " of sample " << n / perSample
                                   << " is not in [0, " << logits.dim(1) << ")";
    double score = logits.at(n, label);
    for (int64_t c = 0; c < logits.dim(1); ++c) {
      double other = logits.at(n, c);
      // Not "other <= score", so that NaNs beat the label.
      rank += !(other <= score) || (other == score && c < label);
    }
    if (rank < static_cast<int64_t>(getK()))
      correct += getWeights() ? operands[3].data[n] : 1.0;
  }
  results.push_back(ReferenceValue::scalar(correct));
  results.push_back(ReferenceValue::scalar(static_cast<double>(rows)));
  return success();
}

FailureOr<SmallVector<Value>> TopKOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  Value logits = buildRows(builder, loc, getLogits());
  Value labels = buildLabelVector(builder, loc, getLabels());
  int64_t perSample = countRowsPerSample(getLogits().getType().getShape());
  auto type = cast<RankedTensorType>(logits.getType());
  auto rows =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  auto ranks =
      RankedTensorType::get({type.getDimSize(0)}, builder.getI32Type());
  AffineMap all = builder.getMultiDimIdentityMap(2);
  AffineMap row = projection(builder, 2, {0});
  auto buildColumn = [](OpBuilder &b, Location nested) -> Value {
    Value index = linalg::IndexOp::create(b, nested, 1);
    return arith::IndexCastOp::create(b, nested, b.getI32Type(), index);
  };
  Value score = buildReduction(
      builder, loc, rows, builder.getF32FloatAttr(0.0), 2, {0},
      {logits, labels}, {all, row},
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value isLabel =
            arith::CmpIOp::create(b, nested, arith::CmpIPredicate::eq,
                                  buildColumn(b, nested), args[1]);
        Value term = arith::SelectOp::create(b, nested, isLabel, args[0],
                                             buildConstant(b, nested, 0.0));
        return buildSumStep(b, nested, args[2], term);
      });
  Value rank = buildReduction(
      builder, loc, ranks, builder.getI32IntegerAttr(0), 2, {0},
      {logits, labels, score}, {all, row, row},
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        // Unordered: a NaN on either side beats the label.
        Value beats = arith::CmpFOp::create(
            b, nested, arith::CmpFPredicate::UGT, args[0], args[2]);
        Value ties = arith::CmpFOp::create(b, nested, arith::CmpFPredicate::OEQ,
                                           args[0], args[2]);
        Value lower =
            arith::CmpIOp::create(b, nested, arith::CmpIPredicate::slt,
                                  buildColumn(b, nested), args[1]);
        Value tieLost = arith::AndIOp::create(b, nested, ties, lower);
        Value lost = arith::OrIOp::create(b, nested, beats, tieLost);
        Value one = arith::ExtUIOp::create(b, nested, b.getI32Type(), lost);
        return arith::AddIOp::create(b, nested, args[3], one);
      });
  AffineMap vector = builder.getMultiDimIdentityMap(1);
  int64_t k = getK();
  SmallVector<Value> inputs = {rank, getValid()};
  SmallVector<AffineMap> maps = {vector, projection(builder, 1, {})};
  bool isWeighted = getWeights() != nullptr;
  if (isWeighted) {
    inputs.push_back(buildLabelVector(builder, loc, getWeights()));
    maps.push_back(vector);
  }
  Value sum = buildReduction(
      builder, loc, cast<RankedTensorType>(getSum().getType()),
      builder.getF32FloatAttr(0.0), 1, {}, inputs, maps,
      [k, perSample, isWeighted](OpBuilder &b, Location nested,
                                 ValueRange args) -> Value {
        Value limit =
            arith::ConstantOp::create(b, nested, b.getI32IntegerAttr(k));
        Value isTop = arith::CmpIOp::create(
            b, nested, arith::CmpIPredicate::slt, args[0], limit);
        Value counts = arith::AndIOp::create(
            b, nested, isTop,
            buildIsValidRow(b, nested, 0, args[1], perSample));
        Value term =
            isWeighted
                ? Value(arith::SelectOp::create(b, nested, counts, args[2],
                                                buildConstant(b, nested, 0.0)))
                : Value(arith::UIToFPOp::create(b, nested, b.getF32Type(),
                                                counts));
        return buildSumStep(b, nested, args.back(), term);
      });
  return SmallVector<Value>{sum,
                            buildRowCount(builder, loc, getValid(), perSample)};
}

ErrorBounds TopKOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue>) {
  // One per label whose rank depends on scores within their errors of each
  // other, or its weight; sums of weights are rounded.
  const ReferenceValue &logits = operands[0].value;
  int64_t classes = logits.shape.back();
  double doubtful = 0.0;
  ApproximateSum sum;
  for (int64_t n = 0; n < countValidRows(logits, operands[2].value); ++n) {
    Approximate score = operands[0].at(
        n * classes + static_cast<int64_t>(operands[1].value.data[n]));
    bool inDoubt = false;
    for (int64_t c = 0; c < classes; ++c) {
      Approximate other = operands[0].at(n * classes + c);
      inDoubt |=
          c != static_cast<int64_t>(operands[1].value.data[n]) &&
          std::abs(other.value - score.value) <= other.error + score.error;
    }
    Approximate weight = getWeights() ? operands[3].at(n) : Approximate(1.0);
    doubtful += inDoubt ? weight.magnitude() : 0.0;
    sum.add(weight);
  }
  return {{doubtful + (getWeights() ? sum.get().error : 0.0)}};
}

int64_t TopKOp::getFlops() {
  return 3 * getLogits().getType().getNumElements();
}

std::vector<LayerSpec> TopKOp::getLayerSpecs() {
  return {{"top_1", LayerSpec::Kind::Metric,
           "Share of labels that have the largest output."},
          {"top_5", LayerSpec::Kind::Metric,
           "Share of labels that are among the five largest outputs."}};
}

FailureOr<SmallVector<Value>> TopKOp::buildLayer(LayerBuilder &layer) {
  auto logits = cast<RankedTensorType>(layer.inputs[0].getType());
  int64_t k = layer.spec.name == "top_1" ? 1 : 5;
  if (failed(checkLabels(layer)))
    return failure();
  if (logits.getShape().back() < k)
    return layer.emitError()
           << layer.spec.name << " needs at least " << k
           << " outputs a sample, found " << logits << " with the batch";
  FailureOr<Value> weights = buildWeights(
      layer, cast<RankedTensorType>(layer.inputs[1].getType()).getShape());
  if (failed(weights))
    return failure();
  auto op = TopKOp::create(layer.builder, layer.loc, layer.inputs[0],
                           layer.inputs[1], layer.inputs[2], *weights, k);
  return getMeasure(layer, op, *weights);
}
