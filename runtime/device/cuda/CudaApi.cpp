#include "runtime/device/cuda/CudaApi.h"

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
  const char *missing = nullptr;
  auto find = [&](auto &member, const char *symbol) {
    using Pointer = std::remove_reference_t<decltype(member)>;
    member = reinterpret_cast<Pointer>(dlsym(handle, symbol));
    if (!member && !missing)
      missing = symbol;
  };
#define BOOSTRT_CUDA_FIND(symbol, ...) find(api.symbol, #symbol);
  BOOSTRT_CUDA_FUNCTIONS(BOOSTRT_CUDA_FIND)
#undef BOOSTRT_CUDA_FIND
  if (!missing)
    return api;
  dlclose(handle);
  return Status(ExitCode::Usage,
                fmt::format("{}, NVIDIA's driver, has no function {}; install "
                            "a newer one",
                            library, missing));
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
