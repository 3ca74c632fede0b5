// RunSteps.h - how many steps a run takes from the place where it starts.
//
// An epoch that is begun goes on at the sample it has reached, with windows of
// the present size; the last one of a pass may be short, or is dropped. Where
// earlier windows had another size, an epoch has neither their number of steps
// nor that of a whole epoch, and steps do not measure how far the run is:
// schedules count both (boost_schedule.h).
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
  /// From `start` to `end`, with a step or more in each pass.
  RunSteps(const CheckpointPosition &start, const EpochPlan &epoch,
           int64_t window, const RunEnd &end);

  const EpochPlan &epoch() const { return epoch_; }
  int64_t window() const { return window_; }
  int64_t perEpoch() const { return perEpoch_; } ///< of an epoch from its start
  /// Global step of the last one; INT64_MAX: more than can be counted.
  int64_t last() const { return last_; }
  /// Whether it goes on after the pass over the training set that it starts in,
  /// or with, so that it uses samples again.
  bool revisitsSamples() const {
    int64_t first = firstSteps_ > 0 ? firstSteps_ : epoch_.stepsOfPass(window_);
    return last_ - start_ > first;
  }
  /// Steps that are left of a pass, and of an epoch, of which so many visits of
  /// samples are over.
  int64_t leftOfPass(int64_t used) const {
    return epoch_.leftOfPass(used, window_);
  }
  int64_t leftAfter(int64_t used) const {
    if (used >= epoch_.visits())
      return 0;
    int64_t later = epoch_.passes - 1 - used / epoch_.samples;
    return leftOfPass(used) + later * epoch_.stepsOfPass(window_);
  }
  /// Visits that are over, or dropped, when a step follows `used`.
  int64_t usedAfterStep(int64_t used) const {
    return leftOfPass(used) > 1 ? used + window_ : endOfPass(used);
  }
  /// The same before that step: windows were smaller where what is left of a
  /// pass is too little for one.
  int64_t usedBeforeStep(int64_t used) const {
    return leftOfPass(used) > 0 ? used : endOfPass(used);
  }

  /// What schedules are resolved with. A run that a number of steps ends early
  /// goes along the curve of all epochs; without a number of epochs the curve
  /// ends with the steps.
  BoostRunLength length() const { return length_; }
  /// What is done before step `globalStep`, one of the run.
  BoostProgress before(int64_t globalStep) const;

private:
  int64_t endOfPass(int64_t used) const {
    return std::min(epoch_.visits(),
                    (used / epoch_.samples + 1) * epoch_.samples);
  }

  EpochPlan epoch_;
  int64_t window_ = 1, perEpoch_ = 1, last_ = 1;
  BoostRunLength length_ = {1, 1};
  int64_t start_ = 0; ///< steps done before the run
  /// `start_` in steps of the present size, rounded down.
  int64_t evenStart_ = 0;
  int64_t firstSteps_ = 0; ///< in the pass that the run starts in
  int64_t evenNext_ = 0;   ///< at the start of the next pass
};

} // namespace boostrt
