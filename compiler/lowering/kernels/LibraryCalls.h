// LibraryCalls.h - library calls as the ABI describes them.
#pragma once

#include "dialects/interfaces/Interfaces.h"

namespace boostc {

/// What the runtime is told of the call that `op` is, on memrefs, without its
/// location and its fallback.
BoostLibraryCall describeLibraryCall(LibraryOpInterface op);

/// The operands of the call of `op` in the order of the ABI, null where there
/// is none; the scratch memory is the last. Empty for other ops.
llvm::SmallVector<mlir::Value> getCallOperands(mlir::Operation *op);

/// Whether `op`, of phase rt, is a call on such a device: it has scratch
/// memory, or on a CPU asks for none. Kernels compute all others.
bool isLibraryCall(mlir::Operation *op, BoostTargetKind target);

/// The scratch memory of `op`, on memrefs, which makes it a library call where
/// kernels compute such ops too; null without.
mlir::Value getLibraryScratch(mlir::Operation *op);

} // namespace boostc
