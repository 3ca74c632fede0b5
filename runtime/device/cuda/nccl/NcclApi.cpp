#include "runtime/device/cuda/nccl/NcclApi.h"

#include "runtime/device/cuda/FunctionFinder.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt::nccl {

Result<NcclApi> NcclApi::open(const cuda::SearchContext &context) {
  return cuda::openApi<NcclApi>(kLibraryName, context);
}

Result<NcclApi> NcclApi::find(void *library, const std::string &path) {
  NcclApi api{};
  cuda::FunctionFinder finder(library);
#define BOOSTRT_NCCL_FIND(result, symbol, ...) finder.find(api.symbol, #symbol);
  BOOSTRT_NCCL_FUNCTIONS(BOOSTRT_NCCL_FIND)
#undef BOOSTRT_NCCL_FIND
  if (finder.missing())
    return Status(ExitCode::Usage,
                  fmt::format("{} has no function {}; install NCCL 2.14 or "
                              "newer",
                              path, finder.missing()));
  if (NcclResult result = api.ncclGetVersion(&api.version); result != kSuccess)
    return Status(
        ExitCode::Usage,
        fmt::format("{}: {}", path,
                    api.failureText("ncclGetVersion", result, nullptr)));
  return api;
}

std::string NcclApi::failureText(const char *call, NcclResult result,
                                 Communicator communicator) const {
  const char *name = ncclGetErrorString(result);
  const char *last = ncclGetLastError(communicator);
  return fmt::format("{} failed: {}{}", call, name ? name : "?",
                     last && *last ? fmt::format(" ({})", printable(last))
                                   : "");
}

} // namespace boostrt::nccl
