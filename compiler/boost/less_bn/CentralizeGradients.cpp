// less_bn's gradient centralisation; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "llvm/ADT/StringSet.h"

namespace boostc::boost {
#define GEN_PASS_DEF_CENTRALIZEGRADIENTSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

/// Whether `use` makes a value the weight of a contraction over all channels.
static bool isWholeWeight(OpOperand &use) {
  auto layer = dyn_cast<LayerKindOpInterface>(use.getOwner());
  return layer && layer.getLayerKind() == LayerKind::Contraction &&
         use.getOperandNumber() == 1 && layer.getChannelGroups() == 1;
}

/// The parameters that `forward` uses as such weights alone.
static void findWeights(func::FuncOp forward, llvm::StringSet<> &weights) {
  for (BlockArgument argument : forward.getArguments()) {
    rt::BindingAttr binding = rt::getArgumentBinding(argument);
    if (binding && binding.getKind() == rt::BindingKind::Parameter &&
        !argument.use_empty() &&
        llvm::all_of(argument.getUses(), isWholeWeight))
      weights.insert(binding.getName());
  }
}

namespace {

struct CentralizeGradients
    : boost::impl::CentralizeGradientsPassBase<CentralizeGradients> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    if (!program->removeAttr(train::kCentralizeGradientsAttrName))
      return;
    llvm::StringSet<> weights;
    for (func::FuncOp forward : program.getDifferentiated())
      findWeights(forward, weights);
    for (func::FuncOp update : program.getUpdates())
      for (BlockArgument argument : update.getArguments()) {
        rt::BindingAttr binding = rt::getArgumentBinding(argument);
        if (binding && binding.getKind() == rt::BindingKind::Gradient &&
            weights.contains(binding.getName()))
          centralize(argument);
      }
  }

  /// What the rule of an optimizer begins with: `sum` divided, unscaled and
  /// clipped.
  static Value getGradient(BlockArgument sum) {
    Value gradient = sum;
    while (true) {
      auto next = llvm::find_if(gradient.getUsers(), [&](Operation *user) {
        return isa<GradientTransformOpInterface>(user) &&
               user->getOperand(0) == gradient;
      });
      if (next == gradient.user_end())
        return gradient;
      gradient = next->getResult(0);
    }
  }

  /// All but norms over all gradients sees the gradient without its means.
  static void centralize(BlockArgument sum) {
    Value gradient = getGradient(sum);
    OpBuilder b(sum.getContext());
    b.setInsertionPointAfterValue(gradient);
    Location loc = gradient.getLoc();
    auto uses = llvm::to_vector(llvm::make_pointer_range(gradient.getUses()));
    Value means = train::FilterMeansOp::create(b, loc, gradient);
    Value centered = train::CenterGradientOp::create(b, loc, gradient.getType(),
                                                     gradient, means);
    for (OpOperand *use : uses) {
      Operation *user = use->getOwner();
      auto norm = dyn_cast<train::SquaredNormOp>(user);
      auto isOfAll = llvm::IsaPred<train::GlobalNormOp>;
      if (isa<train::CommitOp>(user) ||
          (norm && llvm::all_of(norm->getUsers(), isOfAll)))
        continue;
      if (!norm)
        use->set(centered);
      else
        norm.getResult().replaceUsesWithIf(
            train::SquaredNormOp::create(b, loc, norm.getType(), centered),
            [&](OpOperand &read) { return !isOfAll(read.getOwner()); });
    }
  }
};

} // namespace
