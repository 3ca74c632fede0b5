// Chunks.h - kernels in modules of similar size, which threads lower apart.
#pragma once

#include "mlir/IR/OwningOpRef.h"

namespace boostc {

/// Ops of a kernel, itself included.
size_t countOps(mlir::Operation *kernel);

/// The chunk of each kernel, of these sizes: those that follow each other share
/// one until it has `ops` ops.
llvm::SmallVector<size_t> assignChunks(llvm::ArrayRef<size_t> sizes,
                                       size_t ops);

/// A module with the attributes of `module`, and nothing in it.
mlir::OwningOpRef<mlir::Operation *> makeEmptyChunk(mlir::Operation *module);

} // namespace boostc
