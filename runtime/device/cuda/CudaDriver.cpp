#include "runtime/device/cuda/CudaDriver.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// The first of the cubins of `modules` that run best on `architecture`:
/// machine code runs on the same major version from its own minor version on.
/// Null without any.
const BoostModule *bestCubin(const BoostModule *modules,
                             uint32_t architecture) {
  const BoostModule *best = nullptr;
  for (; modules->kind != BOOSTC_MODULE_END; ++modules)
    if (modules->kind == BOOSTC_MODULE_CUBIN &&
        modules->architecture / 10 == architecture / 10 &&
        modules->architecture <= architecture &&
        (!best || modules->architecture > best->architecture))
      best = modules;
  return best;
}

/// The newest PTX that `architecture` can run, from which the driver makes
/// machine code. Null without any.
const BoostModule *bestPtx(const BoostModule *modules, uint32_t architecture) {
  const BoostModule *best = nullptr;
  for (; modules->kind != BOOSTC_MODULE_END; ++modules)
    if (modules->kind == BOOSTC_MODULE_PTX &&
        modules->architecture <= architecture &&
        (!best || modules->architecture > best->architecture))
      best = modules;
  return best;
}

Status unusable(const std::string &why) {
  return Status(ExitCode::Usage, "no GPU can be used: " + why);
}

} // namespace

Result<std::unique_ptr<CudaDriver>>
CudaDriver::create(const char *library, cuda::SearchContext libraries,
                   GpuChoice choice) {
  Result<cuda::CudaApi> api = cuda::CudaApi::open(library);
  if (!api.ok())
    return unusable(api.status().message());
  std::unique_ptr<CudaDriver> driver(
      new CudaDriver(*api, std::move(libraries)));
  Status status = driver->findDevice(choice);
  if (status.ok())
    status = driver->makeContext();
  if (!status.ok())
    return unusable(status.message());
  return driver;
}

Status CudaDriver::findDevice(GpuChoice choice) {
  // Kernels are to be there before graphs are recorded, in which nothing can be
  // loaded; a user's own choice is kept.
  setenv("CUDA_MODULE_LOADING", "EAGER", /*overwrite=*/0);
  if (cuda::CallResult result = api_.cuInit(0); result != 0) {
    if (result == cuda::kErrorNoDevice)
      return Status(ExitCode::Usage,
                    fmt::format("NVIDIA's driver finds no GPU ({})",
                                api_.errorName(result)));
    return api_.failure("cuInit", result);
  }
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDriverGetVersion", api_.cuDriverGetVersion(&version_)));
  int count = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGetCount", api_.cuDeviceGetCount(&count)));
  if (count == 0)
    return Status(ExitCode::Usage, "NVIDIA's driver finds no GPU");
  auto shown = static_cast<uint32_t>(count);
  if (shown > 1 && choice.number >= shown && !choice.wraps)
    return Status(ExitCode::Usage,
                  fmt::format("this rank is to take GPU {}, and NVIDIA's "
                              "driver shows GPUs 0 to {}; correct the rank "
                              "table or CUDA_VISIBLE_DEVICES",
                              choice.number, shown - 1));
  BOOSTRT_RETURN_IF_ERROR(check(
      "cuDeviceGet",
      api_.cuDeviceGet(&device_, static_cast<int>(choice.number % shown))));

  char name[256] = {};
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGetPCIBusId",
            api_.cuDeviceGetPCIBusId(name, sizeof name - 1, device_)));
  busAddress_ = name;
  BOOSTRT_RETURN_IF_ERROR(check(
      "cuDeviceGetName", api_.cuDeviceGetName(name, sizeof name - 1, device_)));
  name_ = name;
  if (!name_.starts_with("NVIDIA"))
    name_ = "NVIDIA " + name_;
  int major = 0, minor = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGetAttribute",
            api_.cuDeviceGetAttribute(&major, cuda::kComputeCapabilityMajor,
                                      device_)));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGetAttribute",
            api_.cuDeviceGetAttribute(&minor, cuda::kComputeCapabilityMinor,
                                      device_)));
  architecture_ = static_cast<uint32_t>(major * 10 + minor);
  if (architecture_ < kOldestArchitecture)
    return Status(ExitCode::Usage,
                  fmt::format("{} has compute capability {}.{}, and programs "
                              "need {}.{} or newer",
                              name_, major, minor, kOldestArchitecture / 10,
                              kOldestArchitecture % 10));
  return Status();
}

Status CudaDriver::makeContext() {
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDevicePrimaryCtxRetain",
            api_.cuDevicePrimaryCtxRetain(&context_, device_)));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuCtxSetCurrent", api_.cuCtxSetCurrent(context_)));
  for (cuda::Stream *stream : {&main_.stream, &batchStream_, &side_.stream})
    BOOSTRT_RETURN_IF_ERROR(
        check("cuStreamCreate",
              api_.cuStreamCreate(stream, cuda::kStreamNonBlocking)));
  for (cuda::Event *event : {&main_.copied, &side_.copied, &read_, &sideEnds_})
    BOOSTRT_RETURN_IF_ERROR(makeEvent(*event));
  return Status();
}

Status CudaDriver::makeEvent(cuda::Event &event, unsigned flags) {
  return check("cuEventCreate", api_.cuEventCreate(&event, flags));
}

CudaDriver::~CudaDriver() {
  // After a kernel's fault every call fails, and the context goes as a whole:
  // there is no caller to tell.
  if (!context_)
    return;
  for (cuda::Stream stream : {main_.stream, batchStream_, side_.stream})
    if (stream)
      api_.cuStreamSynchronize(stream);
  for (cuda::GraphExec graph : graphs_)
    api_.cuGraphExecDestroy(graph);
  calls_.reset();
  for (cuda::Address address : allocations_)
    api_.cuMemFree_v2(address);
  for (cuda::Module module : modules_)
    api_.cuModuleUnload(module);
  std::vector<cuda::Event> events = marks_;
  events.insert(events.end(), stamps_.begin(), stamps_.end());
  events.insert(events.end(), {main_.copied, side_.copied, read_, sideEnds_});
  for (const auto &[address, batch] : batches_)
    events.insert(events.end(), {batch.copied, batch.used});
  for (cuda::Event event : events)
    if (event)
      api_.cuEventDestroy_v2(event);
  for (cuda::Stream stream : {main_.stream, batchStream_, side_.stream})
    if (stream)
      api_.cuStreamDestroy_v2(stream);
  api_.cuDevicePrimaryCtxRelease_v2(device_);
}

Status CudaDriver::load(const BoostModule *modules,
                        const std::string &program) {
  loaded_ = modules_.size();
  const BoostModule *ptx = bestPtx(modules, architecture_);
  if (const BoostModule *cubin = bestCubin(modules, architecture_)) {
    Status loaded;
    uint32_t architecture = cubin->architecture;
    for (; loaded.ok() && cubin->kind == BOOSTC_MODULE_CUBIN &&
           cubin->architecture == architecture;
         ++cubin)
      loaded = loadCubin(*cubin, program);
    if (loaded.ok() || !ptx)
      return loaded;
    // A driver of an older CUDA takes no machine code of a newer one's ptxas,
    // but compiles the same kernels itself.
    for (; modules_.size() > loaded_; modules_.pop_back())
      api_.cuModuleUnload(modules_.back());
  }
  if (ptx)
    return loadPtx(*ptx, program);
  return Status(ExitCode::Input,
                fmt::format("'{}' has no code for {}, which is sm_{}; build it "
                            "again with boostc",
                            program, name_, architecture_));
}

Status CudaDriver::loadCubin(const BoostModule &image,
                             const std::string &program) {
  cuda::Module module = nullptr;
  Status status =
      check("cuModuleLoadDataEx",
            api_.cuModuleLoadDataEx(&module, image.data, 0, nullptr, nullptr));
  if (!status.ok())
    return Status(
        ExitCode::Input,
        fmt::format("'{}': the driver does not take its machine code for "
                    "sm_{}: {}; build it again with boostc",
                    program, image.architecture, status.message()));
  modules_.push_back(module);
  return status;
}

Status CudaDriver::loadPtx(const BoostModule &image,
                           const std::string &program) {
  cuda::Module module = nullptr;
  char log[4096] = {};
  int options[] = {cuda::kJitErrorLogBuffer, cuda::kJitErrorLogBufferBytes};
  // The interface passes the number in the pointer itself.
  void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
  Status status =
      check("cuModuleLoadDataEx",
            api_.cuModuleLoadDataEx(&module, image.data, 2, options, values));
  if (status.ok()) {
    modules_.push_back(module);
    return status;
  }
  std::string text = log;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return Status(
      ExitCode::Input,
      fmt::format("'{}': the driver, which serves CUDA {}.{}, does not compile "
                  "its PTX for {}: {}{}{}; a newer driver may, or build it "
                  "again with boostc",
                  program, version_ / 1000, version_ % 1000 / 10, name_,
                  status.message(), text.empty() ? "" : ": ", text));
}

Result<uint32_t> CudaDriver::findKernel(const char *name) {
  cuda::Function function = nullptr;
  cuda::CallResult result = cuda::kErrorNotFound;
  for (size_t i = loaded_;
       i < modules_.size() && result == cuda::kErrorNotFound; ++i)
    result = api_.cuModuleGetFunction(&function, modules_[i], name);
  if (Status status = check("cuModuleGetFunction", result); !status.ok())
    return Status(ExitCode::Input,
                  fmt::format("the program launches kernel '{}', which its "
                              "modules lack: {}; build it again with boostc",
                              name, status.message()));
  kernels_.push_back(function);
  return static_cast<uint32_t>(kernels_.size() - 1);
}

Result<uint64_t> CudaDriver::allocate(uint64_t bytes, const std::string &name) {
  cuda::Address address = 0;
  Status status = check("cuMemAlloc", api_.cuMemAlloc_v2(&address, bytes));
  if (!status.ok())
    return Status(ExitCode::Memory,
                  fmt::format("cannot reserve {} bytes for {} on {}: {}; use a "
                              "smaller batch_size or a GPU with more memory",
                              bytes, name, name_, status.message()));
  allocations_.push_back(address);
  return address;
}

Result<bool> CudaDriver::isIdle() {
  cuda::CallResult result = api_.cuStreamQuery(current_->stream);
  if (result == cuda::kErrorNotReady)
    return false;
  BOOSTRT_RETURN_IF_ERROR(check("cuStreamQuery", result));
  return true;
}

Status CudaDriver::launch(uint32_t kernel, const BoostLaunch &launch,
                          std::span<const uint64_t> operands) {
  std::vector<uint64_t> values(operands.begin(), operands.end());
  std::vector<void *> parameters(values.size());
  std::transform(values.begin(), values.end(), parameters.begin(),
                 [](uint64_t &value) { return &value; });
  Status status =
      check("cuLaunchKernel",
            api_.cuLaunchKernel(kernels_[kernel], launch.blocks, 1, 1,
                                launch.threads, 1, 1, 0, current_->stream,
                                parameters.data(), nullptr));
  if (status.ok())
    return status;
  return Status(status.code(),
                fmt::format("{}: kernel '{}': {}", launch.location,
                            launch.kernel, status.message()));
}

Status CudaDriver::prepareCalls(const BoostTarget &target,
                                std::span<const uint32_t> kernels,
                                const LibrarySettings &settings,
                                std::vector<std::string> &notes) {
  if (settings.use == LibraryUse::Off)
    return Status();
  auto launch = [this, &target, kernels](uint32_t index,
                                         std::span<const uint64_t> operands) {
    return this->launch(kernels[index], target.launches[index], operands);
  };
  calls_ = cuda::LibraryCalls::create(
      {api_, main_.stream, fmt::format("{}, sm_{}", name_, architecture_),
       version_, launch},
      libraries_, target, settings, notes, budget_);
  return Status();
}

Status CudaDriver::beginCapture() {
  return check("cuStreamBeginCapture",
               api_.cuStreamBeginCapture_v2(main_.stream,
                                            cuda::kCaptureModeThreadLocal));
}

Result<uint32_t> CudaDriver::endCapture() {
  cuda::Graph graph = nullptr;
  BOOSTRT_RETURN_IF_ERROR(check("cuStreamEndCapture",
                                api_.cuStreamEndCapture(main_.stream, &graph)));
  cuda::GraphExec exec = nullptr;
  Status status = check("cuGraphInstantiate",
                        api_.cuGraphInstantiateWithFlags(&exec, graph, 0));
  // What is launched is a copy.
  Status destroyed = check("cuGraphDestroy", api_.cuGraphDestroy(graph));
  BOOSTRT_RETURN_IF_ERROR(status);
  graphs_.push_back(exec);
  BOOSTRT_RETURN_IF_ERROR(destroyed);
  return static_cast<uint32_t>(graphs_.size() - 1);
}

Status CudaDriver::launchGraph(uint32_t graph) {
  return check("cuGraphLaunch",
               api_.cuGraphLaunch(graphs_[graph], main_.stream));
}

} // namespace boostrt
