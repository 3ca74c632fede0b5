// FakeCuda.cpp - NVIDIA's driver library as far as CudaDriver uses it, for
// machines without one: memory is the host's, and there are three kernels.
// "add_one" adds 1 to the float that the last of its two operands names; "call"
// calls its first operand, a function of the host that takes the second;
// "defined" is what a test says (fakeCudaDefine). A kernel takes 10 us of a
// clock that events read. It keeps the rules of streams and capture, counts
// what is not freed, and fails where FAKE_CUDA_FAILS says ("cuMemAlloc_v2=2").
//
// Everything that may run later runs as late as can be (FakeStreams.h): copies
// and kernels when the host waits for them. A copy whose source changed too
// early shows. With FAKE_CUDA_EAGER all streams but the first run as early as
// can be: a copy over what is still needed shows.
#include "runtime/device/cuda/CudaApi.h"
#include "test/runtime/device/cuda/FakeCudaState.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace boostrt::cuda;
using namespace boostrt::fake_cuda;
using boostrt::cuda::fake::setting;

namespace {

/// The kernel "defined".
int definedOperands = 0;
void (*definedKernel)(const Address *) = nullptr;
void defined() {}

using Operands = std::array<Address, 2>;
void addOne(Operands operands) { *reinterpret_cast<float *>(operands[1]) += 1; }
void call(Operands operands) {
  reinterpret_cast<void (*)(void *)>(operands[0])(
      reinterpret_cast<void *>(operands[1]));
}

/// The only kernel of modules that have one.
std::map<Module, std::string> soleKernels;

/// Devices are numbered from 7.
bool isDevice(DeviceNumber device) {
  return device >= 7 &&
         device < 7 + std::stoi(setting("FAKE_CUDA_DEVICES", "1"));
}

bool isMapped(void *page) {
  unsigned char resident;
  return mincore(page, 1, &resident) == 0;
}

template <class Handle> CallResult make(Handle *handle) {
  *handle = reinterpret_cast<Handle>(new char);
  ++live;
  return 0;
}
template <class Handle> CallResult destroy(Handle handle) {
  delete reinterpret_cast<char *>(handle);
  --live;
  return 0;
}

} // namespace

extern "C" int fakeCudaLiveObjects() { return live; }
extern "C" const char *fakeCudaTrace() { return trace.c_str(); }
extern "C" void fakeCudaForget() { trace.clear(); }
extern "C" void fakeCudaDefine(int operands, void (*kernel)(const Address *)) {
  definedOperands = operands;
  definedKernel = kernel;
}
/// Work of a library on the first stream, which takes `microseconds`.
extern "C" void fakeCudaSubmit(const std::function<void()> &work,
                               double microseconds) {
  Node node = [=] {
    work();
    now += microseconds;
  };
  if (capture)
    capture->push_back(node);
  else
    streams.first().line.push_back({node, nullptr, 0, nullptr});
}

FAKE(cuInit)(unsigned flags) {
  FAIL_IF_ASKED;
  return flags == 0 ? 0 : kInvalidValue;
}
FAKE(cuDriverGetVersion)(int *version) {
  FAIL_IF_ASKED;
  *version = 12040;
  return 0;
}
FAKE(cuDeviceGetCount)(int *count) {
  FAIL_IF_ASKED;
  *count = std::stoi(setting("FAKE_CUDA_DEVICES", "1"));
  return 0;
}
FAKE(cuDeviceGet)(DeviceNumber *device, int ordinal) {
  FAIL_IF_ASKED;
  *device = 7 + ordinal;
  return isDevice(*device) ? 0 : kInvalidValue;
}
FAKE(cuDeviceGetPCIBusId)(char *address, int bytes, DeviceNumber device) {
  FAIL_IF_ASKED;
  std::snprintf(address, static_cast<size_t>(bytes), "0000:%02X:00.0", device);
  return isDevice(device) ? 0 : kInvalidValue;
}
FAKE(cuDeviceGetName)(char *name, int bytes, DeviceNumber device) {
  FAIL_IF_ASKED;
  std::snprintf(name, static_cast<size_t>(bytes), "%s",
                setting("FAKE_CUDA_NAME", "NVIDIA Fake").c_str());
  return isDevice(device) ? 0 : kInvalidValue;
}
FAKE(cuDeviceGetAttribute)(int *value, int attribute, DeviceNumber device) {
  FAIL_IF_ASKED;
  int capability = std::stoi(setting("FAKE_CUDA_CAPABILITY", "86"));
  *value =
      attribute == kComputeCapabilityMajor ? capability / 10 : capability % 10;
  return isDevice(device) ? 0 : kInvalidValue;
}
FAKE(cuDeviceTotalMem_v2)(size_t *bytes, DeviceNumber device) {
  FAIL_IF_ASKED;
  *bytes = size_t{24} << 30;
  return isDevice(device) ? 0 : kInvalidValue;
}
FAKE(cuDevicePrimaryCtxRetain)(Context *context, DeviceNumber) {
  FAIL_IF_ASKED;
  *context = reinterpret_cast<Context>(&live);
  ++live;
  return 0;
}
FAKE(cuDevicePrimaryCtxRelease_v2)(DeviceNumber) {
  --live;
  return 0;
}
FAKE(cuCtxSetCurrent)(Context context) {
  FAIL_IF_ASKED;
  return context ? 0 : kInvalidValue;
}
FAKE(cuModuleLoadDataEx)(Module *module, const void *image, unsigned count,
                         int *options, void **values) {
  // A module is the text that a test wants to see taken. "sm80:call" is one
  // that has this kernel only.
  std::string text = static_cast<const char *>(image);
  size_t colon = text.find(':');
  if (text.substr(0, colon) == setting("FAKE_CUDA_IMAGE", "")) {
    make(module);
    if (colon != std::string::npos)
      soleKernels[*module] = text.substr(colon + 1);
    return 0;
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kJitErrorLogBuffer)
      std::strcpy(static_cast<char *>(values[i]), "line 3: no such opcode\n");
  return 218;
}
FAKE(cuModuleUnload)(Module module) {
  soleKernels.erase(module);
  return destroy(module);
}
FAKE(cuModuleGetFunction)(Function *function, Module module, const char *name) {
  auto sole = soleKernels.find(module);
  if (sole != soleKernels.end() && sole->second != name)
    return kNotFound;
  if (std::strcmp(name, "defined") == 0) {
    *function = reinterpret_cast<Function>(defined);
    return 0;
  }
  bool isAddOne = std::strcmp(name, "add_one") == 0;
  *function = reinterpret_cast<Function>(isAddOne ? addOne : call);
  return isAddOne || std::strcmp(name, "call") == 0 ? 0 : kNotFound;
}
FAKE(cuMemAlloc_v2)(Address *address, size_t bytes) {
  FAIL_IF_ASKED;
  // As aligned as NVIDIA's.
  *address = reinterpret_cast<Address>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++live;
  return 0;
}
FAKE(cuMemFree_v2)(Address address) {
  std::free(reinterpret_cast<void *>(address));
  --live;
  return 0;
}
FAKE(cuMemHostRegister_v2)(void *host, size_t bytes, unsigned flags) {
  FAIL_IF_ASKED;
  if (flags != 0 || bytes == 0 || !isMapped(host))
    return kInvalidValue;
  if (!locked.emplace(static_cast<char *>(host), bytes).second)
    return kIllegalState;
  ++live;
  return 0;
}
FAKE(cuMemHostUnregister)(void *host) {
  FAIL_IF_ASKED;
  // What fails here stays alive, and is found in the end.
  if (!isMapped(host) || !streams.areIdle() ||
      locked.erase(static_cast<char *>(host)) == 0)
    return kInvalidValue;
  --live;
  return 0;
}
FAKE(cuLaunchKernel)(Function function, unsigned gridX, unsigned gridY,
                     unsigned gridZ, unsigned blockX, unsigned blockY,
                     unsigned blockZ, unsigned sharedBytes, Stream stream,
                     void **parameters, void **extra) {
  FAIL_IF_ASKED_ON(stream);
  if (!function || gridX != 3 || gridY != 1 || gridZ != 1 || blockX != 32 ||
      blockY != 1 || blockZ != 1 || sharedBytes != 0 || !stream || extra)
    return kInvalidValue;
  // Parameters are read now.
  if (function == reinterpret_cast<Function>(defined)) {
    std::vector<Address> operands;
    for (int i = 0; i < definedOperands; ++i)
      operands.push_back(*static_cast<const Address *>(parameters[i]));
    fakeCudaSubmit([operands] { definedKernel(operands.data()); }, 10);
    return 0;
  }
  Operands operands{*static_cast<const Address *>(parameters[0]),
                    *static_cast<const Address *>(parameters[1])};
  Node node = [run = reinterpret_cast<void (*)(Operands)>(function), operands] {
    run(operands);
  };
  if (!capture)
    return submit(stream, node);
  capture->push_back(node);
  return 0;
}
FAKE(cuGetErrorName)(CallResult error, const char **name) {
  *name = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 100 ? "CUDA_ERROR_NO_DEVICE"
          : error == 218 ? "CUDA_ERROR_INVALID_PTX"
          : error == 500 ? "CUDA_ERROR_NOT_FOUND"
          : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                         : nullptr;
  return *name ? 0 : kInvalidValue;
}
FAKE(cuGetErrorString)(CallResult error, const char **text) {
  *text = error == 2     ? "out of memory"
          : error == 100 ? "no CUDA-capable device is detected"
          : error == 218 ? "a PTX JIT compilation failed"
          : error == 500 ? "named symbol not found"
          : error == 700 ? "an illegal memory access was encountered"
                         : nullptr;
  return *text ? 0 : kInvalidValue;
}
