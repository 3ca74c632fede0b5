// Passes.h - what is done with kernels of any kind of device; see Passes.td.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "mlir/Pass/Pass.h"

namespace boostc {

#define GEN_PASS_DECL
#include "compiler/lowering/kernels/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/kernels/Passes.h.inc"

} // namespace boostc
