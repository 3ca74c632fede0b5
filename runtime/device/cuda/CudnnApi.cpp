#include "runtime/device/cuda/CudnnApi.h"

#include "runtime/device/cuda/CublasLtApi.h"
#include "runtime/device/cuda/FunctionFinder.h"

#include <fmt/format.h>

namespace boostrt::cuda {

Result<CudnnApi> CudnnApi::open(const SearchContext &context) {
  // Some of its engines need it; without it the others are left.
  (void)openLibrary(kCublasLtName, context);
  return openApi<CudnnApi>(kCudnnName, context);
}

Result<CudnnApi> CudnnApi::find(void *library, const std::string &path) {
  CudnnApi api{};
  FunctionFinder finder(library);
#define BOOSTRT_CUDNN_FIND(result, symbol, ...)                                \
  finder.find(api.symbol, #symbol);
  BOOSTRT_CUDNN_FUNCTIONS(BOOSTRT_CUDNN_FIND)
#undef BOOSTRT_CUDNN_FIND
  if (finder.missing())
    return Status(ExitCode::Usage,
                  fmt::format("{} has no function {}", path, finder.missing()));
  return api;
}

Status CudnnApi::failure(const char *call, DnnResult result) const {
  const char *name = cudnnGetErrorString(result);
  char reason[1024] = {};
  cudnnGetLastErrorString(reason, sizeof reason);
  std::string text = fmt::format("{} failed: {}", call, name ? name : "?");
  if (*reason)
    text += fmt::format(" ({})", reason);
  return Status(ExitCode::Internal, std::move(text));
}

} // namespace boostrt::cuda
