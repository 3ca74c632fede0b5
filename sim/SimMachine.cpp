#include "sim/SimMachine.h"

#include "sim/Block.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <thread>

namespace boostrt::sim {

struct SimMachine::Worker {
  Block block;
};

SimMachine::SimMachine(MachineOptions options) : options_(std::move(options)) {}
SimMachine::~SimMachine() = default;

namespace {
Status refuse(const LaunchRequest &request, std::string_view what) {
  return Status(ExitCode::Internal,
                fmt::format("sim: cannot launch '{}'{}{}: {}",
                            request.kernel ? request.kernel->name : "",
                            request.origin.position.empty() ? "" : " of ",
                            request.origin.position, what));
}

Status checkExtents(const SimModule &module, const LaunchRequest &request) {
  for (const ArgumentExtent &extent : request.extents) {
    if (extent.parameter >= request.kernel->parameters.size())
      return refuse(request,
                    fmt::format("extent '{}' is of parameter {}; there "
                                "are {}",
                                extent.name, extent.parameter,
                                request.kernel->parameters.size()));
    if (!module.memory().find(extent.address, extent.bytes))
      return refuse(
          request,
          fmt::format(
              "extent '{}' ({} bytes at 0x{:x}) lies in no allocation: {}",
              extent.name, extent.bytes, extent.address,
              module.memory().describe(extent.address, extent.bytes)));
  }
  return Status();
}

Status check(const SimModule &module, const LaunchRequest &request) {
  if (!request.kernel)
    return refuse(request, "there is no such kernel");
  const Kernel &kernel = *request.kernel;
  const Dim3 &block = request.block, &grid = request.grid;
  if (block.count() == 0 || block.x > kMaxBlockThreads ||
      block.y > kMaxBlockThreads || block.z > 64 ||
      block.count() > kMaxBlockThreads)
    return refuse(request,
                  fmt::format("a block of {} x {} x {} threads; 1 to {} "
                              "threads are possible, 64 in z",
                              block.x, block.y, block.z, kMaxBlockThreads));
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff ||
      grid.y > 0xffff || grid.z > 0xffff || grid.count() >= 1ull << 38)
    return refuse(request,
                  fmt::format("a grid of {} x {} x {} blocks; 1 to "
                              "2147483647 x 65535 x 65535 are possible",
                              grid.x, grid.y, grid.z));
  uint64_t shared = uint64_t(kernel.sharedBytes) + request.dynamicSharedBytes;
  if (shared > kMaxShared)
    return refuse(request,
                  fmt::format("{} bytes of shared memory; a block has {}",
                              shared, kMaxShared));
  if (request.parameters.size() != kernel.parameterBytes)
    return refuse(
        request, fmt::format("{} bytes of parameters; the kernel has {}",
                             request.parameters.size(), kernel.parameterBytes));
  if (kernel.maximalThreads && block.count() > kernel.maximalThreads)
    return refuse(request, fmt::format("{} threads; .maxntid allows {}",
                                       block.count(), kernel.maximalThreads));
  const uint32_t *required = kernel.requiredThreads;
  if (required[0] && (block.x != required[0] || block.y != required[1] ||
                      block.z != required[2]))
    return refuse(request,
                  fmt::format("a block of {} x {} x {}; .reqntid wants {} "
                              "x {} x {}",
                              block.x, block.y, block.z, required[0],
                              required[1], required[2]));
  return checkExtents(module, request);
}

void runOnThreads(uint32_t workers, const std::function<void(uint32_t)> &work) {
  std::vector<std::thread> threads;
  for (uint32_t i = 1; i < workers; ++i)
    threads.emplace_back(work, i);
  work(0);
  for (std::thread &thread : threads)
    thread.join();
}
} // namespace

LaunchOutcome SimMachine::launch(const SimModule &module,
                                 const LaunchRequest &request) {
  LaunchOutcome outcome;
  outcome.status = check(module, request);
  if (!outcome.status.ok())
    return outcome;
  LaunchState state;
  state.module = &module;
  state.kernel = request.kernel;
  state.memory = &module.memory();
  state.request = &request;
  state.grid = request.grid;
  state.block = request.block;
  state.threads = static_cast<uint32_t>(request.block.count());
  state.sharedBytes = request.kernel->sharedBytes + request.dynamicSharedBytes;
  state.parameters = request.parameters;
  state.bounds = options_.checks != Checks::Off;
  state.all = options_.checks == Checks::All;
  uint64_t blocks = request.grid.count();
  state.globalRaces = state.all && options_.globalRaces && blocks > 1;
  state.budget = options_.instructionBudget;
  state.extentOfParameter.assign(request.kernel->parameters.size(), -1);
  for (size_t i = 0; i < request.extents.size(); ++i)
    state.extentOfParameter[request.extents[i].parameter] =
        static_cast<int32_t>(i);
  if (state.globalRaces) {
    state.launchTag = module.memory().nextLaunch();
    outcome.status = module.memory().prepareTags();
    if (!outcome.status.ok())
      return outcome;
  }

  uint64_t usable = request.kernel->ordered ? 1 : blocks;
  auto workers = static_cast<uint32_t>(
      std::min<uint64_t>(std::max(options_.threads, 1u), usable));
  while (workers_.size() < workers)
    workers_.push_back(std::make_unique<Worker>());
  std::atomic<uint64_t> next{0};
  // Blocks after the first one that faulted need not run; those before it
  // must, for one of them may fault too, and the first is to be reported.
  std::atomic<uint64_t> firstFault{blocks};
  auto work = [&](uint32_t worker) {
    Block &block = workers_[worker]->block;
    block.prepare(state);
    while (true) {
      uint64_t index = next.fetch_add(1);
      if (index >= firstFault.load())
        return;
      block.run(index);
      if (!block.fault)
        continue;
      uint64_t known = firstFault.load();
      while (index < known && !firstFault.compare_exchange_weak(known, index)) {
      }
      return;
    }
  };
  if (workers == 1)
    work(0);
  else if (options_.parallelFor)
    options_.parallelFor(workers, work);
  else
    runOnThreads(workers, work);

  for (uint32_t i = 0; i < workers; ++i) {
    Block &block = workers_[i]->block;
    outcome.warpInstructions += block.executed;
    outcome.laneInstructions += block.laneExecuted;
    outcome.globalBytesRead += block.globalBytes;
    if (block.fault && block.linear == firstFault.load())
      outcome.fault = block.fault;
  }
  if (outcome.fault)
    outcome.status = Status(ExitCode::Internal, outcome.fault->format());
  return outcome;
}

} // namespace boostrt::sim
