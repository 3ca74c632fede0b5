#include "compiler/pipeline/LoadedLibrary.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <unistd.h>

using namespace boostc;

std::unique_ptr<LoadedLibrary> LoadedLibrary::load(llvm::ArrayRef<char> library,
                                                   std::string &error) {
  std::unique_ptr<LoadedLibrary> loaded(new LoadedLibrary);
  llvm::SmallString<128> path;
  int file = 0;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("boostc", "so", file, path)) {
    error = "cannot make a temporary file: " + code.message();
    return nullptr;
  }
  llvm::FileRemover remover(path); // nothing stays behind, whatever happens
  loaded->file = boostrt::Descriptor(file);
  {
    llvm::raw_fd_ostream stream(file, /*shouldClose=*/false);
    stream.write(library.data(), library.size());
  }
  loaded->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded->handle) {
    error = dlerror();
    return nullptr;
  }
  auto query =
      reinterpret_cast<BoostQuery>(dlsym(loaded->handle, BOOST_QUERY_SYMBOL));
  loaded->descriptor = query(BOOST_ABI_VERSION);
  return loaded;
}

std::string LoadedLibrary::path() const {
  return llvm::formatv("/proc/{0}/fd/{1}", getpid(), file.get());
}

LoadedLibrary::~LoadedLibrary() {
  if (handle)
    dlclose(handle);
}
