#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {

/// One channel of a tensor [samples, channels, positions...].
struct BoundedChannel {
  int64_t channels, positions, channel;

  BoundedChannel(const Bounded &x, int64_t channel)
      : channels(x.value.dim(1)),
        positions(x.value.size() / (x.value.dim(0) * channels)),
        channel(channel) {}

  /// Offsets of the values in the first `samples` samples.
  std::vector<int64_t> offsets(int64_t samples) const {
    std::vector<int64_t> list;
    for (int64_t sample = 0; sample < samples; ++sample)
      for (int64_t i = 0; i < positions; ++i)
        list.push_back((sample * channels + channel) * positions + i);
    return list;
  }
};

struct Moments {
  Approximate mean, variance;
};

} // namespace

static int64_t getSamples(const Bounded &valid) {
  return static_cast<int64_t>(valid.value.item());
}

/// Mean and variance as they are computed: about a pivot, the mean of the first
/// sample. Whatever the pivot is, the exact result is the same, so that its own
/// error only counts where distances from it are rounded.
static Moments boundMoments(const Bounded &x, const BoundedChannel &channel,
                            int64_t samples) {
  ApproximateSum first;
  for (int64_t i : channel.offsets(1))
    first.add(x.at(i));
  Approximate pivot =
      first.get() / Approximate(static_cast<double>(channel.positions));
  ApproximateSum shifts, squares;
  std::vector<int64_t> offsets = channel.offsets(samples);
  for (int64_t i : offsets) {
    Approximate distance =
        Approximate::rounded(x.value.data[i] - pivot.value, x.error[i]);
    distance.error += kUnitRoundoff * pivot.error;
    shifts.add(distance);
    squares.add(distance * distance);
  }
  auto n =
      Approximate::constant(std::max(static_cast<double>(offsets.size()), 1.0));
  Approximate shift = shifts.get() / n;
  Approximate mean = Approximate(pivot.value) + shift;
  mean.error += kUnitRoundoff * pivot.error;
  return {mean, max(squares.get() / n - shift * shift, 0.0)};
}

/// 1 / sqrt(variance + epsilon); variances are not negative on either side.
static Approximate getScale(Approximate variance, const APFloat &epsilon) {
  double added = epsilon.convertToDouble();
  return reciprocalRoot(variance + Approximate::constant(added),
                        added * (1.0 - kUnitRoundoff));
}

/// The errors of a normalised tensor; `getMoments` gives those of a channel.
static std::vector<double> boundNormalized(
    const Bounded &x, const Bounded &weight, const Bounded &bias,
    const APFloat &epsilon,
    llvm::function_ref<Moments(const BoundedChannel &)> getMoments) {
  std::vector<double> errors(x.value.size());
  for (int64_t c = 0; c < weight.value.size(); ++c) {
    BoundedChannel channel(x, c);
    Moments moments = getMoments(channel);
    Approximate factor = weight.at(c) * getScale(moments.variance, epsilon);
    for (int64_t i : channel.offsets(x.value.dim(0)))
      errors[i] = ((x.at(i) - moments.mean) * factor + bias.at(c)).error;
  }
  return errors;
}

ErrorBounds BatchNormOp::boundErrors(ReferenceContext &,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  ErrorBounds errors(3);
  errors[0] = boundNormalized(operands[0], operands[1], operands[2],
                              getEpsilon(), [&](const BoundedChannel &channel) {
                                Moments moments =
                                    boundMoments(operands[0], channel,
                                                 getSamples(operands[3]));
                                errors[1].push_back(moments.mean.error);
                                errors[2].push_back(moments.variance.error);
                                return moments;
                              });
  return errors;
}

ErrorBounds BatchNormGradOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  const Bounded &dy = operands[0], &x = operands[1];
  int64_t samples = getSamples(operands[5]);
  ErrorBounds errors(3);
  errors[0].resize(dy.value.size());
  for (int64_t c = 0; c < operands[2].value.size(); ++c) {
    std::vector<int64_t> offsets = BoundedChannel(x, c).offsets(samples);
    Approximate scale = getScale(operands[4].at(c), getEpsilon());
    auto getNormalized = [&](int64_t i) {
      return (x.at(i) - operands[3].at(c)) * scale;
    };
    ApproximateSum weight, bias;
    for (int64_t i : offsets) {
      weight.add(dy.at(i) * getNormalized(i));
      bias.add(dy.at(i));
    }
    errors[1].push_back(weight.get().error);
    errors[2].push_back(bias.get().error);
    auto n = Approximate::constant(
        std::max(static_cast<double>(offsets.size()), 1.0));
    Approximate factor = operands[2].at(c) * scale;
    Approximate mean = bias.get() / n, slope = weight.get() / n;
    for (int64_t i : offsets)
      errors[0][i] =
          (((dy.at(i) - mean) - getNormalized(i) * slope) * factor).error;
  }
  return errors;
}

ErrorBounds BatchNormInferenceOp::boundErrors(ReferenceContext &,
                                              ArrayRef<Bounded> operands,
                                              ArrayRef<ReferenceValue>) {
  return {boundNormalized(operands[0], operands[1], operands[2], getEpsilon(),
                          [&](const BoundedChannel &channel) -> Moments {
                            return {operands[3].at(channel.channel),
                                    operands[4].at(channel.channel)};
                          })};
}

ErrorBounds BatchNormSumsOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  auto n = Approximate::constant(operands[3].value.item() *
                                 static_cast<double>(getPositions()));
  return boundElements(operands.take_front(3), 2,
                       [=](Approximates x, MutableArrayRef<Approximate> y) {
                         Approximate distance = x[0] - x[2];
                         y[0] = n * distance;
                         y[1] = n * (x[1] + distance * distance);
                       });
}
