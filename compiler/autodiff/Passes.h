// Passes.h - the passes of compiler/autodiff; see Passes.td.
#pragma once

#include "dialects/nn/NnDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace boostc::autodiff {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/autodiff/Passes.h.inc"

} // namespace boostc::autodiff
