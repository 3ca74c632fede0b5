// LibraryCalls.h - rt ops as the ABI describes them.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {

/// The call the runtime will make for `op`.
BoostMatmul describeMatmul(rt::MatmulOp op);

/// The scratch memory of `op`, on memrefs, which makes it a library call where
/// kernels compute such ops too; null without.
mlir::Value getLibraryScratch(mlir::Operation *op);

} // namespace boostc
