// AverageWeights.cpp - exponential moving averages of weights; see Passes.td.

#include "compiler/transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace boostc::transforms {
#define GEN_PASS_DEF_AVERAGEWEIGHTSPASS
#include "compiler/transforms/Passes.h.inc"
} // namespace boostc::transforms

using namespace mlir;
using namespace boostc;

namespace {

/// The memory of a weight, and that of its average.
using Averages = llvm::MapVector<rt::BindingAttr, train::StateOp>;

struct AverageWeightsPass
    : boostc::transforms::impl::AverageWeightsPassBase<AverageWeightsPass> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    ema = program->getAttrOfType<train::EmaAttr>(train::kEmaAttrName);
    if (!ema)
      return;
    averages.clear();
    for (auto parameter : llvm::to_vector(program.getOps<train::ParameterOp>()))
      declare(parameter, rt::BindingKind::Parameter, parameter.getSymName(),
              parameter.getType());
    for (auto state : llvm::to_vector(program.getOps<train::StateOp>()))
      if (state.isSavedWithWeights() && !state.getAveraged())
        declare(state, rt::BindingKind::State, state.getSymName(),
                state.getType());
    for (func::FuncOp update : program.getUpdates())
      if (failed(addTo(update)))
        return signalPassFailure();
    func::FuncOp eval = program.getFunction(train::kEval);
    if (eval && ema.getEvaluate())
      evaluate(eval);
    // They are there: another run of the pass adds nothing.
    program->removeAttr(train::kEmaAttrName);
  }

private:
  /// The average of what `weight` declares.
  void declare(Operation *weight, rt::BindingKind kind, StringRef name,
               Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.getElementType().isF32())
      return;
    OpBuilder b(weight->getContext());
    b.setInsertionPointAfter(weight);
    auto average = train::StateOp::create(
        b, weight->getLoc(), b.getStringAttr(name + ".ema"),
        b.getStringAttr("ema"), /*parameter=*/FlatSymbolRefAttr(),
        rt::InitializerAttr(), FlatSymbolRefAttr::get(b.getContext(), name),
        ema.getEvaluate() ? b.getUnitAttr() : UnitAttr(),
        train::SavedAttr::get(b.getContext(), train::Saved::WithWeights),
        TypeAttr::get(tensor));
    averages[rt::BindingAttr::get(b.getContext(), kind, name)] = average;
  }

  /// What `update` leaves in the memory that is bound so: a result or, where it
  /// leaves what is there, an argument.
  static Value findLeft(func::FuncOp update, rt::BindingAttr binding,
                        Type type) {
    Operation *end = update.front().getTerminator();
    for (unsigned i = 0; i < update.getNumResults(); ++i)
      if (rt::getResultBinding(update, i) == binding)
        return end->getOperand(i);
    for (unsigned i = 0; i < update.getNumArguments(); ++i)
      if (rt::getArgumentBinding(update, i) == binding)
        return update.getArgument(i);
    return rt::addArgument(update, type, binding);
  }

  LogicalResult addTo(func::FuncOp update) {
    auto commits = llvm::to_vector(update.getOps<train::CommitOp>());
    if (commits.size() != 1)
      return update.emitOpError("expected one train.commit, which says "
                                "whether averages move, found ")
             << commits.size();
    OpBuilder b(update.front().getTerminator());
    for (auto [weight, state] : averages) {
      auto memory = rt::BindingAttr::get(&getContext(), rt::BindingKind::State,
                                         state.getSymName());
      Value value = findLeft(update, weight, state.getType());
      Value average = rt::addArgument(update, state.getType(), memory);
      auto moved = train::MovingAverageOp::create(
          b, state.getLoc(), average, value, commits.front().getApplied(),
          ema.getDecay());
      rt::addResult(update, moved, memory);
    }
    return success();
  }

  /// Arguments bound to weights are bound to their averages.
  void evaluate(func::FuncOp eval) {
    for (unsigned i = 0; i < eval.getNumArguments(); ++i)
      if (train::StateOp state =
              averages.lookup(rt::getArgumentBinding(eval, i)))
        eval.setArgAttr(i, rt::kBindingAttrName,
                        rt::BindingAttr::get(&getContext(),
                                             rt::BindingKind::State,
                                             state.getSymName()));
  }

  train::EmaAttr ema;
  Averages averages;
};

} // namespace
