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
      for (auto rule :
           llvm::to_vector(update.getOps<ScalarUpdateOpInterface>()))
        if (weights.contains(getParameter(rule)))
          centralize(rule);
  }

  /// The rule of a weight, and the rate that LARS takes from a norm, see the
  /// gradient without its means.
  static void centralize(ScalarUpdateOpInterface rule) {
    Value gradient = rule->getOperand(1);
    train::TrustRatioOp rate;
    for (Value operand : rule->getOperands())
      if (auto ratio = operand.getDefiningOp<train::TrustRatioOp>())
        rate = ratio;
    OpBuilder b(rate ? rate.getOperation() : rule.getOperation());
    Location loc = rule->getLoc();
    Value means = train::FilterMeansOp::create(b, loc, gradient);
    Value centered = train::CenterGradientOp::create(b, loc, gradient.getType(),
                                                     gradient, means);
    rule->setOperand(1, centered);
    if (rate)
      rate.getGradientMutable().assign(
          train::SquaredNormOp::create(b, loc, rate.getType(), centered));
  }
};

} // namespace
