// MachineMemory.h - how much memory is left for a run, and whether its plan
// fits: before a page of it is touched, because a machine with too little would
// end an arbitrary process instead.
#pragma once

#include "runtime/trainer/Ranks.h"

#include <cstdint>
#include <string>

namespace boostrt {

/// Bytes that may still be taken; kUnlimited where nothing limits them or the
/// system does not tell.
struct MachineMemory {
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  uint64_t process = kUnlimited; ///< ulimit -v and -d
  uint64_t group = kUnlimited;   ///< the tightest cgroup around it
  std::string groupName;         ///< its folder; ranks with the same share it
  uint64_t machine = kUnlimited; ///< memory and swap

  /// Reads /proc and /sys below `root`, which is empty but for tests.
  static MachineMemory read(const std::string &root = "");
};

/// What a rank brings to the check, as all see it.
struct RankMemory {
  uint64_t planned = 0;
  uint64_t process = 0, group = 0, machine = 0; ///< as in MachineMemory
  uint64_t groupKey = 0;                        ///< of its name
};

/// Fails with ExitCode::Memory when the plans of the ranks that share a
/// machine, a cgroup or, with `shareProcess`, a process are more than it has
/// left: with both numbers and what to do. `serverOfRank` is Ranks::servers().
Status checkMemory(std::span<const RankMemory> ranks,
                   std::span<const uint32_t> serverOfRank, bool shareProcess);

/// The same for ranks of this machine that are not started yet.
Status checkMemory(uint64_t plannedEach, uint32_t ranks, bool shareProcess,
                   const MachineMemory &memory);

/// The same for the ranks of a job, each of which calls it with its own plan;
/// all find the same. `total`, where it is not null, becomes the sum of all
/// plans.
Status checkMemory(uint64_t planned, Ranks &ranks, const MachineMemory &memory,
                   uint64_t *total = nullptr);

} // namespace boostrt
