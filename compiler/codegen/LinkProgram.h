// LinkProgram.h - from object files to the program file.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace boostc {

using ObjectFile = llvm::SmallVector<char, 0>;

/// Links `objects` as emitProgram() says and appends the result to `library`.
/// Returns false and a sentence in `error` on failure.
bool linkProgram(llvm::ArrayRef<ObjectFile> objects,
                 llvm::SmallVectorImpl<char> &library, std::string &error);

} // namespace boostc
