#include "runtime/checkpoint/RunSteps.h"

#include <algorithm>

namespace boostrt {

/// base + epochs * perEpoch, or the largest number.
static int64_t endAfter(int64_t base, int64_t epochs, int64_t perEpoch) {
  int64_t steps = 0, end = 0;
  if (__builtin_mul_overflow(epochs, perEpoch, &steps) ||
      __builtin_add_overflow(base, steps, &end))
    return INT64_MAX;
  return end;
}

RunSteps::RunSteps(const CheckpointPosition &start, int64_t samples,
                   int64_t window, const RunEnd &end, bool dropsRemainder)
    : samples_(samples), window_(window),
      perEpoch_(stepsOfEpoch(samples, window, dropsRemainder)),
      dropsRemainder_(dropsRemainder), start_(start.globalStep) {
  constexpr int64_t kNever = INT64_MAX;
  int64_t epochs = end.epochs.value_or(kNever);
  last_ = endAfter(0, epochs, perEpoch_);
  length_ = {perEpoch_, end.epochs ? last_ : end.steps.value_or(kNever)};
  if (start.epoch > 0) {
    firstSteps_ = leftAfter(start.samplesInEpoch);
    evenNext_ = start.epoch * perEpoch_;
    evenStart_ = evenNext_ - perEpoch_ + start.samplesInEpoch / window;
    last_ = start.epoch > epochs ? start_
                                 : endAfter(start_ + firstSteps_,
                                            epochs - start.epoch, perEpoch_);
  }
  last_ = std::min(last_, end.steps.value_or(kNever));
}

BoostProgress RunSteps::before(int64_t globalStep) const {
  int64_t done = globalStep - 1, taken = done - start_;
  return {done, taken < firstSteps_ ? evenStart_ + taken
                                    : evenNext_ + taken - firstSteps_};
}

} // namespace boostrt
