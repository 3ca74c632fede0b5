// SampleCache.h - samples of evaluations, as transforms made them the first
// time. Nothing is drawn for them, so they are the same in each evaluation.
#pragma once

#include "runtime/data/WindowShard.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace boostrt {

/// Which samples of a data set a rank evaluates: those of its batches, in the
/// order of the data set.
struct EvaluationPart {
  int64_t samples = 0;   ///< of the data set
  int64_t batchSize = 1; ///< > 0
  WindowShard share;     ///< with one micro-batch

  /// How many there are.
  int64_t size() const;
  /// Which of them the rank's sample `index` of the data set is, from 0.
  int64_t placeOf(int64_t index) const;
};

/// Threads may share it as long as no two of them have the same sample.
class SampleCache {
public:
  /// What the samples take, each of so many bytes.
  static uint64_t bytesOf(const EvaluationPart &part, int64_t bytesPerSample);

  /// Throws std::bad_alloc.
  SampleCache(const EvaluationPart &part, int64_t bytesPerSample);

  /// The bytes of a sample; null until keep().
  const std::byte *find(int64_t sample) const;
  /// Copies them.
  void keep(int64_t sample, const std::byte *bytes);

private:
  std::byte *at(int64_t place) const {
    return samples_.get() + place * bytesPerSample_;
  }

  EvaluationPart part_;
  int64_t bytesPerSample_;
  std::unique_ptr<std::byte[]> samples_;
  std::unique_ptr<bool[]> isKept_;
};

} // namespace boostrt
