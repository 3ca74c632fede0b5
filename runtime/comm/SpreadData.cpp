// What members do together without arithmetic: gather, broadcast, barrier.
#include "runtime/comm/Collectives.h"

#include "runtime/comm/Division.h"

#include <cassert>

namespace boostrt {
namespace {

size_t beginOf(std::span<const size_t> ends, uint32_t member) {
  return member ? ends[member - 1] : 0;
}

} // namespace

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
  uint32_t self = (group.self() + size - root) % size; // numbered from the root
  auto rankOf = [&](uint32_t k) { return group.rankOf((k + root) % size); };
  if (self != 0) {
    Incoming receive{rankOf(spreadParent(self)), data};
    BOOSTRT_RETURN_IF_ERROR(group.transport().exchange({}, {&receive, 1}));
  }
  workspace.sends.clear();
  forEachSpreadChild(self, size, [&](uint32_t child) {
    workspace.sends.push_back({rankOf(child), data});
  });
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
