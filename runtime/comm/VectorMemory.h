// VectorMemory.h - where the vectors of a sum lie, and what adds them there:
// the host, or a GPU. What is sent to whom and in which order it is added is
// the same everywhere (Collectives.h), and so are the bits.
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace boostrt {

namespace adasum {
class AdasumKernels;
}

/// What a vector has, as all members know it.
enum class Element : uint8_t { F32, I64 };

template <typename T> inline constexpr Element elementOf = Element::F32;
template <> inline constexpr Element elementOf<int64_t> = Element::I64;

/// How a vector is cut into what travels. All members cut alike.
struct VectorCuts {
  /// A sum works on so many bytes of the vector at a time: then its scratch
  /// memory is bounded.
  size_t blockBytes;
  /// A message in place carries so many bytes at most.
  size_t maxMessageBytes;
  /// Neighbouring pieces shorter than this travel together: copying them costs
  /// less than a message.
  size_t minMessageBytes;

  /// Elements of a block that `members` divide: equal slices of a vector stay
  /// equal in every block.
  size_t elementsPerBlock(size_t elementBytes, uint32_t members) const {
    size_t slice = blockBytes / elementBytes / members;
    return (slice ? slice : 1) * members;
  }
};

// In memory of the host.
/// A block's scratch memory stays in the cache.
inline constexpr size_t kAllReduceBlockBytes = size_t(16) << 20;
/// Few enough to be added while they are in the cache.
inline constexpr size_t kMaxMessageBytes = size_t(1) << 20;
inline constexpr size_t kMinMessageBytes = size_t(64) << 10;
inline constexpr VectorCuts kHostCuts = {kAllReduceBlockBytes, kMaxMessageBytes,
                                         kMinMessageBytes};

/// Pointers are addresses in this memory. What is asked for may run later, in
/// the order of the asking; a transport that carries the messages waits for it.
class VectorMemory {
public:
  virtual ~VectorMemory() = default;

  virtual VectorCuts cuts() const = 0;

  /// Scratch memory of at least `bytes`, aligned for any vector; the next call
  /// may return the same. Never shrinks.
  virtual Result<std::byte *> reserve(size_t bytes) = 0;

  virtual Status copy(void *to, const void *from, size_t bytes) = 0;
  /// A few numbers of the host's; they stay as they are until a get() has
  /// returned, or a transport has carried what lies here.
  virtual Status put(void *to, const void *host, size_t bytes) = 0;
  /// Numbers for the host, which waits for them.
  virtual Status get(void *host, const void *from, size_t bytes) = 0;

  /// into += from, `count` elements; they do not overlap.
  virtual Status add(Element element, void *into, const void *from,
                     size_t count) = 0;
  /// into = the sum of the pieces by the tree of Collectives.h. `into` may be
  /// one of them. What the pieces hold afterwards is undefined.
  virtual Status sum(Element element, std::span<void *const> pieces,
                     size_t count, void *into) = 0;

  /// What an Adasum of vectors in this memory computes.
  virtual adasum::AdasumKernels &adasumKernels() = 0;

  /// Whether message() is memory of the host, which every transport carries.
  virtual bool isOnHost() const = 0;
  /// `bytes` at `data` as a transport is to send them, or, with `isWritten`, to
  /// receive into them.
  virtual std::span<std::byte> message(void *data, size_t bytes,
                                       bool isWritten) = 0;
};

} // namespace boostrt
