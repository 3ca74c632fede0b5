#include "sim/SimDriver.h"

#include "runtime/device/cpu/CpuFeatures.h"
#include "sim/SimLibrary.h"

#include <fmt/format.h>
#include <iterator>

namespace boostrt::sim {

Result<std::unique_ptr<SimDriver>> SimDriver::create(uint32_t threads,
                                                     Checks checks) {
  // What the files of the machine are compiled for (runtime/device).
  if (Status status = checkCpuFeatures("avx2,fma,bmi,bmi2,popcnt,lzcnt");
      !status.ok())
    return Status(status.code(),
                  "the simulated GPU cannot run here: " + status.message());
  MachineOptions options;
  options.threads = threads;
  options.checks = checks;
  return std::unique_ptr<SimDriver>(new SimDriver(std::move(options)));
}

Status SimDriver::load(const BoostModule *modules, const std::string &program) {
  for (; modules->kind != BOOSTC_MODULE_END; ++modules) {
    if (modules->kind != BOOSTC_MODULE_PTX)
      continue;
    Result<SimModule> module = SimModule::load(
        {static_cast<const char *>(modules->data), modules->bytes}, memory_,
        {fmt::format("{}: kernels.ptx", program)});
    if (!module.ok())
      return module.status();
    modules_.push_back(std::move(module).value());
    return Status();
  }
  return Status(ExitCode::Input,
                fmt::format("'{}' has no PTX, which the simulated GPU runs; "
                            "build it again with boostc",
                            program));
}

Result<uint32_t> SimDriver::findKernel(const char *name) {
  const SimModule &module = modules_.back();
  const Kernel *kernel = module.findKernel(name);
  if (!kernel)
    return Status(ExitCode::Input,
                  fmt::format("{}: the program launches kernel '{}', which "
                              "its modules lack; build it again with boostc",
                              module.name(), name));
  kernels_.push_back({&module, kernel});
  return static_cast<uint32_t>(kernels_.size() - 1);
}

Result<uint64_t> SimDriver::allocate(uint64_t bytes, const std::string &name) {
  Result<uint64_t> address = memory_.allocate(bytes, name);
  if (!address.ok())
    return Status(ExitCode::Internal, address.status().message());
  return address;
}

Status SimDriver::copyIn(uint64_t to, std::span<const std::byte> from) {
  BOOSTRT_RETURN_IF_ERROR(checkCopy(to, from.size(), /*isWritten=*/true));
  return memory_.copyIn(to, from);
}

Status SimDriver::copyOut(std::span<const DeviceCopy> copies) {
  for (const DeviceCopy &copy : copies) {
    if (copy.to.empty())
      continue;
    auto from = reinterpret_cast<uint64_t>(copy.from);
    BOOSTRT_RETURN_IF_ERROR(
        checkCopy(from, copy.to.size(), /*isWritten=*/false));
    BOOSTRT_RETURN_IF_ERROR(memory_.copyOut(copy.to, from));
  }
  return Status();
}

Status SimDriver::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  BOOSTRT_RETURN_IF_ERROR(checkCopy(from, bytes, /*isWritten=*/false));
  if (Allocation *at = memory_.find(from, bytes))
    return copyIn(to, {&at->data[from - at->address], bytes});
  return Status(ExitCode::Internal,
                fmt::format("sim: cannot copy {} bytes at 0x{:x}: {}", bytes,
                            from, memory_.describe(from, bytes)));
}

std::span<std::byte> SimDriver::message(uint64_t address, uint64_t bytes,
                                        bool isWritten) {
  Allocation *at = memory_.find(address, bytes);
  if (!at)
    return {};
  noteSideAccess(address, bytes, isWritten);
  if (isWritten)
    at->markWritten(address - at->address, bytes);
  return {&at->data[address - at->address], bytes};
}

Status SimDriver::copyBatch(uint64_t to, std::span<const std::byte> from) {
  Batch &batch =
      batches_.try_emplace(to, Batch{from.size(), false}).first->second;
  if (batch.isInUse)
    return Status(ExitCode::Internal,
                  fmt::format("a batch is copied to {:#x} before the launches "
                              "that use it are complete; please report this",
                              to));
  return memory_.copyIn(to, from);
}

Status SimDriver::beginUse(uint64_t batch) {
  if (auto found = batches_.find(batch); found != batches_.end())
    found->second.isInUse = true;
  return Status();
}

Status SimDriver::endUse(uint64_t batch) {
  if (auto found = batches_.find(batch); found != batches_.end())
    found->second.isInUse = false;
  return Status();
}

Status SimDriver::mark(uint32_t number) {
  marks_.insert(number);
  return Status();
}

Status SimDriver::forkToSideStream(uint32_t number) {
  if (marks_.erase(number) == 0)
    return Status(ExitCode::Internal,
                  fmt::format("the side stream waits for mark {}, which "
                              "no program has set; please report this",
                              number));
  isOnSideStream_ = true;
  isJoined_ = false;
  return Status();
}

Status SimDriver::joinSideStream() {
  isJoined_ = true;
  sideAccesses_.clear();
  return Status();
}

void SimDriver::noteSideAccess(uint64_t address, uint64_t bytes,
                               bool isWritten) {
  if (isOnSideStream_)
    sideAccesses_.push_back({address, address + bytes, isWritten});
}

Status SimDriver::checkCopy(uint64_t address, uint64_t bytes, bool isWritten) {
  noteSideAccess(address, bytes, isWritten);
  if (isOnSideStream_ || isJoined_)
    return Status();
  for (const Access &access : sideAccesses_)
    if ((isWritten || access.isWritten) && address < access.end &&
        access.begin < address + bytes)
      return Status(
          ExitCode::Internal,
          fmt::format("a copy of {} bytes at {:#x} does not wait for what {} "
                      "them on the side stream; please report this",
                      bytes, address, access.isWritten ? "writes" : "reads"));
  return Status();
}

Status SimDriver::launch(uint32_t kernel, const BoostLaunch &launch,
                         std::span<const uint64_t> operands) {
  return submit({&kernels_[kernel],
                 &launch,
                 nullptr,
                 {operands.begin(), operands.end()}});
}

Status SimDriver::prepareCalls(const BoostTarget &target,
                               std::span<const uint32_t>,
                               const LibrarySettings &settings,
                               std::vector<std::string> &) {
  calls_ = target.library_calls;
  usesLibrary_ = settings.use != LibraryUse::Off;
  return Status();
}

Status SimDriver::call(uint32_t index, std::span<const uint64_t> operands) {
  return submit(
      {nullptr, nullptr, &calls_[index], {operands.begin(), operands.end()}});
}

Status SimDriver::submit(Node node) {
  if (!capture_)
    return run(node);
  capture_->push_back(std::move(node));
  return Status();
}

Status SimDriver::beginCapture() {
  capture_.emplace();
  return Status();
}

Result<uint32_t> SimDriver::endCapture() {
  graphs_.push_back(std::move(*capture_));
  capture_.reset();
  return static_cast<uint32_t>(graphs_.size() - 1);
}

Status SimDriver::launchGraph(uint32_t graph) {
  for (const Node &node : graphs_[graph])
    BOOSTRT_RETURN_IF_ERROR(run(node));
  return Status();
}

Status SimDriver::checkSideStream(const Node &node) const {
  if (isOnSideStream_ || isJoined_)
    return Status();
  return Status(ExitCode::Internal,
                fmt::format("{}: does not wait for the side stream; please "
                            "report this",
                            node.location()));
}

Status SimDriver::checkBatches(const Node &node) const {
  for (uint64_t operand : node.operands) {
    auto after = batches_.upper_bound(operand);
    if (after == batches_.begin())
      continue;
    const auto &[address, batch] = *std::prev(after);
    if (operand - address < batch.bytes && !batch.isInUse)
      return Status(ExitCode::Internal,
                    fmt::format("{}: reads a batch that it does not wait for; "
                                "please report this",
                                node.location()));
  }
  return Status();
}

Status SimDriver::run(const Node &node) {
  BOOSTRT_RETURN_IF_ERROR(checkSideStream(node));
  BOOSTRT_RETURN_IF_ERROR(checkBatches(node));
  if (node.call)
    return executeCall(memory_, machine_.options().checks, *node.call,
                       node.operands);
  std::vector<ArgumentExtent> extents;
  for (uint32_t i = 0; i < node.launch->operand_count; ++i) {
    const BoostOperand &operand = node.launch->operands[i];
    noteSideAccess(node.operands[i], operand.bytes, operand.is_written);
    extents.push_back({i, node.operands[i], operand.bytes, operand.name,
                       !operand.is_written});
  }
  LaunchRequest request;
  request.kernel = node.kernel->kernel;
  request.grid.x = node.launch->blocks;
  request.block.x = node.launch->threads;
  request.parameters = std::as_bytes(std::span(node.operands));
  request.extents = extents;
  request.origin = {node.launch->layers, node.launch->location};
  LaunchOutcome outcome = machine_.launch(*node.kernel->module, request);
  laneInstructions_ += outcome.laneInstructions;
  globalBytesRead_ += outcome.globalBytesRead;
  return outcome.status;
}

} // namespace boostrt::sim
