#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/lowering/buffers/Passes.h"
#include "compiler/report/MemoryUse.h"

using namespace mlir;
using namespace boostc;

namespace {

/// The module in phase `buffers`.
struct Planned {
  OwningOpRef<ModuleOp> module = {};
  uint64_t bytes = 0;      ///< of a training run
  uint64_t recomputed = 0; ///< values

  /// The one for the kind of device that reserves most.
  train::ProgramOp program = {};
};

} // namespace

static FailureOr<Planned> tryPlan(ModuleOp module, uint64_t maxRecomputed,
                                  const boostrt::JobShape &job,
                                  PlanMemoryFn plan) {
  Planned planned{module.clone()};
  if (failed(plan(*planned.module, maxRecomputed)))
    return failure();
  planned.program = report::getLargestProgram(*planned.module, job);
  planned.bytes = report::measureTotal(planned.program, job);
  if (auto count =
          planned.program->getAttrOfType<IntegerAttr>(kRecomputedAttrName))
    planned.recomputed = count.getInt();
  return planned;
}

LogicalResult boostc::planWithinBudget(OwningOpRef<ModuleOp> &module,
                                       uint64_t budget,
                                       const boostrt::JobShape &job,
                                       PlanMemoryFn plan) {
  FailureOr<Planned> keepsAll = tryPlan(*module, 0, job, plan);
  if (failed(keepsAll))
    return failure();
  if (keepsAll->bytes <= budget) {
    module = std::move(keepsAll->module);
    return success();
  }
  FailureOr<Planned> best =
      tryPlan(*module, std::numeric_limits<uint64_t>::max(), job, plan);
  if (failed(best))
    return failure();
  if (best->bytes > budget) {
    Planned &least = best->bytes < keepsAll->bytes ? *best : *keepsAll;
    return report::checkMemoryBudget(least.program, budget, job);
  }
  // More values computed again take less memory, so that the fewest are found
  // by halving.
  uint64_t tooFew = 0;
  while (best->recomputed - tooFew > 1) {
    uint64_t middle = tooFew + (best->recomputed - tooFew) / 2;
    FailureOr<Planned> planned = tryPlan(*module, middle, job, plan);
    if (failed(planned))
      return failure();
    if (planned->bytes <= budget)
      best = std::move(planned);
    else
      tooFew = middle;
  }
  best->program.emitRemark()
      << "computes " << best->recomputed
      << (best->recomputed == 1 ? " value" : " values")
      << " again instead of keeping " << (best->recomputed == 1 ? "it" : "them")
      << ", so that training takes " << report::describeBytes(best->bytes)
      << " instead of " << report::describeBytes(keepsAll->bytes);
  module = std::move(best->module);
  return success();
}
