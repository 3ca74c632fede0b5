#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static LogicalResult verifyOperands(std::optional<Location> loc, Type logits,
                                    Type labels, Value weights,
                                    FloatAttr smoothing) {
  if (failed(verifyLabels(loc, logits, labels)) ||
      failed(verifyWeights(loc, cast<RankedTensorType>(labels).getShape(),
                           weights)))
    return failure();
  double weight = smoothing ? smoothing.getValueAsDouble() : 0.0;
  if (!(weight >= 0.0 && weight < 1.0))
    return emitOptionalError(
        loc, "expected a smoothing of at least 0 and below 1, found ", weight);
  return success();
}

/// What the labelled class and each other of `classes` are to be.
static std::pair<double, double> targetsOf(FloatAttr smoothing, bool others,
                                           int64_t classes) {
  double weight = smoothing ? smoothing.getValueAsDouble() : 0.0;
  if (others) {
    double rest = classes > 1 ? weight / static_cast<double>(classes - 1) : 0.0;
    return {1.0 - weight, rest};
  }
  double share = weight / static_cast<double>(classes);
  return {1.0 - weight + share, share};
}

/// Maximum of row `n` and the sum of exp(l - maximum).
static std::pair<double, double> rowSums(const ReferenceValue &logits,
                                         int64_t n) {
  double maximum = logits.at(n, 0), sum = 0.0;
  for (int64_t c = 1; c < logits.dim(1); ++c)
    maximum = std::max(maximum, logits.at(n, c));
  for (int64_t c = 0; c < logits.dim(1); ++c)
    sum += std::exp(logits.at(n, c) - maximum);
  return {maximum, sum};
}

//===----------------------------------------------------------------------===//
// nn.softmax_cross_entropy
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxCrossEntropyOp::verify() {
  return verifyOperands(getLoc(), getLogits().getType(), getLabels().getType(),
                        getWeights(), getSmoothingAttr());
}

std::pair<double, double> SoftmaxCrossEntropyOp::getTargets() {
  return targetsOf(getSmoothingAttr(), getOthers(),
                   getLogits().getType().getShape().back());
}

LogicalResult
SoftmaxCrossEntropyOp::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue logits = asRows(operands[0]);
  const ReferenceValue &labels = operands[1];
  int64_t perSample = countRowsPerSample(getLogits().getType().getShape());
  int64_t rows = countValidRows(operands[0], operands[2]);
  auto [on, off] = getTargets();
  double sum = 0.0;
  for (int64_t n = 0; n < rows; ++n) {
    auto [maximum, exponentials] = rowSums(logits, n);
    int64_t label = static_cast<int64_t>(labels.data[n]);
    if (label < 0 || label >= logits.dim(1))
      return emitOpError("label ") << label << " of sample " << n / perSample
                                   << " is not in [0, " << logits.dim(1) << ")";
    double loss = std::log(exponentials);
    for (int64_t c = 0; c < logits.dim(1); ++c)
      loss += (c == label ? on : off) * (maximum - logits.at(n, c));
    sum += getWeights() ? operands[3].data[n] * loss : loss;
  }
  results.push_back(ReferenceValue::scalar(sum));
  results.push_back(ReferenceValue::scalar(static_cast<double>(rows)));
  return success();
}

bool SoftmaxCrossEntropyOp::isActiveOperand(unsigned index) {
  return index == 0;
}

SmallVector<Value> SoftmaxCrossEntropyOp::savedForBackward() {
  SmallVector<Value> saved = {getLogits(), getLabels()};
  if (getWeights())
    saved.push_back(getWeights());
  return saved;
}

LogicalResult SoftmaxCrossEntropyOp::buildBackward(BackwardContext &context) {
  // Nothing differentiable flows through the count.
  if (!context.gradResults[0] || !context.needed[0])
    return success();
  context.gradOperands[0] = SoftmaxCrossEntropyGradOp::create(
      context.builder, context.loc, context.gradResults[0], getLogits(),
      getLabels(), context.valid, getWeights(), getSmoothingAttr(),
      getOthersAttr());
  return success();
}

int64_t SoftmaxCrossEntropyOp::getFlops() {
  return 5 * getLogits().getType().getNumElements();
}

std::vector<LayerSpec> SoftmaxCrossEntropyOp::getLayerSpecs() {
  LayerSpec spec{
      "softmax_cross_entropy", LayerSpec::Kind::Loss,
      "Cross-entropy of the softmax of the last layer's output with integer "
      "labels, `log(sum over c of exp(l[c])) - l[label]`, averaged over the "
      "labels of an optimizer step; with targets of numbers, one for each "
      "class, `-sum over c of t[c] * log(softmax(l)[c])`. Classes are the "
      "last dimension."};
  spec.keys = {
      {"label_smoothing", KeyType::Number,
       "Weight e taken from the true class, below 1.", "0.0", 0.0, 0.999},
      {.name = "smoothing",
       .type = KeyType::Choice,
       .doc = "Who gets that weight. `uniform`: every class e / K, the "
              "true one too, as in PyTorch. `others`: each of the "
              "other K - 1 classes e / (K - 1).",
       .defaultValue = "\"uniform\"",
       .choices = {"uniform", "others"}}};
  spec.comparesClasses = true;
  spec.isLikelihood = true;
  return {spec};
}

FailureOr<SmallVector<Value>>
SoftmaxCrossEntropyOp::buildLayer(LayerBuilder &layer) {
  OpBuilder &b = layer.builder;
  double smoothing = layer.getNumber("label_smoothing");
  bool isSmooth = smoothing != 0.0;
  if (hasNumbersAsTargets(layer)) {
    if (isSmooth)
      return layer.emitError("label_smoothing")
             << "'label_smoothing' is for labels, and the targets are numbers; "
                "smooth them in the data";
    FailureOr<Value> targets = buildTargets(layer);
    if (failed(targets))
      return failure();
    auto type = cast<RankedTensorType>(targets->getType());
    FailureOr<Value> weights = buildWeights(layer, type.getShape().drop_back());
    if (failed(weights))
      return failure();
    Value logarithms = LogSoftmaxOp::create(
        b, layer.loc, layer.inputs[0], b.getI64IntegerAttr(type.getRank() - 1));
    auto op = CrossEntropyOp::create(b, layer.loc, logarithms, *targets,
                                     layer.inputs[2], *weights);
    return getMeasure(layer, op, *weights);
  }
  if (failed(checkLabels(layer)))
    return failure();
  FailureOr<Value> weights = buildWeights(
      layer, cast<RankedTensorType>(layer.inputs[1].getType()).getShape());
  if (failed(weights))
    return failure();
  bool others = isSmooth && layer.getChoice("smoothing") == "others";
  auto op = SoftmaxCrossEntropyOp::create(
      b, layer.loc, layer.inputs[0], layer.inputs[1], layer.inputs[2], *weights,
      isSmooth ? b.getF64FloatAttr(smoothing) : FloatAttr(),
      others ? b.getUnitAttr() : UnitAttr());
  return getMeasure(layer, op, *weights);
}

//===----------------------------------------------------------------------===//
// nn.softmax_cross_entropy_grad
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxCrossEntropyGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyOperands(loc, adaptor.getLogits().getType(),
                            adaptor.getLabels().getType(), adaptor.getWeights(),
                            adaptor.getSmoothingAttr())))
    return failure();
  inferred.push_back(adaptor.getLogits().getType());
  return success();
}

std::pair<double, double> SoftmaxCrossEntropyGradOp::getTargets() {
  return targetsOf(getSmoothingAttr(), getOthers(),
                   getLogits().getType().getShape().back());
}

LogicalResult
SoftmaxCrossEntropyGradOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue logits = asRows(operands[1]);
  const ReferenceValue &labels = operands[2];
  double gradient = operands[0].item();
  int64_t rows = countValidRows(operands[1], operands[3]);
  auto [on, off] = getTargets();
  ReferenceValue result(operands[1].shape);
  for (int64_t n = 0; n < rows; ++n) {
    auto [maximum, exponentials] = rowSums(logits, n);
    double dsum = getWeights() ? gradient * operands[4].data[n] : gradient;
    for (int64_t c = 0; c < logits.dim(1); ++c) {
      double softmax = std::exp(logits.at(n, c) - maximum) / exponentials;
      double target = c == static_cast<int64_t>(labels.data[n]) ? on : off;
      result.data[n * logits.dim(1) + c] = dsum * (softmax - target);
    }
  }
  results.push_back(std::move(result));
  return success();
}

int64_t SoftmaxCrossEntropyGradOp::getFlops() {
  return 6 * getLogits().getType().getNumElements();
}
