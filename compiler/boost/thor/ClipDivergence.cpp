#include "compiler/boost/thor/ClipDivergence.h"
#include "dialects/thor/ThorDialect.h"
#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

void boost::clipDivergence(func::FuncOp function, ArrayRef<NaturalStep> steps,
                           double limit) {
  if (steps.empty())
    return;
  OpBuilder b(function.front().getTerminator());
  SmallVector<Value> divergences;
  for (auto [preconditioned, gradient, rate] : steps)
    divergences.push_back(thor::KlDivergenceOp::create(
        b, preconditioned.getLoc(), preconditioned, gradient, rate));
  Value factor = thor::KlFactorOp::create(b, function.getLoc(), divergences,
                                          b.getF64FloatAttr(limit));
  for (auto [step, divergence] : llvm::zip_equal(steps, divergences)) {
    Value preconditioned = step.preconditioned;
    Value scaled = train::ScaleGradientOp::create(b, preconditioned.getLoc(),
                                                  preconditioned, factor);
    llvm::SmallPtrSet<Operation *, 2> readers = {divergence.getDefiningOp(),
                                                 scaled.getDefiningOp()};
    preconditioned.replaceAllUsesExcept(scaled, readers);
  }
  // The factor comes before the first rule, and is computed of all gradients.
  sortTopologically(&function.front());
}
