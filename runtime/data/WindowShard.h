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
