// Passes.h - kernels and library calls for CPUs; see Passes.td for what each
// pass promises.
#pragma once

#include "compiler/lowering/target/TilingPolicy.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace boostc {

#define GEN_PASS_DECL
#include "compiler/lowering/cpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/cpu/Passes.h.inc"

} // namespace boostc
