// KernelChunks.h - a program's kernels for CPUs in modules of their own, whose
// code is generated concurrently.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace boostc {

/// Moves the kernels of `module`, which is in phase llvm, into modules of
/// similar size, none where they are few. What each holds follows from
/// `module` alone: a program's bytes do not depend on the number of threads.
/// `module` keeps hidden declarations, so that the objects of all link into
/// one library.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::ModuleOp module);

} // namespace boostc
