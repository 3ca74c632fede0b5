#include "runtime/data/Sampler.h"
#include "runtime/abi/boost_random.h"

#include <cassert>

namespace boostrt {

/// Luby and Rackoff need four rounds; narrow halves mix slower.
static constexpr int kRounds = 6;

Sampler::Sampler(int64_t n, uint64_t seed, bool shuffle)
    : n_(n), seed_(seed), stream_(boost_random_stream("data.order")),
      shuffle_(shuffle), halfBits_(4) {
  assert(n >= 0);
  while (halfBits_ < 31 && int64_t{1} << (2 * halfBits_) < n)
    ++halfBits_;
}

int64_t Sampler::at(int64_t epoch, int64_t index) const {
  assert(index >= 0 && index < n_);
  if (!shuffle_ || n_ == 1)
    return index;
  const uint64_t stream = stream_ + static_cast<uint64_t>(epoch);
  const uint32_t mask = (uint32_t{1} << halfBits_) - 1;
  uint64_t value = static_cast<uint64_t>(index);
  do {
    uint32_t left = static_cast<uint32_t>(value >> halfBits_);
    uint32_t right = static_cast<uint32_t>(value) & mask;
    for (uint64_t round = 0; round < kRounds; ++round) {
      uint32_t mixed =
          boost_random_block(seed_, stream, round << 32 | right).word[0];
      uint32_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    value = uint64_t{left} << halfBits_ | right;
  } while (value >= static_cast<uint64_t>(n_));
  return static_cast<int64_t>(value);
}

} // namespace boostrt
