// RunSteps.h - how many steps a run takes from the place where it starts.
//
// An epoch that is begun goes on at the sample it stands at, with windows of
// the present size; its last one may be short. Where earlier windows had
// another size, an epoch has neither their number of steps nor that of a whole
// epoch, and steps are no measure of how far the run is: schedules count both
// (boost_schedule.h).
#pragma once

#include "runtime/abi/boost_schedule.h"
#include "runtime/checkpoint/CheckpointPosition.h"

namespace boostrt {

constexpr int64_t divideUp(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

class RunSteps {
public:
  /// A run of one step in one epoch.
  RunSteps() = default;
  /// From `start` to the end of epoch `epochs`, each of `samples` in windows of
  /// `window`.
  RunSteps(const CheckpointPosition &start, int64_t samples, int64_t window,
           int64_t epochs);

  int64_t samples() const { return samples_; }
  int64_t window() const { return window_; }
  int64_t perEpoch() const { return perEpoch_; } ///< of an epoch from its start
  /// Global step of the last one; INT64_MAX: more than can be counted.
  int64_t last() const { return last_; }
  /// Steps that are left of an epoch of which so many samples are used.
  int64_t leftAfter(int64_t samples) const {
    return divideUp(samples_ - samples, window_);
  }

  /// Has schedules that end with the run end after so many steps.
  void endAt(int64_t steps) { length_.steps = steps; }
  /// What schedules are resolved with.
  BoostRunLength length() const { return length_; }
  /// What is done before step `globalStep`, one of the run.
  BoostProgress before(int64_t globalStep) const;

private:
  int64_t samples_ = 1, window_ = 1, perEpoch_ = 1, last_ = 1;
  BoostRunLength length_ = {1, 1};
  int64_t start_ = 0; ///< steps done before the run
  int64_t evenStart_ =
      0; ///< the same in steps of the present size, rounded down
  int64_t firstSteps_ = 0; ///< in the epoch that the run starts in
  int64_t evenNext_ = 0;   ///< at the start of the next epoch
};

} // namespace boostrt
