// Passes.h - the passes of compiler/transforms; see Passes.td.
#pragma once

#include "dialects/nn/NnDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Pass/Pass.h"

namespace boostc::transforms {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

} // namespace boostc::transforms
