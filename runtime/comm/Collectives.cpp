#include "runtime/comm/Collectives.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/HostVectors.h"
#include "runtime/comm/PartedVector.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace boostrt {
namespace {

Range sliceOf(Range range, uint32_t index, uint32_t count) {
  return {range.begin + sliceBegin(range.size(), index, count),
          range.begin + sliceBegin(range.size(), index + 1, count)};
}

/// One all-reduce; the lists of the workspace are this call's. `numbers` has
/// where in the vector each message to receive begins, and `places` where it
/// goes: what a transport is told may differ (VectorMemory::message()).
template <typename T> class Reduction {
public:
  /// `scratch` is of `memory`.
  Reduction(Group &group, PartedVector<T> vector, Workspace &workspace,
            VectorMemory &memory, std::byte *scratch)
      : group_(group), vector_(vector), workspace_(workspace), memory_(memory),
        scratch_(reinterpret_cast<T *>(scratch)) {}

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

  /// copy(piece in the vector, place behind `at`) for the pieces of `range`.
  void copy(Range range, T *at, bool isIn) {
    vector_.forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      T *other = at + (begin - range.begin);
      attempt(memory_.copy(isIn ? piece.data() : other,
                           isIn ? other : piece.data(), piece.size_bytes()));
    });
  }
  void copyOut(Range range, T *to) { copy(range, to, /*isIn=*/false); }
  void copyIn(Range range, T *from) { copy(range, from, /*isIn=*/true); }

  void send(uint32_t member, Range range) {
    vector_.forEachMessage(range, [&](Range message, T *inPlace) {
      T *data = inPlace;
      if (!data) {
        data = take(message.size());
        copyOut(message, data);
      }
      workspace_.sends.push_back(
          {group_.rankOf(member), memory_.message(data, bytesOf(message),
                                                  /*isWritten=*/false)});
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

  T *placeOf(size_t receive) const {
    return static_cast<T *>(workspace_.places[receive]);
  }
  Range rangeOf(size_t receive) const {
    size_t begin = workspace_.numbers[receive];
    return {begin,
            begin + workspace_.receives[receive].data.size() / sizeof(T)};
  }

  template <typename Received> Status run(Received &&received) {
    BOOSTRT_RETURN_IF_ERROR(failure_);
    // A reference fits into a std::function without an allocation.
    BOOSTRT_RETURN_IF_ERROR(group_.transport().exchangeEach(
        workspace_.sends, workspace_.receives, std::ref(received)));
    return failure_;
  }

  Status gather() {
    return run([&](size_t i) {
      if (!vector_.inPlace(rangeOf(i)))
        copyIn(rangeOf(i), placeOf(i));
    });
  }

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
      own = scratch_ + used_; // behind what is sent and received
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
  VectorMemory &memory_;
  T *scratch_;
  size_t used_ = 0;
  Status failure_; ///< of the memory
};

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
                      Workspace &workspace, VectorMemory &memory,
                      AllReduceAlgorithm algorithm) {
  VectorCuts cuts = memory.cuts();
  PartedVector<T> vector(parts, cuts);
  if (group.size() == 1 || vector.size() == 0)
    return Status();
  if (algorithm == AllReduceAlgorithm::Auto)
    algorithm = fasterAlgorithm(group.size(), vector.size() * sizeof(T));
  // Equal slices stay equal in every block.
  size_t block =
      std::max<size_t>(cuts.blockBytes / sizeof(T) / group.size(), 1) *
      group.size();
  block = std::min(vector.size(), block);
  Result<std::byte *> scratch =
      memory.reserve(scratchElements(block) * sizeof(T));
  if (!scratch.ok())
    return scratch.status();
  Reduction<T> reduction(group, vector, workspace, memory, *scratch);
  for (size_t begin = 0; begin < vector.size(); begin += block)
    BOOSTRT_RETURN_IF_ERROR(reduction.allReduce(
        {begin, std::min(begin + block, vector.size())}, algorithm));
  return Status();
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

size_t allReduceScratchBytes(uint32_t members, size_t elements,
                             const VectorCuts &cuts) {
  if (members == 1)
    return 0;
  size_t block = std::max<size_t>(cuts.blockBytes / sizeof(float), members);
  return scratchElements(std::min(elements, block)) * sizeof(float);
}

} // namespace boostrt
