#include "runtime/comm/Collectives.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/HostVectors.h"
#include "runtime/comm/SegmentedExchange.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace boostrt {
namespace {

Range sliceOf(Range range, uint32_t index, uint32_t count) {
  return {range.begin + sliceBegin(range.size(), index, count),
          range.begin + sliceBegin(range.size(), index + 1, count)};
}

/// Sums over the members.
template <typename T> class Reduction : private SegmentedExchange<T> {
public:
  using SegmentedExchange<T>::SegmentedExchange;

  Status allReduce(Range range, AllReduceAlgorithm algorithm) {
    if (algorithm == AllReduceAlgorithm::Direct)
      return allReduceDirect(range);
    return allReduceHalving(range);
  }

  /// Each member gets the sum of its slice(member), and of nothing else.
  template <typename Slice> Status reduceScatter(Slice &&slice) {
    clear();
    uint32_t self = group_.self(), size = group_.size();
    for (uint32_t i = 1; i < size; ++i) {
      uint32_t to = (self + i) % size;
      send(to, slice(to));
    }
    // Every message of one place of the slice, from all, then the next place:
    // what is complete is added at once.
    vector_.forEachMessage(slice(self), [&](Range message, T *) {
      for (uint32_t i = 1; i < size; ++i)
        receiveIntoScratch((self + size - i) % size, message);
    });
    uint32_t peers = size - 1;
    return run([&](size_t i) {
      if ((i + 1) % peers == 0)
        addPieces(i + 1 - peers);
    });
  }

private:
  using Base = SegmentedExchange<T>;
  using Base::attempt, Base::clear, Base::copyIn, Base::copyOut, Base::gather,
      Base::gatherSlices;
  using Base::group_, Base::memory_, Base::scratch_, Base::used_, Base::vector_,
      Base::workspace_;
  using Base::placeOf, Base::rangeOf, Base::receiveInPlace,
      Base::receiveIntoScratch, Base::run, Base::send;

  uint32_t peerOf(uint32_t distance) const { return group_.self() ^ distance; }

  void add(Range range, const T *from) {
    vector_.forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      attempt(memory_.add(elementOf<T>, piece.data(),
                          from + (begin - range.begin), piece.size()));
    });
  }

  /// The pieces of all others for one place of our slice begin with receive
  /// `first`; ours is in the vector.
  void addPieces(size_t first) {
    uint32_t self = group_.self(), size = group_.size();
    Range range = rangeOf(first);
    T *own = vector_.inPlace(range);
    bool isCopied = !own;
    if (isCopied) {
      own = scratch_ + used_; // after what is sent and received
      copyOut(range, own);
    }
    workspace_.pieces.resize(size);
    workspace_.pieces[self] = own;
    for (uint32_t i = 1; i < size; ++i)
      workspace_.pieces[(self + size - i) % size] = placeOf(first + i - 1);
    attempt(memory_.sum(elementOf<T>, workspace_.pieces, range.size(), own));
    if (isCopied)
      copyIn(range, own);
  }

  Status allReduceDirect(Range range) {
    auto slice = [&](uint32_t member) {
      return sliceOf(range, member, group_.size());
    };
    BOOSTRT_RETURN_IF_ERROR(reduceScatter(slice));
    return gatherSlices(slice);
  }

  Status allReduceHalving(Range range) {
    uint32_t self = group_.self(), size = group_.size();
    assert(std::has_single_bit(size) && "halving takes a power of two");
    Range own = range;
    for (uint32_t distance = 1; distance < size; distance *= 2) {
      clear();
      bool isLower = !(self & distance);
      Range mine = sliceOf(own, !isLower, 2), others = sliceOf(own, isLower, 2);
      send(peerOf(distance), others);
      vector_.forEachMessage(mine, [&](Range message, T *) {
        receiveIntoScratch(peerOf(distance), message);
      });
      // Addition commutes, so it does not matter which half is the lower one.
      BOOSTRT_RETURN_IF_ERROR(
          run([&](size_t i) { add(rangeOf(i), placeOf(i)); }));
      own = mine;
    }
    for (uint32_t distance = size / 2; distance > 0; distance /= 2) {
      // What was `own` before it was halved at this distance.
      Range whole = range;
      for (uint32_t d = 1; d < distance; d *= 2)
        whole = sliceOf(whole, (self & d) != 0, 2);
      bool isLower = !(self & distance);
      clear();
      send(peerOf(distance), sliceOf(whole, !isLower, 2));
      receiveInPlace(peerOf(distance), sliceOf(whole, isLower, 2));
      BOOSTRT_RETURN_IF_ERROR(gather());
    }
    return Status();
  }
};

} // namespace

AllReduceAlgorithm fasterAlgorithm(uint32_t members, size_t bytes) {
  constexpr uint32_t fewMembers = 4;
  constexpr size_t largeSlice = size_t(64) << 10;
  bool isLatency = members > fewMembers && bytes / members < largeSlice;
  return isLatency && std::has_single_bit(members) ? AllReduceAlgorithm::Halving
                                                   : AllReduceAlgorithm::Direct;
}

namespace {

template <typename T>
Status allReduceParts(Group &group, std::span<const std::span<T>> parts,
                      Workspace &workspace, VectorMemory &memory,
                      AllReduceAlgorithm algorithm) {
  SegmentedVector<T> vector(parts, memory.cuts());
  if (algorithm == AllReduceAlgorithm::Auto)
    algorithm = fasterAlgorithm(group.size(), vector.size() * sizeof(T));
  return exchangeBlocks<Reduction<T>>(
      group, vector, vector, workspace, memory,
      [&](Reduction<T> &reduction, Range block) {
        return reduction.allReduce(block, algorithm);
      });
}

} // namespace

Status allReduceSum(Group &group, std::span<float> values, Workspace &workspace,
                    AllReduceAlgorithm algorithm) {
  HostVectors host(workspace);
  return allReduceParts<float>(group, {&values, 1}, workspace, host, algorithm);
}

Status allReduceSum(Group &group, std::span<int64_t> values,
                    Workspace &workspace, AllReduceAlgorithm algorithm) {
  HostVectors host(workspace);
  return allReduceParts<int64_t>(group, {&values, 1}, workspace, host,
                                 algorithm);
}

Status allReduceSum(Group &group, std::span<const std::span<float>> parts,
                    Workspace &workspace, AllReduceAlgorithm algorithm) {
  HostVectors host(workspace);
  return allReduceParts<float>(group, parts, workspace, host, algorithm);
}

Status allReduceSum(Group &group, std::span<const std::span<float>> parts,
                    Workspace &workspace, VectorMemory &memory,
                    AllReduceAlgorithm algorithm) {
  return allReduceParts<float>(group, parts, workspace, memory, algorithm);
}

Status allReduceSum(Group &group, std::span<const std::span<int64_t>> parts,
                    Workspace &workspace, VectorMemory &memory,
                    AllReduceAlgorithm algorithm) {
  return allReduceParts<int64_t>(group, parts, workspace, memory, algorithm);
}

template <typename T>
Status reduceScatterSum(Group &group, const ShardedVector<T> &vector,
                        Workspace &workspace, VectorMemory &memory) {
  return exchangeBlocks<Reduction<T>>(
      group, SegmentedVector<T>(vector.parts(), memory.cuts()), vector,
      workspace, memory, [](Reduction<T> &reduction, auto &&slice) {
        return reduction.reduceScatter(slice);
      });
}
template Status reduceScatterSum(Group &, const ShardedVector<float> &,
                                 Workspace &, VectorMemory &);
template Status reduceScatterSum(Group &, const ShardedVector<int64_t> &,
                                 Workspace &, VectorMemory &);

size_t allReduceScratchBytes(uint32_t members, size_t elements,
                             const VectorCuts &cuts) {
  if (members == 1)
    return 0;
  size_t block = std::max<size_t>(cuts.blockBytes / sizeof(float), members);
  return scratchElements(std::min(elements, block)) * sizeof(float);
}

} // namespace boostrt
