// The pass around Recomputation.h; see Passes.td.

#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/buffers/Recomputation.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace boostc {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct Recompute : boostc::impl::RecomputePassBase<Recompute> {
  using RecomputePassBase::RecomputePassBase;

  void runOnOperation() override {
    uint64_t count = recompute(getOperation(), most).count();
    if (count > 0)
      getOperation()->setAttr(
          kRecomputedAttrName,
          OpBuilder(&getContext()).getI64IntegerAttr(count));
  }
};

} // namespace
