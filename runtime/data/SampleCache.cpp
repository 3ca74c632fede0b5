#include "runtime/data/SampleCache.h"

#include <cassert>
#include <cstring>

namespace boostrt {

int64_t EvaluationPart::size() const {
  int64_t batches = stepsOfEpoch(samples, batchSize, /*dropsRemainder=*/false);
  int64_t own = batches / share.ranks + (share.rank < batches % share.ranks);
  bool hasLast = own > 0 && share.batch(own - 1) == batches - 1;
  return own * batchSize - (hasLast ? batches * batchSize - samples : 0);
}

int64_t EvaluationPart::placeOf(int64_t index) const {
  int64_t batch = index / batchSize;
  assert(share.microBatches == 1 && batch % share.ranks == share.rank &&
         "a sample of another rank");
  return batch / share.ranks * batchSize + index % batchSize;
}

uint64_t SampleCache::bytesOf(const EvaluationPart &part,
                              int64_t bytesPerSample) {
  return static_cast<uint64_t>(part.size()) *
         (static_cast<uint64_t>(bytesPerSample) + sizeof(bool));
}

SampleCache::SampleCache(const EvaluationPart &part, int64_t bytesPerSample)
    : part_(part), bytesPerSample_(bytesPerSample),
      samples_(std::make_unique_for_overwrite<std::byte[]>(
          static_cast<size_t>(part.size() * bytesPerSample))),
      isKept_(std::make_unique<bool[]>(static_cast<size_t>(part.size()))) {}

const std::byte *SampleCache::find(int64_t sample) const {
  int64_t place = part_.placeOf(sample);
  return isKept_[static_cast<size_t>(place)] ? at(place) : nullptr;
}

void SampleCache::keep(int64_t sample, const std::byte *bytes) {
  int64_t place = part_.placeOf(sample);
  std::memcpy(at(place), bytes, static_cast<size_t>(bytesPerSample_));
  isKept_[static_cast<size_t>(place)] = true;
}

} // namespace boostrt
