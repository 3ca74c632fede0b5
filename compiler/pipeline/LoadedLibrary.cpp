#include "compiler/pipeline/LoadedLibrary.h"
#include <dlfcn.h>

using namespace boostc;

std::unique_ptr<LoadedLibrary> LoadedLibrary::load(llvm::ArrayRef<char> library,
                                                   std::string &error) {
  std::unique_ptr<LoadedLibrary> loaded(new LoadedLibrary);
  boostrt::IoError problem = loaded->file.create("program.so");
  if (problem.ok())
    problem = loaded->file.write({library.data(), library.size()});
  if (!problem.ok()) {
    error = "cannot create a file in memory: " + problem.advice();
    return nullptr;
  }
  loaded->handle = dlopen(loaded->file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded->handle) {
    error = dlerror();
    return nullptr;
  }
  auto query =
      reinterpret_cast<BoostQuery>(dlsym(loaded->handle, BOOSTC_QUERY_SYMBOL));
  loaded->descriptor = query(BOOSTC_ABI_VERSION);
  return loaded;
}

LoadedLibrary::~LoadedLibrary() {
  if (handle)
    dlclose(handle);
}
