// What members do together with vectors without arithmetic.
#include "runtime/comm/Collectives.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/SegmentedExchange.h"

namespace boostrt {
namespace {

template <typename T> class Move : private SegmentedExchange<T> {
public:
  using SegmentedExchange<T>::SegmentedExchange;
  using SegmentedExchange<T>::gatherSlices;

  template <typename Slice> Status allToAll(Slice &&slice) {
    clear();
    uint32_t self = group_.self(), size = group_.size();
    for (uint32_t i = 1; i < size; ++i) {
      uint32_t to = (self + i) % size, from = (self + size - i) % size;
      send(to, slice(to));
      receiveOverlapped(from, slice(from));
    }
    return exchangePlaces();
  }

  Status broadcast(uint32_t root, Range range) {
    uint32_t size = group_.size();
    uint32_t self = (group_.self() + size - root) % size; // from the root
    auto memberOf = [&](uint32_t k) { return (k + root) % size; };
    if (self != 0) {
      clear();
      receiveInPlace(memberOf(spreadParent(self)), range);
      BOOSTRT_RETURN_IF_ERROR(gather());
    }
    clear();
    sendToEach(range, [&](auto &&act) {
      forEachSpreadChild(self, size,
                         [&](uint32_t child) { act(memberOf(child)); });
    });
    return gather();
  }

  Status shift(uint32_t distance, Range range) {
    uint32_t self = group_.self(), size = group_.size();
    clear();
    send((self + distance) % size, range);
    receiveOverlapped((self + size - distance) % size, range);
    return exchangePlaces();
  }

private:
  using Base = SegmentedExchange<T>;
  using Base::clear, Base::gather, Base::receiveInPlace, Base::send,
      Base::sendToEach;
  using Base::failure_, Base::group_, Base::vector_;

  /// For a place whose own content is sent.
  void receiveOverlapped(uint32_t member, Range range) {
    vector_.forEachMessage(range, [&](Range message, T *) {
      Base::receiveIntoScratch(member, message);
    });
  }
  /// What was received goes to its place when everything has been sent.
  Status exchangePlaces() {
    BOOSTRT_RETURN_IF_ERROR(Base::run([](size_t) {}));
    for (size_t i = 0; i < Base::receiveCount(); ++i)
      Base::copyIn(Base::rangeOf(i), Base::placeOf(i));
    return failure_;
  }
};

/// act(Move, slice) for each block of `vector`.
template <typename T, typename Act>
Status moveSlices(Group &group, const ShardedVector<T> &vector,
                  Workspace &workspace, VectorMemory &memory, Act &&act) {
  return exchangeBlocks<Move<T>>(
      group, SegmentedVector<T>(vector.parts(), memory.cuts()), vector,
      workspace, memory, act);
}

/// act(Move, Range) for each block of `parts`.
template <typename T, typename Act>
Status moveParts(Group &group, std::span<const std::span<T>> parts,
                 Workspace &workspace, VectorMemory &memory, Act &&act) {
  SegmentedVector<T> vector(parts, memory.cuts());
  return exchangeBlocks<Move<T>>(group, vector, vector, workspace, memory, act);
}

} // namespace

template <typename T>
Status allGather(Group &group, const ShardedVector<T> &vector,
                 Workspace &workspace, VectorMemory &memory) {
  return moveSlices(
      group, vector, workspace, memory,
      [](Move<T> &move, auto &&slice) { return move.gatherSlices(slice); });
}

template <typename T>
Status allToAll(Group &group, const ShardedVector<T> &vector,
                Workspace &workspace, VectorMemory &memory) {
  return moveSlices(
      group, vector, workspace, memory,
      [](Move<T> &move, auto &&slice) { return move.allToAll(slice); });
}

template <typename T>
Status broadcast(Group &group, uint32_t root,
                 std::span<const std::span<T>> parts, Workspace &workspace,
                 VectorMemory &memory) {
  return moveParts(
      group, parts, workspace, memory,
      [&](Move<T> &move, Range block) { return move.broadcast(root, block); });
}

template <typename T>
Status shift(Group &group, uint32_t distance,
             std::span<const std::span<T>> parts, Workspace &workspace,
             VectorMemory &memory) {
  if (distance == 0)
    return Status();
  return moveParts(
      group, parts, workspace, memory,
      [&](Move<T> &move, Range block) { return move.shift(distance, block); });
}

#define BOOSTRT_INSTANTIATE(T)                                                 \
  template Status allGather(Group &, const ShardedVector<T> &, Workspace &,    \
                            VectorMemory &);                                   \
  template Status allToAll(Group &, const ShardedVector<T> &, Workspace &,     \
                           VectorMemory &);                                    \
  template Status broadcast(Group &, uint32_t, std::span<const std::span<T>>,  \
                            Workspace &, VectorMemory &);                      \
  template Status shift(Group &, uint32_t, std::span<const std::span<T>>,      \
                        Workspace &, VectorMemory &);
BOOSTRT_INSTANTIATE(float)
BOOSTRT_INSTANTIATE(int64_t)
#undef BOOSTRT_INSTANTIATE

} // namespace boostrt
