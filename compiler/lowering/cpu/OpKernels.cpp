#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/kernels/LibraryCalls.h"

using namespace mlir;
using namespace boostc;

std::optional<OpKernel> boostc::planOpKernel(Operation *op, int64_t maxLanes,
                                             int64_t threads) {
  if (getLibraryScratch(op))
    return std::nullopt;
  if (auto gather = dyn_cast<rt::GatherOp>(op))
    return planGather(gather);
  if (auto scatter = dyn_cast<rt::ScatterAddOp>(op))
    return planScatterAdd(scatter);
  if (auto gram = dyn_cast<rt::GramOp>(op))
    return planGram(gram, maxLanes, threads);
  if (auto inverse = dyn_cast<rt::DampedInverseOp>(op))
    return planDampedInverse(inverse, maxLanes);
  return std::nullopt;
}
