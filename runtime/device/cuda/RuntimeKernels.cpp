#include "runtime/device/cuda/RuntimeKernels.h"

#include <algorithm>
#include <vector>

namespace boostrt {
namespace {

/// More than any GPU runs at a time.
constexpr size_t kMaxBlocks = 4096;

} // namespace

Status loadKernels(GpuDriver &driver, std::string_view ptx,
                   std::initializer_list<RuntimeKernel *> kernels) {
  const BoostModule modules[] = {
      {BOOSTC_MODULE_PTX, 80, ptx.data(), ptx.size()}, {}};
  BOOSTRT_RETURN_IF_ERROR(driver.load(modules, "boost-run"));
  for (RuntimeKernel *kernel : kernels) {
    Result<uint32_t> found = driver.findKernel(kernel->name);
    if (!found.ok())
      return found.status();
    kernel->number = *found;
  }
  return Status();
}

Status launchKernel(GpuDriver &driver, const RuntimeKernel &kernel,
                    size_t items, const KernelArguments &arguments) {
  if (items == 0)
    return Status();
  std::vector<BoostOperand> operands;
  std::vector<uint64_t> values;
  for (const KernelBuffer &buffer : arguments.buffers) {
    operands.push_back({buffer.bytes, buffer.isWritten, 0, buffer.name});
    values.push_back(reinterpret_cast<uint64_t>(buffer.address));
  }
  values.insert(values.end(), arguments.numbers);
  constexpr size_t threads = kRuntimeKernelThreads;
  BoostLaunch launch = {};
  launch.kernel = kernel.name;
  launch.location = arguments.location;
  launch.layers = "";
  launch.operands = operands.data();
  launch.operand_count = static_cast<uint32_t>(operands.size());
  launch.blocks = static_cast<uint32_t>(
      std::min((items + threads - 1) / threads, kMaxBlocks));
  launch.threads = threads;
  return driver.launch(kernel.number, launch, values);
}

} // namespace boostrt
