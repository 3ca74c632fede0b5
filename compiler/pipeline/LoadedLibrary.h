// LoadedLibrary.h - a program that has just been compiled, in this process.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/MemoryFile.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace boostc {

class LoadedLibrary {
public:
  /// `library` is what emitProgram() made. Null, and a sentence in `error`, on
  /// failure.
  static std::unique_ptr<LoadedLibrary> load(llvm::ArrayRef<char> library,
                                             std::string &error);
  ~LoadedLibrary();
  LoadedLibrary(const LoadedLibrary &) = delete;
  LoadedLibrary &operator=(const LoadedLibrary &) = delete;

  const BoostProgram &program() const { return *descriptor; }

private:
  LoadedLibrary() = default;
  boostrt::MemoryFile file;
  void *handle = nullptr;
  const BoostProgram *descriptor = nullptr;
};

} // namespace boostc
