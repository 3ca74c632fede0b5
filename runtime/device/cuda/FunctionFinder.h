// FunctionFinder.h - the functions of a library that is opened at run time.
#pragma once

#include "runtime/device/cuda/FindLibraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace boostrt::cuda {

class FunctionFinder {
public:
  /// `library` is what dlopen() returned.
  explicit FunctionFinder(void *library) : library_(library) {}

  template <class Function> void find(Function *&function, const char *symbol) {
    function = reinterpret_cast<Function *>(dlsym(library_, symbol));
    if (!function && !missing_)
      missing_ = symbol;
  }
  /// The first that is not there; null where all are.
  const char *missing() const { return missing_; }

private:
  void *library_;
  const char *missing_ = nullptr;
};

/// Api::find() in the library `name`. Fails with ExitCode::Usage.
template <class Api>
Result<Api> openApi(const char *name, const SearchContext &context) {
  Result<OpenLibrary> library = openLibrary(name, context);
  if (!library.ok())
    return Status(library.status().code(),
                  fmt::format("{} is {}", name, library.status().message()));
  return Api::find(library->handle, library->path);
}

} // namespace boostrt::cuda
