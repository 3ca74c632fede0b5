// SimMachine.h - executes kernels of a SimModule on the CPU, a warp of 32 lanes
// at a time, and checks what they do (docs/sim.md).
#pragma once

#include "sim/Fault.h"
#include "sim/SimModule.h"

#include <functional>
#include <optional>
#include <span>

namespace boostrt::sim {

/// How much is checked. Whatever the level, a kernel cannot reach memory of the
/// host: an access outside all allocations, and a misaligned one, are faults.
enum class Checks : uint8_t {
  Off,
  Bounds, ///< and the extents of the arguments, and bounds inside arenas
  All,    ///< and uninitialised reads, races, divergence, inactive lanes
};

/// Runs work(0) ... work(workers - 1), each on a thread of its own if it likes,
/// and returns when all have returned.
using ParallelFor = std::function<void(
    uint32_t workers, const std::function<void(uint32_t)> &work)>;

struct MachineOptions {
  Checks checks = Checks::All;
  /// Report words of global memory that two blocks of a launch touch, one of
  /// them writing. Part of Checks::All only.
  bool globalRaces = true;
  /// Workers at most. Results do not depend on it.
  uint32_t threads = 1;
  /// Empty: threads of our own.
  ParallelFor parallelFor;
  /// Instructions that one warp may execute in a launch; an endless loop ends
  /// here.
  uint64_t instructionBudget = 100'000'000;
};

/// The memory that belongs to a pointer argument. When a launch names any, the
/// kernel may touch nothing else; where the decoder can tell which argument an
/// address comes from, nothing but that argument's own.
struct ArgumentExtent {
  uint32_t parameter = 0; ///< of the kernel, counted from 0
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name; ///< of the buffer, for reports
  bool readOnly = false;
};

struct LaunchRequest {
  const Kernel *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  uint32_t dynamicSharedBytes = 0;
  /// The parameters at their offsets (Kernel::parameters).
  std::span<const std::byte> parameters;
  std::span<const ArgumentExtent> extents = {};
  KernelOrigin origin = {};
};

struct LaunchOutcome {
  /// ExitCode::Internal with the formatted fault, or with what is wrong with
  /// the request; a kernel that faults is a defect of the compiler.
  Status status;
  std::optional<Fault> fault;
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;
  /// By ld.global, each lane by itself.
  uint64_t globalBytesRead = 0;
};

/// The limits of the simulated device: those of sm_80.
inline constexpr uint32_t kMaxBlockThreads = 1024;
inline constexpr uint32_t kMaxShared = 163 << 10;

class SimMachine {
public:
  explicit SimMachine(MachineOptions options = {});
  ~SimMachine();

  MachineOptions &options() { return options_; }

  /// Runs all blocks and returns. After a fault the contents of memory are
  /// those of a launch stopped somewhere; the fault is that of the first block,
  /// in the order of the grid, that had one.
  LaunchOutcome launch(const SimModule &module, const LaunchRequest &request);

private:
  struct Worker;
  MachineOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace boostrt::sim
