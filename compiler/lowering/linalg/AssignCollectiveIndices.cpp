// The order of collectives, when those that are left are known; see Passes.td.

#include "compiler/lowering/linalg/Passes.h"
#include "dialects/rt/CollectiveForm.h"

namespace boostc {
#define GEN_PASS_DEF_ASSIGNCOLLECTIVEINDICESPASS
#include "compiler/lowering/linalg/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct AssignCollectiveIndices
    : boostc::impl::AssignCollectiveIndicesPassBase<AssignCollectiveIndices> {
  void runOnOperation() override {
    rt::numberCollectives(getOperation().getEndings());
  }
};

} // namespace
