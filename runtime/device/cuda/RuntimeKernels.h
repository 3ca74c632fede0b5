// RuntimeKernels.h - kernels of the runtime's own, in PTX that every GPU that
// runs programs takes, and the simulated one.
#pragma once

#include "runtime/device/cuda/GpuDriver.h"

#include <initializer_list>
#include <string_view>

namespace boostrt {

struct RuntimeKernel {
  const char *name;
  uint32_t number = 0; ///< of the driver
};

/// A place in the memory that a kernel gets.
struct KernelBuffer {
  const char *name;
  const void *address;
  uint64_t bytes;
  bool isWritten = false;
};

/// What a kernel works on; it is told the buffers, then the numbers.
struct KernelArguments {
  const char *location; ///< "a sum over ranks", for what is reported
  std::initializer_list<KernelBuffer> buffers;
  std::initializer_list<uint64_t> numbers;
};

/// In a block.
inline constexpr uint32_t kRuntimeKernelThreads = 256;

/// Loads `ptx` and finds its `kernels`. Fails with ExitCode::Input.
Status loadKernels(GpuDriver &driver, std::string_view ptx,
                   std::initializer_list<RuntimeKernel *> kernels);

/// With one thread for each item, or fewer that take several in turns. Nothing
/// where there are no items.
Status launchKernel(GpuDriver &driver, const RuntimeKernel &kernel,
                    size_t items, const KernelArguments &arguments);

} // namespace boostrt
