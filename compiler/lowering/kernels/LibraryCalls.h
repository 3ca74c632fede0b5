// LibraryCalls.h - rt ops as the ABI describes them.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {

/// The call the runtime will make for `op`.
BoostMatmul describeMatmul(rt::MatmulOp op);
BoostConvolution describeConvolution(rt::ConvolutionOp op);
/// The same for either, without its location and its fallback.
BoostLibraryCall describeLibraryCall(ContractionOpInterface op);

/// The operands of a library call in the order of the ABI: A, B, bias, C,
/// scratch; null where there is none. Empty for other ops.
llvm::SmallVector<mlir::Value> getLibraryOperands(mlir::Operation *op);

/// The scratch memory of `op`, on memrefs, which makes it a library call where
/// kernels compute such ops too; null without.
mlir::Value getLibraryScratch(mlir::Operation *op);

} // namespace boostc
