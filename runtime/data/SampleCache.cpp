#include "runtime/data/SampleCache.h"

#include <cassert>
#include <cstring>
#include <new>

namespace boostrt {

int64_t SampleSubset::size() const {
  int64_t batches = stepsOfEpoch(samples, batchSize, /*dropsRemainder=*/false);
  int64_t own = batches / share.ranks + (share.rank < batches % share.ranks);
  bool hasLast = own > 0 && share.batch(own - 1) == batches - 1;
  return own * batchSize - (hasLast ? batches * batchSize - samples : 0);
}

int64_t SampleSubset::placeOf(int64_t index) const {
  int64_t batch = index / batchSize;
  assert(share.microBatches == 1 && batch % share.ranks == share.rank &&
         "a sample of another rank");
  return batch / share.ranks * batchSize + index % batchSize;
}

uint64_t SampleCache::bytes() const {
  return static_cast<uint64_t>(subset_.size()) *
         (static_cast<uint64_t>(bytesPerSample_) + sizeof(*states_.get()));
}

void SampleCache::reserve() {
  auto samples = static_cast<uint64_t>(subset_.size());
  bytes_ = allocateBytes(samples * static_cast<uint64_t>(bytesPerSample_));
  if (!bytes_)
    throw std::bad_alloc();
  states_ = std::make_unique<std::atomic<uint8_t>[]>(samples);
}

const uint8_t *SampleCache::find(int64_t sample) const {
  int64_t place = subset_.placeOf(sample);
  return states_[static_cast<size_t>(place)].load(std::memory_order_acquire) ==
                 Kept
             ? at(place)
             : nullptr;
}

void SampleCache::keep(int64_t sample, const void *bytes) {
  int64_t place = subset_.placeOf(sample);
  std::atomic<uint8_t> &state = states_[static_cast<size_t>(place)];
  uint8_t found = Absent;
  if (!state.compare_exchange_strong(found, Arriving,
                                     std::memory_order_relaxed))
    return;
  std::memcpy(at(place), bytes, static_cast<size_t>(bytesPerSample_));
  state.store(Kept, std::memory_order_release);
}

} // namespace boostrt
