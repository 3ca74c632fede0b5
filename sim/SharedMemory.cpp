#include "sim/SharedMemory.h"

#include <algorithm>

namespace boostrt::sim {

void SharedMemory::reset(uint32_t bytes) {
  // 0 is the interval of a fresh Track; after 2^32 barriers they all are fresh.
  if (++interval_ == 0) {
    words_.clear();
    byteTracks_.clear();
    partsTouched_.clear();
    interval_ = 1;
  }
  bytes_ = bytes;
  data_.assign(bytes, std::byte{0});
  // Whole words at the end, so that a word's mask can be read at once.
  written_.assign((bytes + 15) / 16 * 16, 0);
  if (words_.size() < bytes / 4 + 4) {
    words_.resize(bytes / 4 + 4);
    byteTracks_.resize(bytes + 16);
    partsTouched_.resize(bytes / 4 + 4, 0);
  }
}

bool SharedMemory::allWritten(uint32_t offset, uint32_t bytes) const {
  for (uint32_t i = 0; i < bytes; ++i)
    if (!written_[offset + i])
      return false;
  return true;
}

void SharedMemory::markWritten(uint32_t offset, uint32_t bytes) {
  std::memset(&written_[offset], 1, bytes);
}

/// Whether its thread alone has touched `track` since the barrier, so that
/// nothing conflicts.
inline bool SharedMemory::isOwn(const Track &track,
                                const Access &access) const {
  return track.interval != interval_ ||
         ((track.writer == kNoThread || track.writer == access.thread) &&
          (track.reader == kNoThread || track.reader == access.thread));
}

/// What update() does where isOwn().
inline void SharedMemory::updateOwn(Track &track, const Access &access) {
  auto thread = static_cast<uint16_t>(access.thread);
  if (track.interval != interval_) {
    track.interval = interval_;
    track.writer = track.reader = kNoThread;
  }
  if (access.write) {
    track.writer = thread;
    track.reader = kNoThread;
    track.writerOrder = access.order;
    track.writePc = access.pc;
  } else {
    track.reader = thread;
    track.readerOrder = access.order;
    track.readPc = access.pc;
  }
}

SharedMemory::Conflict SharedMemory::conflict(const Track &track,
                                              const Access &access) const {
  if (track.interval != interval_)
    return {};
  uint32_t warp = access.thread / 32;
  if (track.writer != kNoThread && track.writer != access.thread &&
      (track.writer / 32 != warp || track.writerOrder >= access.order))
    return {true, true, true, track.writer, track.writePc};
  if (!access.write || track.reader == kNoThread ||
      track.reader == access.thread)
    return {};
  bool oneThread = track.reader < kLanesOf;
  bool sameWarp =
      oneThread ? track.reader / 32 == warp : track.reader == (kLanesOf | warp);
  if (sameWarp && track.readerOrder < access.order)
    return {};
  return {true, false, oneThread, track.reader, track.readPc};
}

void SharedMemory::update(Track &track, const Access &access) {
  // A write: the reads before it were ordered, or this would be a race.
  if (access.write || track.interval != interval_)
    return updateOwn(track, access);
  uint32_t warp = access.thread / 32;
  bool sameWarp = track.reader == (kLanesOf | warp) ||
                  (track.reader < kLanesOf && track.reader / 32 == warp);
  if (track.reader == kNoThread ||
      (sameWarp && track.readerOrder < access.order))
    track.reader = static_cast<uint16_t>(access.thread);
  else if (track.reader != access.thread)
    track.reader = sameWarp ? static_cast<uint16_t>(kLanesOf | warp) : kSeveral;
  track.readerOrder = access.order;
  track.readPc = access.pc;
}

SharedMemory::Conflict SharedMemory::bytesOfWord(uint32_t word,
                                                 const Access &access) const {
  for (uint32_t i = 0; i < 4; ++i)
    if (Conflict found = conflict(byteTracks_[word * 4 + i], access);
        found.found)
      return found;
  return {};
}

SharedMemory::Conflict SharedMemory::note(uint32_t offset, uint32_t bytes,
                                          const Access &access) {
  if (bytes < 4)
    return noteBytes(offset, bytes, access);
  for (uint32_t word = offset / 4; word < (offset + bytes) / 4; ++word) {
    Track &track = words_[word];
    if (isOwn(track, access) && partsTouched_[word] != interval_) {
      updateOwn(track, access);
      continue;
    }
    if (Conflict found = conflict(track, access); found.found)
      return found;
    if (partsTouched_[word] == interval_)
      if (Conflict found = bytesOfWord(word, access); found.found)
        return found;
    update(track, access);
  }
  return {};
}

SharedMemory::Conflict SharedMemory::noteBytes(uint32_t offset, uint32_t bytes,
                                               const Access &access) {
  if (Conflict found = conflict(words_[offset / 4], access); found.found)
    return found;
  for (uint32_t i = offset; i < offset + bytes; ++i) {
    if (Conflict found = conflict(byteTracks_[i], access); found.found)
      return found;
    update(byteTracks_[i], access);
  }
  partsTouched_[offset / 4] = interval_;
  return {};
}

} // namespace boostrt::sim
