// SampleCache.h - samples as transforms made them the first time. Nothing is
// drawn for them, so they are the same ever after.
#pragma once

#include "runtime/data/WindowShard.h"
#include "runtime/support/OwnedBytes.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace boostrt {

/// Which samples of a data set a rank reads: those of its batches where they
/// are in the order of the data set, as in an evaluation. In training, whose
/// order is another one in each epoch, it reads all: {samples}.
struct SampleSubset {
  int64_t samples = 0;    ///< of the data set
  int64_t batchSize = 1;  ///< > 0
  WindowShard share = {}; ///< with one micro-batch

  /// How many there are.
  int64_t size() const;
  /// Which of them the rank's sample `index` of the data set is, from 0.
  int64_t placeOf(int64_t index) const;
};

/// Threads may share it.
class SampleCache {
public:
  /// Has no memory before reserve().
  SampleCache(const SampleSubset &subset, int64_t bytesPerSample)
      : subset_(subset), bytesPerSample_(bytesPerSample) {}

  /// The memory that reserve() takes.
  uint64_t bytes() const;
  /// Throws std::bad_alloc.
  void reserve();

  /// The bytes of a sample; null until it is kept.
  const uint8_t *find(int64_t sample) const;
  /// Copies them, unless another thread does. They are the same each time.
  void keep(int64_t sample, const void *bytes);

private:
  enum State : uint8_t { Absent, Arriving, Kept };

  uint8_t *at(int64_t place) const {
    return bytes_.get() + place * bytesPerSample_;
  }

  SampleSubset subset_;
  int64_t bytesPerSample_;
  OwnedBytes bytes_;
  std::unique_ptr<std::atomic<uint8_t>[]> states_;
};

} // namespace boostrt
