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

RunSteps::RunSteps(const CheckpointPosition &start, const EpochPlan &epoch,
                   int64_t window, const RunEnd &end)
    : epoch_(epoch), window_(window), perEpoch_(epoch.steps(window)),
      start_(start.globalStep) {
  constexpr int64_t kNever = INT64_MAX;
  int64_t epochs = end.epochs.value_or(kNever);
  last_ = endAfter(0, epochs, perEpoch_);
  length_ = {perEpoch_, end.epochs ? last_ : end.steps.value_or(kNever)};
  if (start.epoch > 0) {
    int64_t used = start.samplesInEpoch, pass = used / epoch.samples;
    int64_t perPass = epoch.stepsOfPass(window);
    int64_t evenEpoch = (start.epoch - 1) * perEpoch_;
    firstSteps_ = leftOfPass(used);
    evenNext_ = evenEpoch + std::min(pass + 1, epoch.passes) * perPass;
    evenStart_ = evenEpoch + pass * perPass + used % epoch.samples / window;
    last_ = start.epoch > epochs ? start_
                                 : endAfter(start_ + leftAfter(used),
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
