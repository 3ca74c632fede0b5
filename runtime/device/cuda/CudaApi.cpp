#include "runtime/device/cuda/CudaApi.h"

#include "runtime/device/cuda/FunctionFinder.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace boostrt::cuda {

Result<CudaApi> CudaApi::open(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status(
        ExitCode::Usage,
        fmt::format("{}, NVIDIA's driver, is not installed", library));
  CudaApi api{};
  FunctionFinder finder(handle);
#define BOOSTRT_CUDA_FIND(symbol, ...) finder.find(api.symbol, #symbol);
  BOOSTRT_CUDA_FUNCTIONS(BOOSTRT_CUDA_FIND)
#undef BOOSTRT_CUDA_FIND
  if (!finder.missing())
    return api;
  dlclose(handle);
  return Status(ExitCode::Usage,
                fmt::format("{}, NVIDIA's driver, has no function {}; install "
                            "a newer one",
                            library, finder.missing()));
}

std::string CudaApi::errorName(CallResult error) const {
  const char *name = nullptr;
  if (cuGetErrorName(error, &name) != 0 || !name)
    return fmt::format("CUDA error {}", error);
  return name;
}

Status CudaApi::failure(const char *call, CallResult error) const {
  const char *text = nullptr;
  if (cuGetErrorString(error, &text) != 0 || !text)
    text = "which this driver does not know";
  return Status(ExitCode::Internal, fmt::format("{} failed: {} ({})", call,
                                                errorName(error), text));
}

} // namespace boostrt::cuda
