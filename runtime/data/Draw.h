// Draw.h - what is random about a sample.
//
// A draw is a function of the seed, the epoch, the sample's number in the data
// set and the operation's place in the list of transforms: not of threads, of
// the batch, or of where a run was resumed.
#pragma once

#include "runtime/abi/boost_random.h"

#include <cstddef>
#include <cstdint>

namespace boostrt {

/// A list of transforms has so many operations at most.
inline constexpr size_t kMaxOperations = 64;

/// What the draws for one sample depend on.
struct DrawKey {
  uint64_t seed = 0;
  int64_t epoch = 0;
  int64_t sample = 0; ///< in the data set
};

/// 128 random bits for the operation at place `operation` of the list, below
/// kMaxOperations, of its draw number `attempt`.
BoostRandomBlock randomBits(const DrawKey &key, size_t operation,
                            size_t attempt = 0);

/// The two ends of what is drawn.
struct DrawRange {
  double low = 0, high = 0;
  bool operator==(const DrawRange &) const = default;
};

/// Uniform in [0, count).
constexpr int64_t below(int64_t count, uint32_t bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(count) * bits >> 32);
}

/// Uniform in the range.
constexpr double between(DrawRange range, uint32_t bits) {
  return range.low + (range.high - range.low) * (bits * 0x1p-32);
}

} // namespace boostrt
