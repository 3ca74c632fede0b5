// WindowShard.h - which part of an epoch a rank trains on.
//
// The order of an epoch is cut into batches, and the batches into windows of
// ranks x microBatches, one optimizer step each. A rank owns microBatches
// consecutive batches of every window: disjoint, complete, and in the same tree
// of sums whether few ranks have many of them or many have few. In the last
// window of an epoch ranks at the end may have fewer, or none.
#pragma once

#include <cstdint>

namespace boostrt {

/// The steps of an epoch of so many samples, in windows of so many. With
/// `dropsRemainder` what fills no window is left out.
constexpr int64_t stepsOfEpoch(int64_t samples, int64_t window,
                               bool dropsRemainder) {
  return samples / window + (!dropsRemainder && samples % window != 0);
}

/// Limit of EpochPlan::passes, data.repeat.
constexpr int64_t kMaxPasses = 1000;

/// What an epoch of training visits: the training set so many times. Every pass
/// has an order of its own, and windows that end with it.
struct EpochPlan {
  int64_t samples = 1; ///< of the training set; > 0
  int64_t passes = 1;  ///< > 0, up to kMaxPasses
  bool dropsRemainder = false;

  constexpr int64_t visits() const { return samples * passes; }
  constexpr int64_t stepsOfPass(int64_t window) const {
    return stepsOfEpoch(samples, window, dropsRemainder);
  }
  constexpr int64_t steps(int64_t window) const {
    return passes * stepsOfPass(window);
  }
  /// Steps that are left of the pass that goes on after `used` visits.
  constexpr int64_t leftOfPass(int64_t used, int64_t window) const {
    return used >= visits()
               ? 0
               : stepsOfEpoch(samples - used % samples, window, dropsRemainder);
  }
  /// Which order of samples, counted from 1 over the run, goes on after `used`
  /// visits of `epoch`, and where in it.
  struct Place {
    int64_t order, first;
  };
  constexpr Place placeAfter(int64_t epoch, int64_t used) const {
    return {(epoch - 1) * passes + used / samples + 1, used % samples};
  }
};

struct WindowShard {
  uint32_t rank = 0;
  uint32_t ranks = 1;        ///< > rank
  uint32_t microBatches = 1; ///< of this rank in a window; > 0

  /// Which batch of all ranks', from 0, this rank's batch `own` is.
  constexpr int64_t batch(int64_t own) const {
    int64_t perRank = microBatches;
    return own / perRank * perRank * ranks + rank * perRank + own % perRank;
  }

  /// Samples of a window of full batches, over all ranks.
  constexpr int64_t windowSamples(int64_t batchSize) const {
    return batchSize * microBatches * ranks;
  }
};

} // namespace boostrt
