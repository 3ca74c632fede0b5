// CudaApi.h - the functions of NVIDIA's driver library that are used, opened at
// run time: boost-run is one file for machines with and without a GPU, and no
// CUDA toolkit is needed to build it. The prototypes are therefore repeated
// here; a test compares them with cuda.h where there is one.
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <string>

namespace boostrt::cuda {

/// CUresult, CUdevice and CUdeviceptr; 0 of the first is success.
using CallResult = int;
using DeviceNumber = int;
using Address = unsigned long long;

// Handles, as cuda.h has them: pointers to opaque structs.
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;

// The values of cuda.h's enumerations that are passed.
inline constexpr int kComputeCapabilityMajor = 75; ///< CUdevice_attribute
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kJitErrorLogBuffer = 5; ///< CUjit_option
inline constexpr int kJitErrorLogBufferBytes = 6;
inline constexpr unsigned kStreamNonBlocking = 1;  ///< CUstream_flags
inline constexpr unsigned kEventDisableTiming = 2; ///< CUevent_flags
inline constexpr int kCaptureModeThreadLocal = 1;  ///< CUstreamCaptureMode
inline constexpr CallResult kErrorNoDevice = 100;  ///< CUresult
inline constexpr CallResult kErrorNotFound = 500;
inline constexpr CallResult kErrorNotReady = 600;

// X(symbol, parameters...): the names are those of the library, which cuda.h's
// macros map the plain ones to.
// clang-format off
#define BOOSTRT_CUDA_FUNCTIONS(X)                                              \
  X(cuInit, unsigned flags)                                                    \
  X(cuDriverGetVersion, int *version)                                          \
  X(cuDeviceGetCount, int *count)                                              \
  X(cuDeviceGet, DeviceNumber *device, int ordinal)                            \
  X(cuDeviceGetName, char *name, int bytes, DeviceNumber device)               \
  X(cuDeviceGetAttribute, int *value, int attribute, DeviceNumber device)      \
  X(cuDeviceGetPCIBusId, char *address, int bytes, DeviceNumber device)        \
  X(cuDeviceTotalMem_v2, size_t *bytes, DeviceNumber device)                   \
  X(cuDevicePrimaryCtxRetain, Context *context, DeviceNumber device)           \
  X(cuDevicePrimaryCtxRelease_v2, DeviceNumber device)                         \
  X(cuCtxSetCurrent, Context context)                                          \
  X(cuModuleLoadDataEx, Module *module, const void *image, unsigned count,     \
    int *options, void **values)                                               \
  X(cuModuleUnload, Module module)                                             \
  X(cuModuleGetFunction, Function *function, Module module, const char *name)  \
  X(cuMemAlloc_v2, Address *address, size_t bytes)                             \
  X(cuMemFree_v2, Address address)                                             \
  X(cuMemcpyHtoDAsync_v2, Address to, const void *from, size_t bytes,          \
    Stream stream)                                                             \
  X(cuMemcpyDtoHAsync_v2, void *to, Address from, size_t bytes, Stream stream) \
  X(cuMemcpyDtoDAsync_v2, Address to, Address from, size_t bytes,              \
    Stream stream)                                                             \
  X(cuMemsetD32Async, Address to, unsigned word, size_t count, Stream stream)  \
  X(cuMemHostRegister_v2, void *host, size_t bytes, unsigned flags)            \
  X(cuMemHostUnregister, void *host)                                           \
  X(cuEventCreate, Event *event, unsigned flags)                               \
  X(cuEventRecord, Event event, Stream stream)                                 \
  X(cuEventSynchronize, Event event)                                           \
  X(cuEventDestroy_v2, Event event)                                            \
  X(cuEventElapsedTime, float *milliseconds, Event begin, Event end)           \
  X(cuStreamCreate, Stream *stream, unsigned flags)                            \
  X(cuStreamDestroy_v2, Stream stream)                                         \
  X(cuStreamSynchronize, Stream stream)                                        \
  X(cuStreamQuery, Stream stream)                                              \
  X(cuStreamWaitEvent, Stream stream, Event event, unsigned flags)             \
  X(cuStreamBeginCapture_v2, Stream stream, int mode)                          \
  X(cuStreamEndCapture, Stream stream, Graph *graph)                           \
  X(cuGraphInstantiateWithFlags, GraphExec *exec, Graph graph,                 \
    unsigned long long flags)                                                  \
  X(cuGraphLaunch, GraphExec exec, Stream stream)                              \
  X(cuGraphExecDestroy, GraphExec exec)                                        \
  X(cuGraphDestroy, Graph graph)                                               \
  X(cuLaunchKernel, Function function, unsigned gridX, unsigned gridY,         \
    unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,         \
    unsigned sharedBytes, Stream stream, void **parameters, void **extra)      \
  X(cuGetErrorName, CallResult error, const char **name)                       \
  X(cuGetErrorString, CallResult error, const char **text)
// clang-format on

/// The library, open until the process ends: it has threads of its own, and
/// closing it under them is not safe.
struct CudaApi {
#define BOOSTRT_CUDA_MEMBER(symbol, ...) CallResult (*symbol)(__VA_ARGS__);
  BOOSTRT_CUDA_FUNCTIONS(BOOSTRT_CUDA_MEMBER)
#undef BOOSTRT_CUDA_MEMBER

  /// `library` is what dlopen() takes. Fails with ExitCode::Usage.
  static Result<CudaApi> open(const char *library);

  /// "CUDA_ERROR_NO_DEVICE".
  std::string errorName(CallResult error) const;
  /// "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device ...)";
  /// ExitCode::Internal.
  Status failure(const char *call, CallResult error) const;
};

} // namespace boostrt::cuda
