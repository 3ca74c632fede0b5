// Passes.h - the verifier that closes every phase; see Passes.td.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace boostc {

#define GEN_PASS_DECL
#include "compiler/pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/pipeline/Passes.h.inc"

} // namespace boostc
