// THOR: steps that refresh factors and inverses, and steps that use them; see
// Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "compiler/boost/thor/FactorLayers.h"
#include "compiler/boost/thor/RefreshSteps.h"
#include "dialects/thor/ThorDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

namespace boostc::boost {
#define GEN_PASS_DEF_PRECONDITIONGRADIENTSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

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
    layers = buildFactors(program, microRefresh, blockSize);
    if (isStaggered)
      plan =
          RefreshPlan::getStaggered(plan.frequency, countWithFactors(layers));
    stagger(layers, microRefresh, plan);
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
    SmallVector<Value> ready;
    SlotCode slots(function, plan.slots);
    for (auto request : llvm::make_early_inc_range(
             function.getOps<thor::NaturalGradientOp>())) {
      auto found = layers.find(request.getParameter());
      Value result = request.getGradient();
      FactorLayer *layer = found == layers.end() ? nullptr : &found->second;
      if (layer && layer->kronecker) {
        result = precondition(function, request, *layer,
                              refreshes ? &slots : nullptr, ready);
      } else if (layer) {
        OpBuilder at(request);
        result = thor::PreconditionDiagonalOp::create(
            at, request.getLoc(), request.getGradient(),
            takeArgument(function, count, BindingKind::LossCount),
            request.getDamping());
      }
      if (refreshes && !layer)
        remarkPlain(request);
      request.replaceAllUsesWith(result);
      request.erase();
    }
    countPlain(function, ready);
  }

  /// Lets `function` return how many of its layers with factors take their
  /// plain gradient.
  void countPlain(func::FuncOp function, ArrayRef<Value> ready) {
    OpBuilder at(function.front().getTerminator());
    Value plain =
        buildInteger(at, loc, flag, static_cast<int64_t>(ready.size()));
    for (Value isReady : ready)
      plain = arith::SubIOp::create(at, loc, plain, isReady);
    rt::addResult(function, plain,
                  rt::BindingAttr::get(b.getContext(), BindingKind::StepNumber,
                                       "thor_plain_layers"));
  }

  /// With inverses that are refreshed where `slots` are given and the layer's
  /// is due. Adds to `isReady` whether it is preconditioned, 0 or 1.
  Value precondition(func::FuncOp function, thor::NaturalGradientOp request,
                     FactorLayer &layer, SlotCode *slots,
                     SmallVectorImpl<Value> &isReady) {
    OpBuilder at(request);
    Location where = request.getLoc();
    auto take = [&](StringRef name, Type type) {
      return takeArgument(function, type, BindingKind::State, name);
    };
    Value a = take(layer.inverseA, layer.a), g = take(layer.inverseG, layer.g);
    Value ready = take(layer.ready, flag);
    if (slots) {
      Inverses found = refresh(function, request, layer, *slots, {a, g, ready});
      keep(function, layer.inverseA, a, found.a);
      keep(function, layer.inverseG, g, found.g);
      OpBuilder end(function.front().getTerminator());
      leaveState(function, layer.ready,
                 selectApplied(end, *getCommit(function), found.ready, ready));
      std::tie(a, g, ready) = std::tie(found.a, found.g, found.ready);
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

  /// The inverses of a layer's factors, and whether both could be computed.
  struct Inverses {
    Value a, g, ready;
  };

  /// New ones where the layer is due, else `before`.
  Inverses refresh(func::FuncOp function, thor::NaturalGradientOp request,
                   const FactorLayer &layer, SlotCode &slots, Inverses before) {
    OpBuilder at(request);
    Location where = request.getLoc();
    Value samples = takeArgument(function, count, BindingKind::LossCount);
    // Nothing is inverted for no samples.
    if (plan.slots > 1)
      samples =
          arith::SelectOp::create(at, where, slots.isDue(layer.slot), samples,
                                  buildInteger(at, where, count, 0));
    auto invert = [&](StringRef factor, RankedTensorType type, Value scale,
                      int64_t rows) {
      return thor::DampedInverseOp::create(
          at, where, type, flag,
          takeArgument(function, type, BindingKind::Accumulator, factor),
          samples, scale, request.getDamping(), at.getI64IntegerAttr(rows),
          at.getI64IntegerAttr(layer.positions));
    };
    // How often a row of a table is looked up counts for each sample.
    auto a = invert(layer.factorA, layer.a, Value(),
                    layer.kronecker->isLookup ? 1 : layer.rows);
    auto g = invert(layer.factorG, layer.g, findScale(request.getGradient()),
                    layer.rows);
    Value failed =
        arith::AddIOp::create(at, where, a.getFailed(), g.getFailed());
    Value succeeded =
        arith::CmpIOp::create(at, where, arith::CmpIPredicate::eq, failed,
                              buildInteger(at, where, flag, 0));
    Inverses found = {a.getResult(), g.getResult(),
                      arith::ExtUIOp::create(at, where, flag, succeeded)};
    if (plan.slots == 1)
      return found;
    Value due = slots.getDue(layer.slot);
    return {replace(at, before.a, found.a, due),
            replace(at, before.g, found.g, due),
            arith::SelectOp::create(at, where, slots.isDue(layer.slot),
                                    found.ready, before.ready)};
  }

  /// `value` where `taken` is not 0, else `kept`.
  static Value replace(OpBuilder &at, Value kept, Value value, Value taken) {
    auto one = DenseElementsAttr::get(
        RankedTensorType::get({}, at.getF32Type()), 1.0f);
    Location where = value.getLoc();
    return train::ReplaceOp::create(at, where, kept.getType(), kept, value,
                                    arith::ConstantOp::create(at, where, one),
                                    taken);
  }

  /// The scale of the loss whose gradient `gradient` was before it was
  /// unscaled; null where it was not scaled. Operand 0 of what changes a
  /// gradient is the gradient.
  static Value findScale(Value gradient) {
    while (Operation *op = gradient.getDefiningOp()) {
      if (auto unscale = dyn_cast<train::UnscaleGradientOp>(op))
        return unscale.getScale();
      if (op->getNumOperands() == 0)
        break;
      gradient = op->getOperand(0);
    }
    return Value();
  }

  /// Leaves an inverse in its state where the step is applied.
  void keep(func::FuncOp function, StringRef state, Value before,
            Value changed) {
    OpBuilder at(function.front().getTerminator());
    leaveState(function, state,
               replace(at, before, changed, getCommit(function)->getApplied()));
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
    diagnostic << "; inverses of " << bytes
               << " bytes; --explain lists what they cost";
  }
  void remarkPlain(thor::NaturalGradientOp request) {
    auto parameter =
        program.lookupSymbol<train::ParameterOp>(request.getParameter());
    if (!parameter || (parameter.getRole() != train::Role::NormScale &&
                       parameter.getRole() != train::Role::NormShift))
      emitRemark(request.getLoc())
          << "thor: '" << request.getParameter()
          << "' keeps its gradient: the op that computes it says of no factors";
  }

  train::ProgramOp program;
  func::FuncOp micro, update;
  Location loc;
  Builder b;
  RefreshPlan plan;
  bool isStaggered;
  int64_t blockSize;
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
    for (thor::NaturalGradientOp request : requests)
      if (request.getFrequency() != requests.front().getFrequency() ||
          request.getBlockSize() != requests.front().getBlockSize() ||
          request.getStaggered() != requests.front().getStaggered()) {
        auto describe = [](thor::NaturalGradientOp op) {
          return llvm::formatv("frequency {0}, block_size {1}{2}",
                               op.getFrequency(), op.getBlockSize(),
                               op.getStaggered() ? " staggered" : "");
        };
        request.emitOpError("expected what the first one says, '")
            << describe(requests.front()) << "', found '" << describe(request)
            << "'";
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
