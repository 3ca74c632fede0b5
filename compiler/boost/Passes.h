// Passes.h - the passes of compiler/boost, a folder for each boost; see
// Passes.td.
#pragma once

#include "dialects/coll/CollDialect.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Pass/Pass.h"

namespace boostc::boost {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/boost/Passes.h.inc"

} // namespace boostc::boost
