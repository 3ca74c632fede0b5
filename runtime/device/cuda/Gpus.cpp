#include "runtime/device/cuda/Gpus.h"

#include "runtime/device/cuda/CudaApi.h"
#include "runtime/device/cuda/CudaDriver.h"

namespace boostrt::cuda {
namespace {

Result<Gpu> describe(const CudaApi &api, int ordinal) {
  auto check = [&](const char *call, CallResult result) {
    return result == 0 ? Status() : api.failure(call, result);
  };
  DeviceNumber device = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGet", api.cuDeviceGet(&device, ordinal)));
  Gpu gpu;
  char name[256] = {};
  BOOSTRT_RETURN_IF_ERROR(check(
      "cuDeviceGetName", api.cuDeviceGetName(name, sizeof name - 1, device)));
  gpu.name = name;
  int major = 0, minor = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGetAttribute",
            api.cuDeviceGetAttribute(&major, kComputeCapabilityMajor, device)));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceGetAttribute",
            api.cuDeviceGetAttribute(&minor, kComputeCapabilityMinor, device)));
  gpu.architecture = static_cast<uint32_t>(major * 10 + minor);
  gpu.isUsable = gpu.architecture >= CudaDriver::kOldestArchitecture;
  size_t bytes = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuDeviceTotalMem", api.cuDeviceTotalMem_v2(&bytes, device)));
  gpu.bytes = bytes;
  return gpu;
}

} // namespace

Result<Gpus> listGpus(const char *library) {
  Result<CudaApi> api = CudaApi::open(library);
  if (!api.ok())
    return api.status();
  auto fail = [&](const char *call, CallResult result) {
    return Status(ExitCode::Usage, api->failure(call, result).message());
  };
  Gpus gpus;
  CallResult started = api->cuInit(0);
  if (started != 0 && started != kErrorNoDevice)
    return fail("cuInit", started);
  if (CallResult result = api->cuDriverGetVersion(&gpus.version))
    return fail("cuDriverGetVersion", result);
  if (started == kErrorNoDevice)
    return gpus;
  int count = 0;
  if (CallResult result = api->cuDeviceGetCount(&count))
    return fail("cuDeviceGetCount", result);
  for (int i = 0; i < count; ++i) {
    Result<Gpu> gpu = describe(*api, i);
    if (!gpu.ok())
      return Status(ExitCode::Usage, gpu.status().message());
    gpus.list.push_back(std::move(gpu).value());
  }
  return gpus;
}

} // namespace boostrt::cuda
