// RunSteps.h - how many steps a run takes from the place where it starts.
//
// An epoch that is begun goes on at the sample it has reached, with windows of
// the present size; its last one may be short, or is dropped. Where earlier
// windows had another size, an epoch has neither their number of steps nor that
// of a whole epoch, and steps do not measure how far the run is: schedules
// count both (boost_schedule.h).
#pragma once

#include "runtime/abi/boost_schedule.h"
#include "runtime/checkpoint/CheckpointPosition.h"
#include "runtime/data/WindowShard.h"

#include <algorithm>
#include <optional>

namespace boostrt {

constexpr int64_t divideUp(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

/// Where a run ends: at the first limit that it reaches.
struct RunEnd {
  std::optional<int64_t> epochs = {};
  /// Optimizer steps since the run's beginning.
  std::optional<int64_t> steps = {};
};

class RunSteps {
public:
  /// A run of one step in one epoch.
  RunSteps() = default;
  /// From `start` to `end`, each epoch of `samples` in windows of `window`.
  /// With `dropsRemainder` an epoch ends with its last full window; it has one
  /// or more.
  RunSteps(const CheckpointPosition &start, int64_t samples, int64_t window,
           const RunEnd &end, bool dropsRemainder = false);

  int64_t samples() const { return samples_; }
  int64_t window() const { return window_; }
  int64_t perEpoch() const { return perEpoch_; } ///< of an epoch from its start
  /// Global step of the last one; INT64_MAX: more than can be counted.
  int64_t last() const { return last_; }
  /// Steps that are left of an epoch of which so many samples are used.
  int64_t leftAfter(int64_t samples) const {
    return stepsOfEpoch(samples_ - samples, window_, dropsRemainder_);
  }
  /// Samples that are used, or dropped, when a step follows `samples`.
  int64_t usedAfterStep(int64_t samples) const {
    int64_t used = std::min(samples_, samples + window_);
    return leftAfter(used) == 0 ? samples_ : used;
  }

  /// What schedules are resolved with. A run that a number of steps ends early
  /// goes along the curve of all epochs; without a number of epochs the curve
  /// ends with the steps.
  BoostRunLength length() const { return length_; }
  /// What is done before step `globalStep`, one of the run.
  BoostProgress before(int64_t globalStep) const;

private:
  int64_t samples_ = 1, window_ = 1, perEpoch_ = 1, last_ = 1;
  bool dropsRemainder_ = false;
  BoostRunLength length_ = {1, 1};
  int64_t start_ = 0; ///< steps done before the run
  /// `start_` in steps of the present size, rounded down.
  int64_t evenStart_ = 0;
  int64_t firstSteps_ = 0; ///< in the epoch that the run starts in
  int64_t evenNext_ = 0;   ///< at the start of the next epoch
};

} // namespace boostrt
