#include "runtime/comm/Collectives.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/PartedVector.h"
#include "runtime/comm/TreeSum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace boostrt {
namespace {

Range sliceOf(Range range, uint32_t index, uint32_t count) {
  return {range.begin + sliceBegin(range.size(), index, count),
          range.begin + sliceBegin(range.size(), index + 1, count)};
}

/// One all-reduce; the lists of the workspace are this call's. `numbers` has
/// where in the vector each message to receive begins.
template <typename T> class Reduction {
public:
  Reduction(Group &group, PartedVector<T> vector, Workspace &workspace,
            size_t scratchElements)
      : group_(group), vector_(vector), workspace_(workspace),
        scratch_(reinterpret_cast<T *>(
            workspace.reserve(scratchElements * sizeof(T)))) {}

  Status allReduce(Range range, AllReduceAlgorithm algorithm) {
    if (algorithm == AllReduceAlgorithm::Direct)
      return allReduceDirect(range);
    return allReduceHalving(range);
  }

private:
  /// Each member gets the sum of its slice of `range`.
  Status reduceScatter(Range range) {
    clear();
    uint32_t self = group_.self(), size = group_.size();
    for (uint32_t i = 1; i < size; ++i) {
      uint32_t to = (self + i) % size;
      send(to, sliceOf(range, to, size));
    }
    // Every message of one place of the slice, from all, then the next place:
    // what is complete is added at once.
    vector_.forEachMessage(sliceOf(range, self, size), [&](Range message, T *) {
      for (uint32_t i = 1; i < size; ++i)
        receiveIntoScratch((self + size - i) % size, message);
    });
    uint32_t peers = size - 1;
    return run([&](size_t i) {
      if ((i + 1) % peers == 0)
        addPieces(i + 1 - peers);
    });
  }

  uint32_t peerOf(uint32_t distance) const { return group_.self() ^ distance; }

  void clear() {
    workspace_.sends.clear();
    workspace_.receives.clear();
    workspace_.numbers.clear();
    used_ = 0;
  }

  T *take(size_t elements) {
    T *place = scratch_ + used_;
    used_ += elements;
    return place;
  }

  void send(uint32_t member, Range range) {
    vector_.forEachMessage(range, [&](Range message, T *inPlace) {
      T *data = inPlace;
      if (!data) {
        data = take(message.size());
        vector_.copyOut(message, data);
      }
      workspace_.sends.push_back(
          {group_.rankOf(member),
           std::as_bytes(std::span(data, message.size()))});
    });
  }

  void receive(uint32_t member, Range message, T *place) {
    workspace_.receives.push_back(
        {group_.rankOf(member),
         std::as_writable_bytes(std::span(place, message.size()))});
    workspace_.numbers.push_back(message.begin);
  }

  void receiveIntoScratch(uint32_t member, Range message) {
    receive(member, message, take(message.size()));
  }

  void receiveInPlace(uint32_t member, Range range) {
    vector_.forEachMessage(range, [&](Range message, T *inPlace) {
      receive(member, message, inPlace ? inPlace : take(message.size()));
    });
  }

  T *placeOf(size_t receive) const {
    return reinterpret_cast<T *>(workspace_.receives[receive].data.data());
  }
  Range rangeOf(size_t receive) const {
    size_t begin = workspace_.numbers[receive];
    return {begin,
            begin + workspace_.receives[receive].data.size() / sizeof(T)};
  }

  template <typename Received> Status run(Received &&received) {
    // A reference fits into a std::function without an allocation.
    return group_.transport().exchangeEach(
        workspace_.sends, workspace_.receives, std::ref(received));
  }

  Status gather() {
    return run([&](size_t i) {
      if (!vector_.inPlace(rangeOf(i)))
        vector_.copyIn(rangeOf(i), placeOf(i));
    });
  }

  void add(Range range, const T *from) {
    vector_.forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      addArrays(piece.data(), piece.data(), from + (begin - range.begin),
                piece.size());
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
      own = scratch_ + used_; // behind what is sent and received
      vector_.copyOut(range, own);
    }
    workspace_.pieces.resize(size);
    workspace_.pieces[self] = own;
    for (uint32_t i = 1; i < size; ++i)
      workspace_.pieces[(self + size - i) % size] = placeOf(first + i - 1);
    treeSum<T>(workspace_.pieces, range.size(), own);
    if (isCopied)
      vector_.copyIn(range, own);
  }

  Status allReduceDirect(Range range) {
    uint32_t self = group_.self(), size = group_.size();
    auto slice = [&](uint32_t member) { return sliceOf(range, member, size); };
    BOOSTRT_RETURN_IF_ERROR(reduceScatter(range));
    clear();
    for (uint32_t i = 1; i < size; ++i) {
      send((self + i) % size, slice(self));
      receiveInPlace((self + size - i) % size, slice((self + size - i) % size));
    }
    return gather();
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

  Group &group_;
  PartedVector<T> vector_;
  Workspace &workspace_;
  T *scratch_;
  size_t used_ = 0;
};

/// Of the vector, as many as an all-reduce works on at a time.
template <typename T>
constexpr size_t blockSize = kAllReduceBlockBytes / sizeof(T);

/// Direct: (n-1)/n of a block to send when all of it must be copied together,
/// as much to receive, and 1/n for our own slice. Halving takes less.
size_t scratchElements(size_t block) { return 2 * block; }

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
                      Workspace &workspace, AllReduceAlgorithm algorithm) {
  PartedVector<T> vector(parts);
  if (group.size() == 1 || vector.size() == 0)
    return Status();
  if (algorithm == AllReduceAlgorithm::Auto)
    algorithm = fasterAlgorithm(group.size(), vector.size() * sizeof(T));
  // Equal slices stay equal in every block.
  size_t block =
      std::max<size_t>(blockSize<T> / group.size(), 1) * group.size();
  block = std::min(vector.size(), block);
  Reduction<T> reduction(group, vector, workspace, scratchElements(block));
  for (size_t begin = 0; begin < vector.size(); begin += block)
    BOOSTRT_RETURN_IF_ERROR(reduction.allReduce(
        {begin, std::min(begin + block, vector.size())}, algorithm));
  return Status();
}

size_t beginOf(std::span<const size_t> ends, uint32_t member) {
  return member ? ends[member - 1] : 0;
}

} // namespace

Status allReduceSum(Group &group, std::span<float> values, Workspace &workspace,
                    AllReduceAlgorithm algorithm) {
  return allReduceParts<float>(group, {&values, 1}, workspace, algorithm);
}

Status allReduceSum(Group &group, std::span<int64_t> values,
                    Workspace &workspace, AllReduceAlgorithm algorithm) {
  return allReduceParts<int64_t>(group, {&values, 1}, workspace, algorithm);
}

Status allReduceSum(Group &group, std::span<const std::span<float>> parts,
                    Workspace &workspace, AllReduceAlgorithm algorithm) {
  return allReduceParts<float>(group, parts, workspace, algorithm);
}

size_t allReduceScratchBytes(uint32_t members, size_t elements) {
  if (members == 1)
    return 0;
  size_t block = std::max<size_t>(blockSize<float>, members);
  return scratchElements(std::min(elements, block)) * sizeof(float);
}

Status allGather(Group &group, std::span<std::byte> all,
                 std::span<const size_t> ends, Workspace &workspace) {
  assert(ends.size() == group.size() && "every member has a slice");
  uint32_t self = group.self(), size = group.size();
  auto slice = [&](uint32_t member) {
    size_t begin = beginOf(ends, member);
    return all.subspan(begin, ends[member] - begin);
  };
  workspace.sends.clear();
  workspace.receives.clear();
  for (uint32_t i = 1; i < size; ++i) {
    uint32_t to = (self + i) % size, from = (self + size - i) % size;
    if (!slice(self).empty())
      workspace.sends.push_back({group.rankOf(to), slice(self)});
    if (!slice(from).empty())
      workspace.receives.push_back({group.rankOf(from), slice(from)});
  }
  return group.transport().exchange(workspace.sends, workspace.receives);
}

Status broadcast(Group &group, uint32_t root, std::span<std::byte> data,
                 Workspace &workspace) {
  uint32_t size = group.size();
  // Numbered from the root, member k gets it from k without its highest bit.
  uint32_t self = (group.self() + size - root) % size;
  auto rankOf = [&](uint32_t k) { return group.rankOf((k + root) % size); };
  if (self != 0) {
    Incoming receive{rankOf(self - std::bit_floor(self)), data};
    BOOSTRT_RETURN_IF_ERROR(group.transport().exchange({}, {&receive, 1}));
  }
  workspace.sends.clear();
  for (uint64_t bit = self ? std::bit_floor(self) * uint64_t(2) : 1;
       self + bit < size; bit *= 2)
    workspace.sends.push_back(
        {rankOf(self + static_cast<uint32_t>(bit)), data});
  return group.transport().exchange(workspace.sends, {});
}

Status barrier(Group &group) {
  uint32_t self = group.self(), size = group.size();
  // After the round of distance d, a member has heard of 2d - 1 before it.
  for (uint32_t distance = 1; distance < size; distance *= 2) {
    Outgoing send{group.rankOf((self + distance) % size), {}};
    Incoming receive{group.rankOf((self + size - distance) % size), {}};
    BOOSTRT_RETURN_IF_ERROR(
        group.transport().exchange({&send, 1}, {&receive, 1}));
  }
  return Status();
}

} // namespace boostrt
