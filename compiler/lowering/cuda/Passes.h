// Passes.h - kernels and library calls for GPUs; see Passes.td for what each
// pass promises.
#pragma once

#include "compiler/lowering/target/TilingPolicy.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace boostc {

#define GEN_PASS_DECL
#include "compiler/lowering/cuda/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/cuda/Passes.h.inc"

} // namespace boostc
