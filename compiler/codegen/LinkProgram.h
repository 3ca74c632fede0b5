// LinkProgram.h - from object files to the program file.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace boostc {

using ObjectFile = llvm::SmallVector<char, 0>;

enum class LinkResult {
  Ok,
  Failed,  ///< the linker refuses the objects: a defect of ours
  NoSpace, ///< the system has no room for them
};

/// Links `objects` as emitProgram() says and appends the result to `library`.
/// Writes a sentence to `error` on failure.
LinkResult linkProgram(llvm::ArrayRef<ObjectFile> objects,
                       llvm::SmallVectorImpl<char> &library,
                       std::string &error);

} // namespace boostc
