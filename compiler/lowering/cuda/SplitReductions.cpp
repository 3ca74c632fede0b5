// Which contractions a GPU splits into partial sums; see Passes.td.

#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/cuda/ReducePartials.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace boostc {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "compiler/lowering/cuda/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// More would have each thread add up much, from more memory than is worth it.
static constexpr int64_t kMaxPartials = 64, kMaxPartialSums = int64_t{1} << 22;

/// With policy `always`, every sum is split into at most so many partial sums.
static constexpr int64_t kPartialsAlways = 4;

/// Cycles from the end of one kernel to the start of the next, which needs it.
static constexpr double kLaunchCycles = 2000;

/// The number of partial sums with which `op` is fastest; 1: not split.
static int64_t choosePartials(ContractionOpInterface op,
                              TilingPolicy tilingPolicy) {
  Contraction whole = getContraction(op);
  int64_t results = cast<MemRefType>(op.getC().getType()).getNumElements();
  int64_t most = std::min(tilingPolicy == TilingPolicy::Always ? kPartialsAlways
                                                               : kMaxPartials,
                          kMaxPartialSums / std::max<int64_t>(results, 1));
  auto cut = [&](int64_t partials) {
    return splitReduction(whole, partials, whole.result.buffer);
  };
  if (tilingPolicy == TilingPolicy::Always) {
    while (most > 1 && !cut(most))
      --most;
    return std::max<int64_t>(most, 1);
  }
  IRMapping none;
  auto estimate = [&](const Contraction &c) {
    return estimateCycles(
        c, buildContractionBody(op.getLoc(), c, none, tilingPolicy).plan);
  };
  double asWhole = estimate(whole), least = asWhole;
  int64_t best = 1;
  for (int64_t partials = 2; partials <= most; ++partials) {
    std::optional<Contraction> split = cut(partials);
    if (!split)
      continue;
    // The partial sums are written and read once.
    double cycles = estimate(*split) + kLaunchCycles +
                    estimateMoving(2 * partials * results);
    if (cycles < least) {
      least = cycles;
      best = partials;
    }
  }
  return isWorthwhile(least, asWhole) ? best : 1;
}

namespace {

struct SplitReductions
    : boostc::impl::SplitReductionsPassBase<SplitReductions> {
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    if (!getCudaTarget(getOperation()) || tilingPolicy == TilingPolicy::Never)
      return;
    getOperation().walk([&](ContractionOpInterface op) { split(op); });
  }

  void split(ContractionOpInterface op) {
    auto result = dyn_cast<MemRefType>(op.getC().getType());
    // With scratch memory it is a library's call, whose fallback is one kernel.
    if (!result || op.getPartials() || op.getScratch() || !rt::isDense(result))
      return;
    int64_t partials = choosePartials(op, tilingPolicy);
    if (partials == 1)
      return;
    OpBuilder builder(op);
    auto type = MemRefType::get({partials, result.getNumElements()},
                                builder.getF32Type());
    op.getPartialsMutable().assign(
        memref::AllocOp::create(builder, op.getLoc(), type));
  }
};

} // namespace
