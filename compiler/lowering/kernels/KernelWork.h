// KernelWork.h - what a kernel or a library call does, for profiles.
#pragma once

#include "dialects/rt/RtDialect.h"

namespace boostc {

/// What executing `ops` in their order costs, from shapes alone: they are
/// linalg on buffers, contractions and walks over rows. A buffer is read once,
/// and not at all where one of `ops` has written it before; it is written once.
rt::WorkAttr describeWork(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace boostc
