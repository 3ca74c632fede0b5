// Sampler.h - in which order an epoch visits the samples.
//
// The order is a pure function of (seed, epoch, index): any rank can compute
// any part of it, and a resumed run continues where it stopped, without a
// stored permutation. It is a keyed permutation of [0, n): a balanced Feistel
// network of six rounds over 2h bits, the smallest 2h >= 8 with 2^2h >= n,
// whose round function is Philox keyed by the seed, with (epoch, round, half)
// as counter; a value outside [0, n) goes through the network again until it
// falls inside (cycle walking), which keeps it a bijection. The network is at
// least 8 bits wide because narrow ones reach too few of the permutations of a
// tiny set.
#pragma once

#include <cstdint>

namespace boostrt {

class Sampler {
public:
  /// n >= 0. Without shuffling the order is 0, 1, ..., n - 1 in every epoch.
  Sampler(int64_t n, uint64_t seed, bool shuffle);

  int64_t size() const { return n_; }
  uint64_t seed() const { return seed_; }

  /// The sample at position `index` of `epoch`, 0 <= index < size().
  int64_t at(int64_t epoch, int64_t index) const;

private:
  int64_t n_;
  uint64_t seed_;
  uint64_t stream_; ///< of epoch 0
  bool shuffle_;
  int halfBits_;
};

} // namespace boostrt
