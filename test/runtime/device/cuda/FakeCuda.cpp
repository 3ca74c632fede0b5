// FakeCuda.cpp - NVIDIA's driver library as far as CudaDriver uses it, for
// machines without one: memory is the host's, and there are three kernels.
// "add_one" adds 1 to the float that the last of its two operands names; "call"
// calls its first operand, a function of the host that takes the second;
// "defined" is what a test says (fakeCudaDefine). A kernel takes 10 us of a
// clock that events read. It keeps the rules of streams and capture, counts
// what is not freed, and fails where FAKE_CUDA_FAILS says ("cuMemAlloc_v2=2").
//
// Everything that may run later runs as late as can be: copies and kernels
// when somebody waits for them. A copy whose source changed too early shows.
#include "runtime/device/cuda/CudaApi.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace boostrt::cuda;

namespace {

constexpr int kInvalidValue = 1, kNotFound = 500, kIllegalState = 401;
int live = 0; ///< objects that somebody has to free

/// The calls so far that can fail, a line each.
std::string trace;

/// Microseconds of the device.
double now = 0;

/// The kernel "defined".
int definedOperands = 0;
void (*definedKernel)(const Address *) = nullptr;
void defined() {}

using Node = std::function<void()>;
using Nodes = std::vector<Node>;
std::optional<Nodes> capture;
/// What was asked for and waits to be waited for.
Nodes pending;
/// How much of it lies before the event; there is one.
size_t beforeEvent = 0;
/// Page-locked memory.
std::map<char *, size_t> locked;

using Operands = std::array<Address, 2>;
void addOne(Operands operands) { *reinterpret_cast<float *>(operands[1]) += 1; }
void call(Operands operands) {
  reinterpret_cast<void (*)(void *)>(operands[0])(
      reinterpret_cast<void *>(operands[1]));
}

const char *setting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

/// Devices are numbered from 7.
bool isDevice(DeviceNumber device) {
  return device >= 7 &&
         device < 7 + std::atoi(setting("FAKE_CUDA_DEVICES", "1"));
}

int failureOf(const char *call) {
  std::string fails = setting("FAKE_CUDA_FAILS", "");
  size_t equal = fails.find('=');
  return equal != std::string::npos && fails.substr(0, equal) == call
             ? std::atoi(fails.c_str() + equal + 1)
             : 0;
}

/// Runs the first `count` of what is pending.
void drain(size_t count) {
  for (size_t i = 0; i < count; ++i)
    pending[i]();
  pending.erase(pending.begin(),
                pending.begin() + static_cast<std::ptrdiff_t>(count));
  beforeEvent -= std::min(beforeEvent, count);
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

#define FAKE(symbol) extern "C" CallResult symbol
#define FAIL_IF_ASKED                                                          \
  trace += std::string(__func__) + "\n";                                       \
  if (int failure = failureOf(__func__))                                       \
  return failure

extern "C" int fakeCudaLiveObjects() { return live; }
extern "C" const char *fakeCudaTrace() { return trace.c_str(); }
extern "C" void fakeCudaForget() { trace.clear(); }
extern "C" void fakeCudaDefine(int operands, void (*kernel)(const Address *)) {
  definedOperands = operands;
  definedKernel = kernel;
}
/// Work of a library on the one stream, which takes `microseconds`.
extern "C" void fakeCudaSubmit(const std::function<void()> &work,
                               double microseconds) {
  (capture ? *capture : pending).push_back([=] {
    work();
    now += microseconds;
  });
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
  *count = std::atoi(setting("FAKE_CUDA_DEVICES", "1"));
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
                setting("FAKE_CUDA_NAME", "NVIDIA Fake"));
  return isDevice(device) ? 0 : kInvalidValue;
}
FAKE(cuDeviceGetAttribute)(int *value, int attribute, DeviceNumber device) {
  FAIL_IF_ASKED;
  int capability = std::atoi(setting("FAKE_CUDA_CAPABILITY", "86"));
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
  // An image is the text that a test wants to see taken.
  if (std::string(static_cast<const char *>(image)) ==
      setting("FAKE_CUDA_IMAGE", ""))
    return make(module);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kJitErrorLogBuffer)
      std::strcpy(static_cast<char *>(values[i]), "line 3: no such opcode\n");
  return 218;
}
FAKE(cuModuleUnload)(Module module) { return destroy(module); }
FAKE(cuModuleGetFunction)(Function *function, Module, const char *name) {
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
  *address = reinterpret_cast<Address>(std::malloc(bytes));
  ++live;
  return 0;
}
FAKE(cuMemFree_v2)(Address address) {
  std::free(reinterpret_cast<void *>(address));
  --live;
  return 0;
}
FAKE(cuMemcpyHtoDAsync_v2)(Address to, const void *from, size_t bytes,
                           Stream stream) {
  FAIL_IF_ASKED;
  pending.push_back(
      [=] { std::memcpy(reinterpret_cast<void *>(to), from, bytes); });
  return stream ? 0 : kInvalidValue;
}
FAKE(cuMemcpyDtoHAsync_v2)(void *to, Address from, size_t bytes,
                           Stream stream) {
  FAIL_IF_ASKED;
  pending.push_back(
      [=] { std::memcpy(to, reinterpret_cast<void *>(from), bytes); });
  return stream ? 0 : kInvalidValue;
}
FAKE(cuMemcpyDtoDAsync_v2)(Address to, Address from, size_t bytes,
                           Stream stream) {
  FAIL_IF_ASKED;
  pending.push_back([=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                bytes);
  });
  return stream ? 0 : kInvalidValue;
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
  if (!isMapped(host) || !pending.empty() ||
      locked.erase(static_cast<char *>(host)) == 0)
    return kInvalidValue;
  --live;
  return 0;
}
FAKE(cuEventCreate)(Event *event, unsigned flags) {
  FAIL_IF_ASKED;
  if (flags != kEventDisableTiming && flags != 0)
    return kInvalidValue;
  *event = reinterpret_cast<Event>(new double(-1));
  ++live;
  return 0;
}
FAKE(cuEventRecord)(Event event, Stream stream) {
  FAIL_IF_ASKED;
  pending.push_back([=] { *reinterpret_cast<double *>(event) = now; });
  beforeEvent = pending.size();
  return event && stream ? 0 : kInvalidValue;
}
FAKE(cuEventSynchronize)(Event event) {
  FAIL_IF_ASKED;
  drain(beforeEvent);
  return event ? 0 : kInvalidValue;
}
FAKE(cuEventElapsedTime)(float *milliseconds, Event begin, Event end) {
  FAIL_IF_ASKED;
  double from = *reinterpret_cast<double *>(begin),
         to = *reinterpret_cast<double *>(end);
  *milliseconds = static_cast<float>((to - from) / 1000);
  return from >= 0 && to >= from ? 0 : kInvalidValue;
}
FAKE(cuEventDestroy_v2)(Event event) {
  delete reinterpret_cast<double *>(event);
  --live;
  return 0;
}
FAKE(cuStreamCreate)(Stream *stream, unsigned flags) {
  FAIL_IF_ASKED;
  return flags == kStreamNonBlocking ? make(stream) : kInvalidValue;
}
FAKE(cuStreamDestroy_v2)(Stream stream) { return destroy(stream); }
FAKE(cuStreamSynchronize)(Stream) {
  FAIL_IF_ASKED;
  drain(pending.size());
  return 0;
}
FAKE(cuStreamQuery)(Stream) {
  FAIL_IF_ASKED;
  // Each question finds a little more done.
  if (pending.empty())
    return 0;
  drain(1);
  return kErrorNotReady;
}
FAKE(cuStreamBeginCapture_v2)(Stream, int mode) {
  FAIL_IF_ASKED;
  if (capture || mode != kCaptureModeThreadLocal)
    return kIllegalState;
  capture.emplace();
  return 0;
}
FAKE(cuStreamEndCapture)(Stream, Graph *graph) {
  FAIL_IF_ASKED;
  if (!capture)
    return kIllegalState;
  *graph = reinterpret_cast<Graph>(new Nodes(std::move(*capture)));
  capture.reset();
  ++live;
  return 0;
}
FAKE(cuGraphInstantiateWithFlags)(GraphExec *exec, Graph graph,
                                  unsigned long long flags) {
  FAIL_IF_ASKED;
  *exec =
      reinterpret_cast<GraphExec>(new Nodes(*reinterpret_cast<Nodes *>(graph)));
  ++live;
  return flags == 0 ? 0 : kInvalidValue;
}
FAKE(cuGraphLaunch)(GraphExec exec, Stream) {
  FAIL_IF_ASKED;
  auto *nodes = reinterpret_cast<Nodes *>(exec);
  pending.insert(pending.end(), nodes->begin(), nodes->end());
  return 0;
}
FAKE(cuGraphExecDestroy)(GraphExec exec) {
  delete reinterpret_cast<Nodes *>(exec);
  --live;
  return 0;
}
FAKE(cuGraphDestroy)(Graph graph) {
  delete reinterpret_cast<Nodes *>(graph);
  --live;
  return 0;
}
FAKE(cuLaunchKernel)(Function function, unsigned gridX, unsigned gridY,
                     unsigned gridZ, unsigned blockX, unsigned blockY,
                     unsigned blockZ, unsigned sharedBytes, Stream stream,
                     void **parameters, void **extra) {
  FAIL_IF_ASKED;
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
  (capture ? *capture : pending)
      .push_back([run = reinterpret_cast<void (*)(Operands)>(function),
                  operands] { run(operands); });
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
