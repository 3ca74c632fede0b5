// grad_freeze: variants of a step that leave the first layers alone; see
// Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace boostc::boost {
#define GEN_PASS_DEF_FREEZELAYERSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using llvm::formatv;

/// The parameters that are trained or frozen together: a weight with the norm
/// and the bias that follow it. Those before the first weight are with it.
static SmallVector<SmallVector<train::ParameterOp>>
getLayers(train::ProgramOp program) {
  SmallVector<SmallVector<train::ParameterOp>> layers;
  bool hasWeight = true;
  for (auto parameter : program.getOps<train::ParameterOp>()) {
    train::Role role = parameter.getRole();
    bool isWeight =
        role == train::Role::Weight || role == train::Role::Embedding;
    if (layers.empty() || (isWeight && hasWeight)) {
      layers.emplace_back();
      hasWeight = false;
    }
    hasWeight |= isWeight;
    layers.back().push_back(parameter);
  }
  return layers;
}

namespace {

class LayerFreezer {
public:
  LayerFreezer(train::ProgramOp program, train::FreezeAttr freeze)
      : program(program), freeze(freeze), b(program.getContext()),
        layers(getLayers(program)) {}

  LogicalResult run() {
    stride = static_cast<int64_t>(layers.size()) / freeze.getGroups();
    if (std::string reason = findObstacle(); !reason.empty()) {
      emitRemark(program.getLoc()) << "grad_freeze freezes nothing: " << reason;
      return success();
    }
    FailureOr<PlainStep> step = getPlainStep(program, "grad_freeze");
    if (failed(step))
      return failure();
    micro = step->micro;
    update = step->update;
    b.setInsertionPoint(micro);
    for (auto op : llvm::to_vector(update.getOps<train::CountAppliedOp>()))
      splitCount(op);
    for (int64_t group = 1; group < freeze.getGroups(); ++group)
      if (failed(freezeBefore(group)))
        return failure();
    createVariant("full", update, {});
    if (freeze.getSchedule() == train::FreezeSchedule::Interleaved)
      addFreezeSelector();
    return success();
  }

private:
  /// Why no step would leave a layer alone; empty: some do.
  std::string findObstacle() const {
    if (freeze.getGroups() == 1)
      return "one group trains all layers (param_groups)";
    if (stride == 0)
      return formatv("{0} groups need as many layers with weights, and the "
                     "model has {1} (param_groups)",
                     freeze.getGroups(), layers.size());
    if (freeze.getFullShare().getValueAsDouble() == 1.0)
      return "all steps train all layers (freeze_p)";
    return "";
  }

  /// The last group that trains a layer of `parameter`.
  int64_t getGroup(StringRef parameter) {
    for (auto [i, layer] : llvm::enumerate(layers))
      for (train::ParameterOp member : layer)
        if (member.getSymName() == parameter)
          return std::min(static_cast<int64_t>(i) / stride,
                          freeze.getGroups() - 1);
    llvm_unreachable("the parameter of a rule is declared");
  }

  /// The number of steps in which a parameter was trained is that of its
  /// group: each but the last, which trains in all steps, gets a count of its
  /// own.
  void splitCount(train::CountAppliedOp count) {
    rt::BindingAttr shared = rt::getArgumentBinding(count.getSteps());
    if (!shared)
      return;
    SetVector<Operation *> following;
    getForwardSlice(count.getOperation(), &following);
    llvm::DenseMap<int64_t, SmallVector<ScalarUpdateOpInterface>> rules;
    for (Operation *op : following)
      if (auto rule = dyn_cast<ScalarUpdateOpInterface>(op);
          rule && !getParameter(rule).empty())
        rules[getGroup(getParameter(rule))].push_back(rule);
    auto declared = program.lookupSymbol<train::StateOp>(shared.getName());
    for (int64_t group = 0; group + 1 < freeze.getGroups(); ++group) {
      if (!rules.contains(group))
        continue;
      auto state = cast<train::StateOp>(
          OpBuilder(declared).clone(*declared.getOperation()));
      state.setSymName(formatv("{0}.group{1}", shared.getName(), group).str());
      countStates[state.getSymName()] = group;
      auto binding = rt::BindingAttr::get(
          b.getContext(), rt::BindingKind::State, state.getSymName());
      IRMapping mapping;
      mapping.map(count.getSteps(),
                  rt::addArgument(update, count.getSteps().getType(), binding));
      SetVector<Operation *> leading;
      for (ScalarUpdateOpInterface rule : rules[group])
        (void)getBackwardSlice(rule.getOperation(), &leading);
      cloneAfter(count, mapping);
      for (Operation *op : following)
        if (leading.contains(op))
          cloneAfter(op, mapping);
      for (ScalarUpdateOpInterface rule : rules[group])
        for (OpOperand &operand : rule->getOpOperands())
          operand.set(mapping.lookupOrDefault(operand.get()));
      rt::addResult(update, mapping.lookup(count.getResult()), binding);
    }
  }

  static void cloneAfter(Operation *op, IRMapping &mapping) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    builder.clone(*op, mapping);
  }

  /// A step in which the layers before number `group` times stride stay what
  /// they are: their parameters, the states of these and their counts.
  LogicalResult freezeBefore(int64_t group) {
    llvm::StringSet<> frozen;
    for (const auto &layer : ArrayRef(layers).take_front(group * stride))
      for (train::ParameterOp parameter : layer)
        frozen.insert(parameter.getSymName());
    for (auto state : program.getOps<train::StateOp>())
      if (state.getParameter() && frozen.contains(*state.getParameter()))
        frozen.insert(state.getSymName());
    for (const auto &[name, owner] : countStates)
      if (owner < group)
        frozen.insert(name);
    auto isFrozen = [&](rt::BindingAttr binding) {
      return frozen.contains(binding.getName());
    };
    func::FuncOp smaller =
        copyFunction(program, update,
                     formatv("{0}_frozen_{1}", train::kUpdate, group).str());
    keepFrozenScales(smaller, isFrozen);
    eraseResults(smaller, isFrozen);
    if (failed(eraseArguments(smaller, isFrozen)))
      return failure();
    createVariant(formatv("frozen_{0}", group).str(), smaller, getSteps(group));
    return success();
  }

  /// A step says nothing of the loss scale of a group that it leaves alone as a
  /// whole: scale and count stay what they are.
  static void keepFrozenScales(func::FuncOp smaller, BindingFilter isFrozen) {
    for (auto op : llvm::make_early_inc_range(
             smaller.getOps<train::AdjustGroupScaleOp>())) {
      auto probe = op.getNonfinite().getDefiningOp<train::NotFiniteOp>();
      if (!probe || !llvm::all_of(probe.getValues(), [&](Value value) {
            rt::BindingAttr binding = rt::getArgumentBinding(value);
            return binding && isFrozen(binding);
          }))
        continue;
      op->replaceAllUsesWith(ValueRange{op.getScale(), op.getOverflows()});
      op.erase();
      probe.erase();
    }
  }

  void createVariant(StringRef name, func::FuncOp function,
                     ArrayRef<Attribute> steps) {
    names.push_back(FlatSymbolRefAttr::get(b.getContext(), name));
    addVariant(b, program.getLoc(), name, micro, function, steps);
  }

  /// The continuous schedule is periodic: z steps train everything, then come
  /// the groups 1, 2, ... once each.
  SmallVector<Attribute> getSteps(int64_t group) {
    if (freeze.getSchedule() != train::FreezeSchedule::Continuous)
      return {};
    // Python's floor division, as the original rounds it.
    double share = freeze.getFullShare().getValueAsDouble();
    double trained = share * static_cast<double>(freeze.getGroups() - 1);
    double quotient =
        (trained - std::fmod(trained, 1.0 - share)) / (1.0 - share);
    auto before = static_cast<int64_t>(std::round(quotient));
    return {train::StepsAttr::get(b.getContext(), before + group, 0,
                                  before + freeze.getGroups() - 1)};
  }

  void addFreezeSelector() {
    // The last variant created is number 0: nothing is frozen.
    SmallVector<Attribute> variants = {names.back()};
    llvm::append_range(variants, ArrayRef(names).drop_back());
    func::FuncOp function = addSelector(b, program, variants);
    OpBuilder body(function.front().getTerminator());
    returnChoice(
        function,
        train::FreezeGroupOp::create(
            body, program.getLoc(),
            RankedTensorType::get({}, body.getI32Type()),
            function.getArgument(0), body.getI64IntegerAttr(freeze.getGroups()),
            freeze.getFullShare(), body.getI64IntegerAttr(freeze.getLength()),
            body.getI64IntegerAttr(static_cast<int64_t>(program.getSeed()))));
  }

  train::ProgramOp program;
  train::FreezeAttr freeze;
  OpBuilder b;
  SmallVector<SmallVector<train::ParameterOp>> layers;
  int64_t stride = 0; ///< layers between the first ones of two groups
  func::FuncOp micro, update;
  SmallVector<Attribute> names;         ///< of the variants, in their order
  llvm::StringMap<int64_t> countStates; ///< by name, the group that counts
};

struct FreezeLayers : boost::impl::FreezeLayersPassBase<FreezeLayers> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto freeze =
        program->getAttrOfType<train::FreezeAttr>(train::kFreezeAttrName);
    if (!freeze)
      return;
    program->removeAttr(train::kFreezeAttrName);
    if (failed(LayerFreezer(program, freeze).run()))
      signalPassFailure();
  }
};

} // namespace
