// What members do together with vectors without arithmetic.
#include "runtime/comm/Collectives.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/SegmentedExchange.h"

#include <array>

namespace boostrt {
namespace {

template <typename T> class Move : private SegmentedExchange<T> {
public:
  using SegmentedExchange<T>::SegmentedExchange;
  using SegmentedExchange<T>::gatherSlices;

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

private:
  using Base = SegmentedExchange<T>;
  using Base::clear, Base::gather, Base::receiveInPlace, Base::sendToEach;
  using Base::group_;
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
Status keepOwnSlice(Group &group, const ShardedVector<T> &vector,
                    VectorMemory &memory) {
  static constexpr std::array<T, 256> zeros{};
  SegmentedVector<T> all(vector.parts());
  Range own = vector.slice(group.self());
  Status status;
  for (Range others : {Range{0, own.begin}, Range{own.end, vector.size()}})
    all.forEachPiece(others, [&](size_t, std::span<T> piece) {
      for (; !piece.empty() && status.ok();
           piece = piece.subspan(std::min(piece.size(), zeros.size())))
        status = memory.put(piece.data(), zeros.data(),
                            std::min(piece.size(), zeros.size()) * sizeof(T));
    });
  return status;
}

template <typename T>
Status allGather(Group &group, const ShardedVector<T> &vector,
                 Workspace &workspace, VectorMemory &memory) {
  return moveSlices(
      group, vector, workspace, memory,
      [](Move<T> &move, auto &&slice) { return move.gatherSlices(slice); });
}

template <typename T>
Status broadcast(Group &group, uint32_t root,
                 std::span<const std::span<T>> parts, Workspace &workspace,
                 VectorMemory &memory) {
  return moveParts(
      group, parts, workspace, memory,
      [&](Move<T> &move, Range block) { return move.broadcast(root, block); });
}

#define BOOSTRT_INSTANTIATE(T)                                                 \
  template Status keepOwnSlice(Group &, const ShardedVector<T> &,              \
                               VectorMemory &);                                \
  template Status allGather(Group &, const ShardedVector<T> &, Workspace &,    \
                            VectorMemory &);                                   \
  template Status broadcast(Group &, uint32_t, std::span<const std::span<T>>,  \
                            Workspace &, VectorMemory &);
BOOSTRT_INSTANTIATE(float)
BOOSTRT_INSTANTIATE(int64_t)
#undef BOOSTRT_INSTANTIATE

} // namespace boostrt
