#include "dialects/nn/NnDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static LogicalResult verifyChannels(Operation *op, RankedTensorType input,
                                    Type weight) {
  if (input.getRank() < 2)
    return op->emitOpError("expected an input of rank 2 or more, found ")
           << input;
  int64_t channels = cast<RankedTensorType>(weight).getDimSize(0);
  if (channels != input.getDimSize(1))
    return op->emitOpError("expected a weight of ")
           << input.getDimSize(1) << " elements for input " << input
           << ", found " << weight;
  return success();
}

namespace {
/// The values of one channel in the samples below `valid`, by their offsets.
class Channel {
public:
  Channel(const ReferenceValue &x, int64_t channel, int64_t valid)
      : channels(x.dim(1)), positions(x.size() / (x.dim(0) * x.dim(1))),
        channel(channel), samples(valid) {}

  int64_t count() const { return samples * positions; }
  template <typename Visit> void forEach(Visit visit) const {
    for (int64_t sample = 0; sample < samples; ++sample)
      for (int64_t i = 0; i < positions; ++i)
        visit((sample * channels + channel) * positions + i);
  }

private:
  int64_t channels, positions, channel, samples;
};
} // namespace

static double getScale(double variance, const APFloat &epsilon) {
  return 1.0 / std::sqrt(variance + epsilon.convertToDouble());
}

/// weight * (x - mean) * scale + bias of all samples.
static ReferenceValue
normalize(const ReferenceValue &x, const ReferenceValue &weight,
          const ReferenceValue &bias, const ReferenceValue &mean,
          const ReferenceValue &variance, const APFloat &epsilon) {
  ReferenceValue y = x;
  for (int64_t c = 0; c < weight.size(); ++c)
    Channel(x, c, x.dim(0)).forEach([&](int64_t i) {
      double z =
          (x.data[i] - mean.data[c]) * getScale(variance.data[c], epsilon);
      y.data[i] = weight.data[c] * z + bias.data[c];
    });
  return y;
}

//===----------------------------------------------------------------------===//
// nn.batch_norm
//===----------------------------------------------------------------------===//

LogicalResult BatchNormOp::verify() {
  return verifyChannels(*this, getInput().getType(), getWeight().getType());
}

LogicalResult BatchNormOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0];
  ReferenceValue mean = ReferenceValue::zeros(getMean().getType());
  ReferenceValue variance = mean;
  for (int64_t c = 0; c < mean.size(); ++c) {
    Channel values(x, c, static_cast<int64_t>(operands[3].item()));
    auto n = static_cast<double>(std::max<int64_t>(values.count(), 1));
    values.forEach([&](int64_t i) { mean.data[c] += x.data[i] / n; });
    values.forEach([&](int64_t i) {
      double distance = x.data[i] - mean.data[c];
      variance.data[c] += distance * distance / n;
    });
  }
  results.push_back(
      normalize(x, operands[1], operands[2], mean, variance, getEpsilon()));
  results.append({std::move(mean), std::move(variance)});
  return success();
}

SmallVector<Value> BatchNormOp::savedForBackward() {
  return {getInput(), getWeight(), getMean(), getVariance()};
}

LogicalResult BatchNormOp::buildBackward(BackwardContext &context) {
  auto gradients = BatchNormGradOp::create(
      context.builder, context.loc, getInput().getType(), getWeight().getType(),
      getWeight().getType(), context.gradResults[0], getInput(), getWeight(),
      getMean(), getVariance(), context.valid, getEpsilonAttr());
  for (unsigned i : {0, 1, 2})
    if (context.needed[i])
      context.gradOperands[i] = gradients->getResult(i);
  return success();
}

int64_t BatchNormOp::getMinSamples() {
  RankedTensorType type = getInput().getType();
  bool isSingle =
      type.getNumElements() == type.getDimSize(0) * type.getDimSize(1);
  return isSingle ? 2 : 1;
}

int64_t BatchNormOp::getFlops() {
  return 7 * getInput().getType().getNumElements();
}

std::vector<LayerSpec> BatchNormOp::getLayerSpecs() {
  LayerSpec spec{
      "batch_norm", LayerSpec::Kind::Layer,
      "Batch normalisation, `y = weight * (x - mean) / sqrt(variance + eps) + "
      "bias` for each channel. Training takes mean and variance of the "
      "micro-batch on its rank, evaluation the running ones, which each step "
      "moves by `momentum` towards those of all its samples."};
  spec.keys = {
      {"momentum", KeyType::Number,
       "Weight of a step's mean and variance in the running ones, as in "
       "PyTorch; MindSpore states the weight of the old ones, 0.9 for 0.1.",
       "0.1", 0.0, 1.0},
      {"eps", KeyType::Number, "Added to the variance.", "1e-5", 1e-12, 1.0},
      {"affine", KeyType::Boolean, "Whether there are weight and bias.",
       "true"},
      {"running_variance",
       KeyType::Choice,
       "Whether the running variance is divided by the number of values less 1 "
       "(`unbiased`, as in PyTorch and MindSpore) or by their number.",
       "\"unbiased\"",
       {},
       {},
       {"unbiased", "biased"}}};
  spec.parameters = {
      {"weight", BOOSTC_ROLE_NORM_SCALE, "ones", "`[channels]`."},
      {"bias", BOOSTC_ROLE_NORM_SHIFT, "zeros", "`[channels]`."}};
  spec.statistics = {{"running_mean", 0.0, "`[channels]`"},
                     {"running_var", 1.0, "`[channels]`"}};
  return {spec};
}

FailureOr<SmallVector<Value>> BatchNormOp::buildLayer(LayerBuilder &layer) {
  OpBuilder &b = layer.builder;
  Value input = layer.inputs[0];
  auto type = cast<RankedTensorType>(input.getType());
  int64_t channels = type.getDimSize(1);
  int64_t values = type.getNumElements() / channels;
  int64_t positions = values / type.getDimSize(0);
  if (values == 1)
    return layer.emitError("op")
           << "batch_norm needs several values of a channel in a micro-batch, "
              "found one, whose variance is 0; set 'batch_size' to 2 or more";
  auto vector = RankedTensorType::get({channels}, type.getElementType());
  SmallVector<Value> scaling;
  for (const auto &[name, start] :
       {std::pair("weight", 1.0f), {"bias", 0.0f}}) {
    if (!layer.getBoolean("affine")) {
      scaling.push_back(arith::ConstantOp::create(
          b, layer.loc, DenseElementsAttr::get(vector, start)));
      continue;
    }
    FailureOr<Value> parameter =
        layer.parameter(name, {channels}, channels, channels);
    if (failed(parameter))
      return failure();
    scaling.push_back(*parameter);
  }
  Value mean = layer.statistic("running_mean", {channels});
  Value variance = layer.statistic("running_var", {channels});
  FloatAttr epsilon = b.getF64FloatAttr(layer.getNumber("eps"));
  if (!layer.isTraining)
    return SmallVector<Value>{
        BatchNormInferenceOp::create(b, layer.loc, type, input, scaling[0],
                                     scaling[1], mean, variance, epsilon)};
  auto norm = BatchNormOp::create(b, layer.loc, type, vector, vector, input,
                                  scaling[0], scaling[1], layer.valid, epsilon);
  auto sums = BatchNormSumsOp::create(
      b, layer.loc, vector, vector, RankedTensorType::get({}, b.getI64Type()),
      norm.getMean(), norm.getVariance(), mean, layer.valid,
      b.getI64IntegerAttr(positions));
  layer.trackMoments({"running_mean", "running_var", sums.getShifts(),
                      sums.getSquares(), sums.getCount(),
                      layer.getNumber("momentum"),
                      layer.getChoice("running_variance") == "unbiased"});
  return SmallVector<Value>{norm.getResult()};
}

//===----------------------------------------------------------------------===//
// nn.batch_norm_grad
//===----------------------------------------------------------------------===//

LogicalResult BatchNormGradOp::verify() {
  return verifyChannels(*this, getInput().getType(), getWeight().getType());
}

LogicalResult
BatchNormGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &x = operands[1];
  ReferenceValue dx(dy.shape);
  ReferenceValue weight = ReferenceValue::zeros(getWeight().getType());
  ReferenceValue bias = weight;
  for (int64_t c = 0; c < weight.size(); ++c) {
    Channel values(x, c, static_cast<int64_t>(operands[5].item()));
    auto n = static_cast<double>(values.count());
    double scale = getScale(operands[4].data[c], getEpsilon());
    auto getNormalized = [&](int64_t i) {
      return (x.data[i] - operands[3].data[c]) * scale;
    };
    values.forEach([&](int64_t i) {
      bias.data[c] += dy.data[i];
      weight.data[c] += dy.data[i] * getNormalized(i);
    });
    values.forEach([&](int64_t i) {
      dx.data[i] = operands[2].data[c] * scale *
                   (dy.data[i] - bias.data[c] / n -
                    getNormalized(i) * weight.data[c] / n);
    });
  }
  results.append({std::move(dx), std::move(weight), std::move(bias)});
  return success();
}

int64_t BatchNormGradOp::getFlops() {
  return 12 * getInput().getType().getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.batch_norm_inference
//===----------------------------------------------------------------------===//

LogicalResult BatchNormInferenceOp::verify() {
  return verifyChannels(*this, getInput().getType(), getWeight().getType());
}

LogicalResult
BatchNormInferenceOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(normalize(operands[0], operands[1], operands[2],
                              operands[3], operands[4], getEpsilon()));
  return success();
}

int64_t BatchNormInferenceOp::getFlops() {
  return 3 * getInput().getType().getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.batch_norm_sums
//===----------------------------------------------------------------------===//

LogicalResult BatchNormSumsOp::verify() {
  if (int64_t positions = getPositions(); positions < 1)
    return emitOpError("expected 1 or more positions, found ") << positions;
  return success();
}

LogicalResult
BatchNormSumsOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue shifts = operands[0], squares = operands[1];
  double n = operands[3].item() * static_cast<double>(getPositions());
  for (int64_t c = 0; c < shifts.size(); ++c) {
    double distance = operands[0].data[c] - operands[2].data[c];
    shifts.data[c] = n * distance;
    squares.data[c] = n * (operands[1].data[c] + distance * distance);
  }
  results.append(
      {std::move(shifts), std::move(squares), ReferenceValue::scalar(n)});
  return success();
}

int64_t BatchNormSumsOp::getFlops() {
  return 5 * getMean().getType().getNumElements();
}
