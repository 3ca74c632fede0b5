// LibraryCalls.h - rt ops as the ABI describes them.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {

/// The call the runtime will make for `op`.
BoostMatmul describeMatmul(rt::MatmulOp op);

} // namespace boostc
