#include "runtime/comm/nccl/NcclApi.h"

#include "runtime/support/Suggest.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace boostrt::nccl {

Result<NcclApi> NcclApi::open(const cuda::SearchContext &context) {
  Result<cuda::OpenLibrary> library = cuda::openLibrary(kLibraryName, context);
  if (!library.ok())
    return Status(
        library.status().code(),
        fmt::format("{} is {}", kLibraryName, library.status().message()));
  return find(library->handle, library->path);
}

Result<NcclApi> NcclApi::find(void *library, const std::string &path) {
  NcclApi api{};
  const char *missing = nullptr;
  auto look = [&](auto &member, const char *symbol) {
    using Pointer = std::remove_reference_t<decltype(member)>;
    member = reinterpret_cast<Pointer>(dlsym(library, symbol));
    if (!member && !missing)
      missing = symbol;
  };
#define BOOSTRT_NCCL_FIND(result, symbol, ...) look(api.symbol, #symbol);
  BOOSTRT_NCCL_FUNCTIONS(BOOSTRT_NCCL_FIND)
#undef BOOSTRT_NCCL_FIND
  if (missing)
    return Status(ExitCode::Usage,
                  fmt::format("{} has no function {}; install NCCL 2.14 or "
                              "newer",
                              path, missing));
  if (NcclResult result = api.ncclGetVersion(&api.version); result != kSuccess)
    return Status(
        ExitCode::Usage,
        fmt::format("{}: {}", path,
                    api.failureText("ncclGetVersion", result, nullptr)));
  return api;
}

std::string NcclApi::versionText() const {
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100,
                     version % 100);
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
