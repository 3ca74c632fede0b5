// THOR: steps that refresh factors and inverses, and steps that use them; see
// Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "compiler/boost/thor/ClipDivergence.h"
#include "compiler/boost/thor/RefreshLayer.h"
#include "compiler/boost/thor/RefreshSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace boostc::boost {
#define GEN_PASS_DEF_PRECONDITIONGRADIENTSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

/// The labels of a sample, which the loss counts.
static int64_t countLabels(train::ProgramOp program) {
  for (auto input : program.getBody().getOps<train::InputOp>())
    if (auto type = cast<RankedTensorType>(input.getType());
        input.getKind() == BOOSTC_INPUT_LABELS)
      return type.getNumElements() / type.getDimSize(0);
  return 1;
}

namespace {

class Preconditioner {
public:
  Preconditioner(train::ProgramOp program, func::FuncOp micro,
                 func::FuncOp update, thor::NaturalGradientOp first)
      : program(program), micro(micro), update(update), loc(program.getLoc()),
        b(program.getContext()),
        plan{static_cast<int64_t>(first.getFrequency())},
        isStaggered(first.getStaggered()),
        blockSize(static_cast<int64_t>(first.getBlockSize())),
        isByRank(first.getByRank()), limit(first.getKlClipAttr()),
        options{.balances = first.getBalanced(),
                .decay = first.getFactorDecayAttr(),
                .labels = countLabels(program),
                .above = first.getRefreshAboveAttr(),
                .below = first.getStopBelowAttr()},
        flag(RankedTensorType::get({}, b.getI32Type())),
        count(RankedTensorType::get({}, b.getI64Type())) {}

  void run() {
    SmallVector<func::FuncOp> others;
    for (const train::StepVariant &variant : program.getVariants())
      if (variant.update != update)
        others.push_back(variant.update);
    bool hasVariants = plan.frequency > 1 || !others.empty();
    func::FuncOp microRefresh = micro, updateRefresh = update;
    if (hasVariants) {
      // Before anything is changed.
      microRefresh = copyFunction(program, micro, "micro_refresh");
      updateRefresh = copyFunction(program, update, "update_refresh");
      others.push_back(update);
    }
    layers = buildFactors(program, microRefresh, blockSize,
                          /*averages=*/options.decay != nullptr,
                          /*compares=*/options.above != nullptr);
    if (isStaggered)
      plan =
          RefreshPlan::getStaggered(plan.frequency, countWithFactors(layers));
    chooseDue(layers, microRefresh, plan,
              /*compares=*/options.above != nullptr);
    precondition(updateRefresh, /*refreshes=*/true);
    remark();
    for (func::FuncOp other : others)
      precondition(other, /*refreshes=*/false);
    if (!hasVariants)
      return;
    chooseRefreshSteps(program, {micro, update}, others,
                       {microRefresh, updateRefresh}, plan);
  }

private:
  void precondition(func::FuncOp function, bool refreshes) {
    SmallVector<Value> ready, inverted;
    SmallVector<NaturalStep> steps;
    SlotCode slots(function, plan.slots);
    options.ranks = refreshes && isByRank ? countRanks(function) : Value();
    for (auto request : llvm::make_early_inc_range(
             function.getOps<thor::NaturalGradientOp>())) {
      auto found = layers.find(request.getParameter());
      Value result = request.getGradient();
      FactorLayer *layer = found == layers.end() ? nullptr : &found->second;
      if (layer && layer->kronecker) {
        result = precondition(function, request, *layer,
                              refreshes ? &slots : nullptr, ready, inverted);
        steps.push_back({result, request.getGradient(), request.getRate()});
      } else if (layer) {
        OpBuilder at(request);
        result = thor::PreconditionDiagonalOp::create(
            at, request.getLoc(), request.getGradient(),
            countSamples(at, function, options.labels), request.getDamping());
      }
      if (refreshes && !layer)
        remarkPlain(request);
      request.replaceAllUsesWith(result);
      request.erase();
    }
    if (limit)
      clipDivergence(function, steps, limit.getValueAsDouble());
    countLayers(function, ready, inverted);
  }

  /// Lets `function` return how many of its layers with factors take their
  /// plain gradient, and how many have new inverses where traces decide on it.
  void countLayers(func::FuncOp function, ArrayRef<Value> ready,
                   ArrayRef<Value> inverted) {
    OpBuilder at(function.front().getTerminator());
    auto leave = [&](StringRef name, Value number) {
      rt::addResult(
          function, number,
          rt::BindingAttr::get(b.getContext(), BindingKind::StepNumber, name));
    };
    Value plain =
        buildInteger(at, loc, flag, static_cast<int64_t>(ready.size()));
    for (Value isReady : ready)
      plain = arith::SubIOp::create(at, loc, plain, isReady);
    leave("thor_plain_layers", plain);
    if (!options.above)
      return;
    Value total = buildInteger(at, loc, flag, 0);
    for (Value isNew : inverted)
      total = arith::AddIOp::create(at, loc, total, isNew);
    leave("thor_inverted_layers", total);
  }

  /// With inverses that are refreshed where `slots` are given and the layer's
  /// is due. Adds to `isReady` whether it is preconditioned, 0 or 1, and to
  /// `inverted` whether inverses are new, if that is not always so.
  Value precondition(func::FuncOp function, thor::NaturalGradientOp request,
                     FactorLayer &layer, SlotCode *slots,
                     SmallVectorImpl<Value> &isReady,
                     SmallVectorImpl<Value> &inverted) {
    OpBuilder at(request);
    Location where = request.getLoc();
    auto take = [&](StringRef name, Type type) {
      return takeArgument(function, type, BindingKind::State, name);
    };
    Value a = take(layer.inverseA, layer.a), g = take(layer.inverseG, layer.g);
    Value ready = take(layer.ready, flag);
    if (slots) {
      Inverses found = refreshInverses(function, request, layer, options,
                                       *slots, {a, g, ready});
      Value applied = getCommit(function)->getApplied();
      leaveWhere(function, layer.inverseA, applied, found.a, a);
      leaveWhere(function, layer.inverseG, applied, found.g, g);
      OpBuilder end(function.front().getTerminator());
      leaveState(function, layer.ready,
                 selectApplied(end, *getCommit(function), found.ready, ready));
      std::tie(a, g, ready) = std::tie(found.a, found.g, found.ready);
      if (found.isNew)
        inverted.push_back(found.isNew);
    }
    isReady.push_back(ready);
    // The rows of a table are inputs.
    if (layer.kronecker->isLookup)
      std::swap(a, g);
    return thor::PreconditionOp::create(
        at, where, request.getGradient(), a, g, ready,
        static_cast<uint64_t>(layer.kronecker->groups),
        static_cast<uint64_t>(layer.positions));
  }

  /// Says how many weights are preconditioned, and which are not.
  void remark() {
    int64_t kronecker = countWithFactors(layers), bytes = 0;
    for (auto &[name, layer] : layers)
      bytes += layer.kronecker ? countBytes({layer.a, layer.g}) : 0;
    int64_t diagonals = static_cast<int64_t>(layers.size()) - kronecker;
    auto diagnostic = emitRemark(loc)
                      << "thor: " << kronecker
                      << (kronecker == 1 ? " weight has" : " weights have")
                      << " factors";
    if (diagonals != 0)
      diagnostic << ", " << diagonals << " a diagonal";
    if (plan.slots > 1)
      diagnostic << ", refreshed in " << plan.slots << " parts";
    diagnostic << "; inverses of " << bytes << " bytes";
    if (isByRank)
      diagnostic << ", means over ranks: results depend on their number";
    if (options.decay)
      diagnostic << " and averages of as many";
    diagnostic << "; --explain lists what they cost";
  }
  void remarkPlain(thor::NaturalGradientOp request) {
    auto parameter =
        program.lookupSymbol<train::ParameterOp>(request.getParameter());
    if (!parameter || (parameter.getRole() != train::Role::NormScale &&
                       parameter.getRole() != train::Role::NormShift))
      emitRemark(request.getLoc())
          << "thor: '" << request.getParameter()
          << "' keeps its gradient: THOR has no factors of such a layer";
  }

  train::ProgramOp program;
  func::FuncOp micro, update;
  Location loc;
  Builder b;
  RefreshPlan plan;
  bool isStaggered;
  int64_t blockSize;
  bool isByRank;   ///< each rank inverts factors of its own samples
  FloatAttr limit; ///< of how far steps move the predictions, or null
  RefreshOptions options;
  RankedTensorType flag, count;
  FactorLayers layers;
};

struct PreconditionGradients
    : boost::impl::PreconditionGradientsPassBase<PreconditionGradients> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    func::FuncOp update = program.getFunction(train::kUpdate);
    if (!update)
      return;
    auto requests = llvm::to_vector(update.getOps<thor::NaturalGradientOp>());
    if (requests.empty())
      return;
    // Each says how it is refreshed, and all are alike.
    auto getSettings = [](thor::NaturalGradientOp op) {
      NamedAttrList settings(op->getAttrDictionary());
      settings.erase(op.getParameterAttrName());
      return settings.getDictionary(op.getContext());
    };
    DictionaryAttr settings = getSettings(requests.front());
    for (thor::NaturalGradientOp request : requests)
      if (getSettings(request) != settings) {
        request.emitOpError("expected what the first one says, ")
            << settings << ", found " << getSettings(request);
        return signalPassFailure();
      }
    train::StepVariant full = program.getVariants().back();
    if (full.update != update || !full.micro || !full.probes.empty()) {
      update.emitOpError("expected the update of steps that train everything, "
                         "with gradients of their own, for thor");
      return signalPassFailure();
    }
    if (failed(getCommit(update)))
      return signalPassFailure();
    Preconditioner(program, full.micro, update, requests.front()).run();
  }
};

} // namespace
