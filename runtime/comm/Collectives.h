// Collectives.h - what the members of a group do together. Every member calls
// the same function with lists of the same lengths, in the same order.
//
// A sum is the same bits on every member and for every algorithm: for every
// element alone, the sum over members lo..hi-1 is sum(lo..mid-1) +
// sum(mid..hi-1) with mid - lo the largest power of two below hi - lo. That is
// the tree of runtime/trainer/GradientTree.h, so that a window of micro-batches
// has one sum however many ranks share it. A member that has nothing to add
// contributes -0.0 everywhere: x + -0.0 is x for every x, also for 0.0 and
// -0.0, so that a short window keeps the bits it has without that member.
// (Which payload a sum of two NaNs has is not promised.)
//
// All fail as Transport::exchange does. What they were to write then is
// undefined.
#pragma once

#include "runtime/comm/Group.h"
#include "runtime/comm/ShardedVector.h"
#include "runtime/comm/VectorMemory.h"
#include "runtime/comm/Workspace.h"

#include <type_traits>

namespace boostrt {

enum class AllReduceAlgorithm {
  Auto,    ///< the one that takes less time
  Halving, ///< vector halving with distance doubling, mirrored all-gather: 2
           ///< log2(n) messages one after the other; powers of two only
  Direct,  ///< every member sums one slice: 2 (n-1) messages in two rounds, and
           ///< all n contributions are added at once
};

/// What Auto is for a vector of `bytes`, the same for every member. Many ranks
/// with little to add wait for messages, of which halving has fewer; else fewer
/// rounds and fewer additions in memory count (tools/bench/allreduce.py).
AllReduceAlgorithm fasterAlgorithm(uint32_t members, size_t bytes);

/// Replaces `values` on every member by their sum. Each member sends
/// 2 (1 - 1/n) of the vector, to within a few elements.
Status allReduceSum(Group &group, std::span<float> values, Workspace &workspace,
                    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Auto);
Status allReduceSum(Group &group, std::span<int64_t> values,
                    Workspace &workspace,
                    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Auto);

/// The same for spans that together are one vector: the gradients of a bucket.
/// Only spans too short for a message of their own are copied together.
Status allReduceSum(Group &group, std::span<const std::span<float>> parts,
                    Workspace &workspace,
                    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Auto);

/// How much of a workspace an all-reduce of `elements` floats takes. What
/// follows takes no more, for as many elements as members times the longest
/// slice where there are slices.
size_t allReduceScratchBytes(uint32_t members, size_t elements,
                             const VectorCuts &cuts = kHostCuts);

/// The same for vectors in `memory`, with its scratch memory; of `workspace`
/// only the lists are used. Returns when the last message has come; what was
/// asked of the memory then is under way.
Status allReduceSum(Group &group, std::span<const std::span<float>> parts,
                    Workspace &workspace, VectorMemory &memory,
                    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Auto);
Status allReduceSum(Group &group, std::span<const std::span<int64_t>> parts,
                    Workspace &workspace, VectorMemory &memory,
                    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Auto);

// Collectives of ops, on vectors in `memory` as the sums above: for elements of
// type float and int64_t.

/// Every member's own slice becomes its sum over the members, with the bits of
/// allReduceSum(); the rest stays as it is.
template <typename T>
Status reduceScatterSum(Group &group, const ShardedVector<T> &vector,
                        Workspace &workspace, VectorMemory &memory);

/// What is not in the member's own slice becomes zero.
template <typename T>
Status keepOwnSlice(Group &group, const ShardedVector<T> &vector,
                    VectorMemory &memory);

/// Slice m becomes what member m has there.
template <typename T>
Status allGather(Group &group, const ShardedVector<T> &vector,
                 Workspace &workspace, VectorMemory &memory);

/// The vector becomes that of member `root`.
template <typename T>
Status broadcast(Group &group, uint32_t root,
                 std::span<const std::span<T>> parts, Workspace &workspace,
                 VectorMemory &memory);

/// `all` is on every member what members 0, 1, ... brought, one after the
/// other; member m brought all[ends[m-1]..ends[m]), and has it there already.
Status allGather(Group &group, std::span<std::byte> all,
                 std::span<const size_t> ends, Workspace &workspace);

/// `data` of member `root` on every member.
Status broadcast(Group &group, uint32_t root, std::span<std::byte> data,
                 Workspace &workspace);

/// Returns when every member has called it.
Status barrier(Group &group);

/// all[m] is the value that member m brought.
template <typename T>
Status allGatherValue(Group &group, const T &own, std::span<T> all,
                      Workspace &workspace) {
  static_assert(std::is_trivially_copyable_v<T>);
  all[group.self()] = own;
  // `numbers` is the workspace's, and allGather() does not use it.
  workspace.numbers.resize(group.size());
  for (uint32_t member = 0; member < group.size(); ++member)
    workspace.numbers[member] = (member + 1) * sizeof(T);
  return allGather(group, std::as_writable_bytes(all), workspace.numbers,
                   workspace);
}

} // namespace boostrt
