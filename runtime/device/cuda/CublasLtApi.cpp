#include "runtime/device/cuda/CublasLtApi.h"

#include "runtime/device/cuda/FunctionFinder.h"

#include <fmt/format.h>

namespace boostrt::cuda {

Result<CublasLtApi> CublasLtApi::open(const SearchContext &context) {
  return openApi<CublasLtApi>(kCublasLtName, context);
}

Result<CublasLtApi> CublasLtApi::find(void *library, const std::string &path) {
  CublasLtApi api{};
  FunctionFinder finder(library);
#define BOOSTRT_CUBLASLT_FIND(result, symbol, ...)                             \
  finder.find(api.symbol, #symbol);
  BOOSTRT_CUBLASLT_FUNCTIONS(BOOSTRT_CUBLASLT_FIND)
#undef BOOSTRT_CUBLASLT_FIND
  if (finder.missing())
    return Status(ExitCode::Usage,
                  fmt::format("{} has no function {}", path, finder.missing()));
  return api;
}

Status CublasLtApi::failure(const char *call, LtResult result) const {
  const char *name = cublasLtGetStatusName(result);
  return Status(ExitCode::Internal,
                fmt::format("{} failed: {}", call, name ? name : "?"));
}

} // namespace boostrt::cuda
