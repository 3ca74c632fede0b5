// SegmentedExchange.h - messages of ranges of a segmented vector: what
// collectives that work in place are made of.
#pragma once

#include "runtime/comm/Group.h"
#include "runtime/comm/SegmentedVector.h"
#include "runtime/comm/ShardedVector.h"
#include "runtime/comm/Workspace.h"

#include <functional>

namespace boostrt {

/// The lists of the workspace are this object's. `numbers` has where in the
/// vector each message to receive begins, and `places` where it goes: what a
/// transport is told may differ (VectorMemory::message()).
template <typename T> class SegmentedExchange {
public:
  /// `scratch` is of `memory`.
  SegmentedExchange(Group &group, SegmentedVector<T> vector,
                    Workspace &workspace, VectorMemory &memory,
                    std::byte *scratch)
      : group_(group), vector_(vector), workspace_(workspace), memory_(memory),
        scratch_(reinterpret_cast<T *>(scratch)) {}

protected:
  /// Before the messages of an exchange are named.
  void clear() {
    workspace_.sends.clear();
    workspace_.receives.clear();
    workspace_.numbers.clear();
    workspace_.places.clear();
    used_ = 0;
  }

  T *take(size_t elements) {
    T *place = scratch_ + used_;
    used_ += elements;
    return place;
  }

  /// What fails once makes the call fail; the rest is not tried.
  void attempt(const Status &status) {
    if (failure_.ok())
      failure_ = status;
  }

  void copyOut(Range range, T *to) { copy(range, to, /*isIn=*/false); }
  void copyIn(Range range, T *from) { copy(range, from, /*isIn=*/true); }

  void send(uint32_t member, Range range) {
    sendToEach(range, [&](auto &&act) { act(member); });
  }
  /// forEachMember(act) calls act(member) for those who get it.
  template <typename ForEachMember>
  void sendToEach(Range range, ForEachMember &&forEachMember) {
    vector_.forEachMessage(range, [&](Range message, T *inPlace) {
      T *data = inPlace;
      if (!data) {
        data = take(message.size());
        copyOut(message, data);
      }
      forEachMember([&](uint32_t member) {
        workspace_.sends.push_back(
            {group_.rankOf(member), memory_.message(data, bytesOf(message),
                                                    /*isWritten=*/false)});
      });
    });
  }

  void receive(uint32_t member, Range message, T *place) {
    workspace_.receives.push_back(
        {group_.rankOf(member),
         memory_.message(place, bytesOf(message), /*isWritten=*/true)});
    workspace_.numbers.push_back(message.begin);
    workspace_.places.push_back(place);
  }

  void receiveIntoScratch(uint32_t member, Range message) {
    receive(member, message, take(message.size()));
  }

  void receiveInPlace(uint32_t member, Range range) {
    vector_.forEachMessage(range, [&](Range message, T *inPlace) {
      receive(member, message, inPlace ? inPlace : take(message.size()));
    });
  }

  static size_t bytesOf(Range range) { return range.size() * sizeof(T); }

  size_t receiveCount() const { return workspace_.receives.size(); }
  T *placeOf(size_t receive) const {
    return static_cast<T *>(workspace_.places[receive]);
  }
  Range rangeOf(size_t receive) const {
    size_t begin = workspace_.numbers[receive];
    return {begin,
            begin + workspace_.receives[receive].data.size() / sizeof(T)};
  }

  /// Exchanges what was named; received(i) when receive i is there.
  template <typename Received> Status run(Received &&received) {
    BOOSTRT_RETURN_IF_ERROR(failure_);
    // A reference fits into a std::function without an allocation.
    BOOSTRT_RETURN_IF_ERROR(group_.transport().exchangeEach(
        workspace_.sends, workspace_.receives, std::ref(received)));
    return failure_;
  }

  /// run() where what is received belongs where receiveInPlace() says.
  Status gather() {
    return run([&](size_t i) {
      if (!vector_.inPlace(rangeOf(i)))
        copyIn(rangeOf(i), placeOf(i));
    });
  }

  /// Every member gets slice(m) of each member m.
  template <typename Slice> Status gatherSlices(Slice &&slice) {
    clear();
    uint32_t self = group_.self(), size = group_.size();
    sendToEach(slice(self), [&](auto &&act) {
      for (uint32_t i = 1; i < size; ++i)
        act((self + i) % size);
    });
    for (uint32_t i = 1; i < size; ++i) {
      uint32_t from = (self + size - i) % size;
      receiveInPlace(from, slice(from));
    }
    return gather();
  }

  Group &group_;
  SegmentedVector<T> vector_;
  Workspace &workspace_;
  VectorMemory &memory_;
  T *scratch_;
  size_t used_ = 0;
  Status failure_; ///< of the memory

private:
  /// copy(piece in the vector, place after `at`) for the pieces of `range`.
  void copy(Range range, T *at, bool isIn) {
    vector_.forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      T *other = at + (begin - range.begin);
      attempt(memory_.copy(isIn ? piece.data() : other,
                           isIn ? other : piece.data(), piece.size_bytes()));
    });
  }
};

/// For a block of so many elements: at most as many to send, when all must be
/// copied together, as many to receive, and what is one's own.
inline size_t scratchElements(size_t block) { return 2 * block; }

/// act(scratch, Range) for the blocks of a vector of the group's members; fails
/// as `act` does.
template <typename T, typename Act>
Status forEachBlock(const Group &group, const SegmentedVector<T> &vector,
                    VectorMemory &memory, Act &&act) {
  if (group.size() == 1 || vector.size() == 0)
    return Status();
  size_t block = std::min(
      vector.size(), memory.cuts().elementsPerBlock(sizeof(T), group.size()));
  Result<std::byte *> scratch =
      memory.reserve(scratchElements(block) * sizeof(T));
  if (!scratch.ok())
    return scratch.status();
  for (size_t begin = 0; begin < vector.size(); begin += block)
    BOOSTRT_RETURN_IF_ERROR(
        act(*scratch, Range{begin, std::min(begin + block, vector.size())}));
  return Status();
}

/// The same for a part of every member's slice at a time: act(scratch, slice)
/// with slice(member), a Range.
template <typename T, typename Act>
Status forEachBlock(const Group &group, const ShardedVector<T> &vector,
                    VectorMemory &memory, Act &&act) {
  uint32_t members = group.size();
  size_t longest = vector.longestSlice();
  if (members == 1 || longest == 0)
    return Status();
  size_t step = std::min(
      longest, memory.cuts().elementsPerBlock(sizeof(T), members) / members);
  Result<std::byte *> scratch =
      memory.reserve(scratchElements(step * members) * sizeof(T));
  if (!scratch.ok())
    return scratch.status();
  for (size_t begin = 0; begin < longest; begin += step)
    BOOSTRT_RETURN_IF_ERROR(act(*scratch, [&](uint32_t member) {
      Range whole = vector.slice(member);
      return Range{whole.begin + std::min(begin, whole.size()),
                   whole.begin + std::min(begin + step, whole.size())};
    }));
  return Status();
}

/// act(exchange, what) for the blocks of `parts`, what being a Range, or with
/// `blocks` a ShardedVector of them what forEachBlock() says. `Exchange` is
/// derived from SegmentedExchange<T>.
template <typename Exchange, typename T, typename Blocks, typename Act>
Status exchangeBlocks(Group &group, const SegmentedVector<T> &parts,
                      const Blocks &blocks, Workspace &workspace,
                      VectorMemory &memory, Act &&act) {
  return forEachBlock(
      group, blocks, memory, [&](std::byte *scratch, auto &&what) {
        Exchange exchange(group, parts, workspace, memory, scratch);
        return act(exchange, what);
      });
}

} // namespace boostrt
