// KernelChunks.h - a program's kernels in modules of their own, whose code is
// generated concurrently.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace boostc {

/// Moves the kernels for CPUs of `module`, which is in phase llvm, into modules
/// of similar size, none where they are few. What each holds follows from
/// `module` alone: a program's bytes do not depend on the number of threads.
/// `module` keeps hidden declarations, so that the objects of all link into
/// one library.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::ModuleOp module);

/// Moves the kernels of `module` (phase llvm) into modules of similar size, in
/// their order, each with a copy of what its kernels refer to; one where they
/// are few. `module` is left without kernels.
std::vector<mlir::OwningOpRef<mlir::gpu::GPUModuleOp>>
splitKernels(mlir::gpu::GPUModuleOp module);

} // namespace boostc
