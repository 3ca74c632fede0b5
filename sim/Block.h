// Block.h - what a launch and a block in flight are made of. A worker owns one
// Block and runs one block of the grid in it after the other.
#pragma once

#include "sim/Memory.h"
#include "sim/SharedMemory.h"
#include "sim/SimMachine.h"
#include "sim/Warp.h"

#include <memory>
#include <optional>

namespace boostrt::sim {

/// What all workers of a launch read.
struct LaunchState {
  const SimModule *module = nullptr;
  const Kernel *kernel = nullptr;
  Memory *memory = nullptr;
  const LaunchRequest *request = nullptr;
  Dim3 grid;
  Dim3 block;
  uint32_t threads = 0; ///< of a block
  uint32_t sharedBytes = 0;
  std::span<const std::byte> parameters;
  bool bounds = true;
  bool all = true;
  bool globalRaces = true;
  uint64_t launchTag = 0; ///< of Allocation::tags, above kTagLaunchShift
  uint64_t budget = 0;
  /// Index into request->extents by kernel parameter, or -1.
  std::vector<int32_t> extentOfParameter;
};

struct Block {
  const LaunchState *launch = nullptr;
  Dim3 index{0, 0, 0};
  uint64_t linear = 0;
  SharedMemory shared;
  std::vector<Warp> warps;
  std::optional<Fault> fault;
  Allocation *recent[2] = {nullptr, nullptr}; ///< of the last accesses

  /// Room for the launch's blocks.
  void prepare(const LaunchState &state);
  /// Runs block `linearIndex` to its end or its first fault.
  void run(uint64_t linearIndex);

  uint64_t executed = 0;
  uint64_t laneExecuted = 0;
  uint64_t globalBytes = 0;

private:
  void start(uint64_t linearIndex);
  bool checkBarrier();
  std::unique_ptr<std::byte[], FreeDeleter> frames_;
  std::vector<std::byte> local_;
  std::vector<uint8_t> localWritten_;
};

/// Runs `warp` until it ends, faults or waits at a barrier.
void runWarp(Warp &warp);

} // namespace boostrt::sim
