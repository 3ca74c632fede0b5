// Passes.h - from tensors to planned memory; see Passes.td for what each pass
// promises.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace boostc {

/// On a program: the number of values that it computes again.
constexpr llvm::StringLiteral kRecomputedAttrName = "rt.recomputed";

#define GEN_PASS_DECL
#include "compiler/lowering/buffers/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/buffers/Passes.h.inc"

} // namespace boostc
