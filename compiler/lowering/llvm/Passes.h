// Passes.h - from phase rt to LLVM's dialect; see Passes.td for what each pass
// promises.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace boostc {

#define GEN_PASS_DECL
#include "compiler/lowering/llvm/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/llvm/Passes.h.inc"

} // namespace boostc
