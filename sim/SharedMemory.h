// SharedMemory.h - the shared memory of one block, with what its checks know.
//
// Two accesses of one byte by different threads race when at least one writes
// and nothing orders them. A barrier of the block orders everything; an
// instruction that synchronises a warp (shfl.sync, bar.warp.sync, ...) orders
// the accesses of that warp's lanes. That lanes of a warp run in lock-step here
// orders nothing: on the hardware they need not.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace boostrt::sim {

class SharedMemory {
public:
  /// One thread's access.
  struct Access {
    uint32_t thread = 0; ///< linear in the block
    uint32_t order = 0;  ///< Warp::order
    uint32_t pc = 0;
    bool write = false;
  };
  /// The other access of a race.
  struct Conflict {
    bool found = false;
    bool write = false;     ///< the other one wrote
    bool oneThread = false; ///< `thread` names it; else several read it
    uint32_t thread = 0;
    uint32_t pc = 0;
  };

  /// Memory of undefined content for the next block.
  void reset(uint32_t bytes);
  /// All threads met at a barrier.
  void barrier() { ++interval_; }

  uint32_t bytes() const { return bytes_; }
  std::byte *data() { return data_.data(); }

  bool isWritten(uint32_t offset, uint32_t bytes) const {
    if (bytes < 4)
      return allWritten(offset, bytes);
    for (uint32_t i = 0; i < bytes; i += 4) {
      uint32_t all;
      std::memcpy(&all, &written_[offset + i], 4);
      if (all != 0x01010101)
        return false;
    }
    return true;
  }
  void markWritten(uint32_t offset, uint32_t bytes);
  /// True when a read of whole words tells nothing new: no thread wrote them
  /// since the barrier, and they are known to be read by the whole warp or by
  /// several. What note() would find out in the common case, without its cost.
  bool isKnownRead(uint32_t offset, uint32_t bytes, uint32_t thread,
                   uint32_t order) const {
    for (uint32_t word = offset / 4; word < (offset + bytes) / 4; ++word) {
      const Track &track = words_[word];
      if (track.interval != interval_ || track.writer != kNoThread ||
          partsTouched_[word] == interval_ ||
          (track.reader != kSeveral &&
           (track.reader != (kLanesOf | thread / 32) ||
            track.readerOrder != order)))
        return false;
    }
    return true;
  }
  /// Notes an access, which is aligned to its size and in bounds.
  Conflict note(uint32_t offset, uint32_t bytes, const Access &access);

private:
  bool allWritten(uint32_t offset, uint32_t bytes) const;
  /// Who touched something since the barrier `interval`.
  struct Track {
    uint32_t interval = 0;
    uint16_t writer = kNoThread;
    uint16_t reader = kNoThread; ///< a thread, kLanesOf | warp, or kSeveral
    uint32_t writerOrder = 0;
    uint32_t readerOrder = 0;
    uint32_t writePc = 0;
    uint32_t readPc = 0;
  };
  static constexpr uint16_t kNoThread = 0xffff;
  static constexpr uint16_t kSeveral = 0xfffe;
  static constexpr uint16_t kLanesOf = 0x8000;

  bool isOwn(const Track &track, const Access &access) const;
  void updateOwn(Track &track, const Access &access);
  Conflict conflict(const Track &track, const Access &access) const;
  void update(Track &track, const Access &access);
  Conflict noteBytes(uint32_t offset, uint32_t bytes, const Access &access);
  Conflict bytesOfWord(uint32_t word, const Access &access) const;

  uint32_t bytes_ = 0;
  uint32_t interval_ = 0;
  std::vector<std::byte> data_;
  std::vector<uint8_t> written_;  ///< a byte each
  std::vector<Track> words_;      ///< accesses of whole words
  std::vector<Track> byteTracks_; ///< accesses of parts of a word
  std::vector<uint32_t>
      partsTouched_; ///< interval of a word's last such access
};

} // namespace boostrt::sim
