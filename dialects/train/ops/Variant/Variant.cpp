#include "dialects/train/TrainDialect.h"
#include "runtime/abi/boost_steps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;
using rt::BindingKind;

LogicalResult VariantOp::verify() {
  if (!getMicro() && getPhases().empty())
    return emitOpError("has no micro, which only a variant with phases before "
                       "its update goes without");
  if (!getMicro() && getCombine())
    return emitOpError("has a combine and no micro whose results it adds");
  return success();
}

/// The functions that a variant names, with their parts, in the order of a
/// step.
static SmallVector<std::pair<FlatSymbolRefAttr, StringRef>>
getNamedParts(VariantOp op) {
  SmallVector<std::pair<FlatSymbolRefAttr, StringRef>> parts;
  auto add = [&](FlatSymbolRefAttr function, StringRef part) {
    if (function)
      parts.emplace_back(function, part);
  };
  for (auto phase : op.getPhases().getAsRange<PhaseAttr>()) {
    add(phase.getMicro(), kMicro);
    add(phase.getCombine(), kCombine);
    add(phase.getProbe(), kProbe);
  }
  add(op.getMicroAttr(), kMicro);
  add(op.getCombineAttr(), kCombine);
  add(op.getUpdateAttr(), kUpdate);
  return parts;
}

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [function, part] : getNamedParts(*this))
    if (!symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, function))
      return emitOpError("function ") << function << " is not defined here";
  return success();
}

/// Whether a probe may take memory of this kind.
static bool isRead(BindingKind kind) {
  return rt::isAccumulator(kind) || kind == BindingKind::Control ||
         kind == BindingKind::Parameter || kind == BindingKind::State ||
         kind == BindingKind::Failed;
}

static LogicalResult verifyProbe(ProgramOp program, func::FuncOp probe,
                                 bool repeats) {
  auto adasum = program->getAttrOfType<AdasumAttr>(kAdasumAttrName);
  bool hasPrivateStates = adasum && adasum.getMode() == AdasumMode::Delta;
  SmallVector<rt::BindingAttr> taken;
  for (unsigned i = 0; i < probe.getNumArguments(); ++i) {
    rt::BindingAttr binding = rt::getArgumentBinding(probe, i);
    if (!binding || !isRead(binding.getKind()))
      return probe.emitOpError("is a probe and expected to take accumulators, "
                               "controls, parameters and states, found "
                               "argument ")
             << i << " bound to " << Attribute(binding);
    taken.push_back(binding);
    if (!hasPrivateStates || binding.getKind() != BindingKind::State)
      continue;
    auto state = program.lookupSymbol<StateOp>(binding.getName());
    if (state && state.getParameter())
      return probe.emitOpError("is a probe and takes ")
             << Attribute(binding)
             << ", of which each rank has its own in Adasum's delta mode; "
                "expected a state without a parameter";
  }
  int64_t flags = 0;
  for (auto [i, type] : llvm::enumerate(probe.getResultTypes())) {
    rt::BindingAttr binding = rt::getResultBinding(probe, i);
    if (binding && binding.getKind() == BindingKind::Repeat &&
        type == RankedTensorType::get(
                    {}, IntegerType::get(program.getContext(), 32))) {
      ++flags;
      continue;
    }
    if (binding && rt::isAccumulator(binding.getKind()) &&
        llvm::is_contained(taken, binding))
      continue;
    auto state = binding && binding.getKind() == BindingKind::State
                     ? program.lookupSymbol<StateOp>(binding.getName())
                     : StateOp();
    if (!state || state.isSavedWithWeights())
      return probe.emitOpError("is a probe and expected to return states that "
                               "are not saved with the weights, found result ")
             << i << " of " << type << " bound to " << Attribute(binding);
  }
  if (flags != (repeats ? 1 : 0))
    return probe.emitOpError("is the probe of a phase that ")
           << (repeats ? "repeats" : "does not repeat") << " and expected to "
           << "return #rt.binding<repeat> " << (repeats ? "once" : "nowhere")
           << ", found " << flags << " results";
  return success();
}

LogicalResult VariantOp::verifyBindings() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  for (auto phase : getPhases().getAsRange<PhaseAttr>())
    if (failed(verifyProbe(program,
                           program.getFunction(phase.getProbe().getValue()),
                           phase.getRepeats())))
      return failure();
  return success();
}

LogicalResult StepsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t first, int64_t last, int64_t every) {
  if (first >= 1 && every >= 1 && (last == 0 || last >= first))
    return success();
  return emitError() << "expected steps from 1, to none or to one that is not "
                        "before the first, every 1 or more, found first "
                     << first << ", last " << last << ", every " << every;
}

BoostStepRange StepsAttr::getDescriptor() const {
  return {getFirst(), getLast(), getEvery()};
}

static bool contains(StepsAttr steps, int64_t step) {
  BoostStepRange range = steps.getDescriptor();
  return boost_steps_contain(&range, step);
}

SmallVector<StepVariant> ProgramOp::getVariants() {
  mlir::SymbolTable symbols(getOperation());
  auto find = [&](StringRef name) {
    return symbols.lookup<func::FuncOp>(name);
  };
  auto findNamed = [&](FlatSymbolRefAttr name) {
    return name ? find(name.getValue()) : func::FuncOp();
  };
  SmallVector<StepVariant> variants;
  for (auto op : getOps<VariantOp>()) {
    StepVariant &variant = variants.emplace_back(
        StepVariant{op.getSymName(), findNamed(op.getMicroAttr()),
                    findNamed(op.getCombineAttr()), find(op.getUpdate()), op});
    for (auto phase : op.getPhases().getAsRange<PhaseAttr>())
      variant.probes.push_back(
          {findNamed(phase.getMicro()), findNamed(phase.getCombine()),
           findNamed(phase.getProbe()), phase.getRepeats()});
  }
  if (variants.empty())
    variants.push_back({kStep, find(kMicro), find(kCombine), find(kUpdate)});
  return variants;
}

SmallVector<StepPhase> StepVariant::getPhases() const {
  SmallVector<StepPhase> phases = probes;
  phases.push_back({micro, combine, update});
  return phases;
}

StepVariant ProgramOp::getVariantAt(int64_t step,
                                    std::optional<int64_t> choice) {
  SmallVector<StepVariant> variants = getVariants();
  for (const StepVariant &variant : variants)
    if (auto op = cast_or_null<VariantOp>(variant.op);
        op &&
        llvm::any_of(op.getSteps().getAsRange<StepsAttr>(),
                     [&](StepsAttr steps) { return contains(steps, step); }))
      return variant;
  SelectorOp selector = getSelector();
  if (!selector || !choice || *choice < 0 ||
      *choice >= static_cast<int64_t>(selector.getVariants().size()))
    return variants.back();
  StringRef name = selector.getVariantName(*choice);
  return *llvm::find_if(variants, [&](const StepVariant &variant) {
    return variant.name == name;
  });
}

SmallVector<ProgramFunction> ProgramOp::getFunctions() {
  SmallVector<ProgramFunction> functions;
  functions.push_back(
      {BOOSTC_FUNCTION_INIT, kInit, getFunction(kInit), getOperation()});
  for (const StepVariant &variant : getVariants()) {
    Operation *user = variant.op ? variant.op : getOperation();
    SmallVector<StepPhase> phases = variant.getPhases();
    for (auto [i, phase] : llvm::enumerate(phases)) {
      bool isLast = i + 1 == phases.size();
      if (phase.micro || phases.size() == 1) {
        functions.push_back({BOOSTC_FUNCTION_MICRO, kMicro, phase.micro, user});
        if (!accumulatesInPlace())
          functions.push_back(
              {BOOSTC_FUNCTION_COMBINE, kCombine, phase.combine, user});
      }
      functions.push_back(
          {isLast ? BOOSTC_FUNCTION_UPDATE : BOOSTC_FUNCTION_PROBE,
           isLast ? kUpdate : kProbe, phase.ending, user});
    }
  }
  functions.push_back(
      {BOOSTC_FUNCTION_EVAL, kEval, getFunction(kEval), getOperation()});
  if (SelectorOp selector = getSelector())
    functions.push_back({BOOSTC_FUNCTION_SELECT, kSelect,
                         getFunction(selector.getFunction()), selector});
  return functions;
}

/// The functions that are `part` of a phase, each once.
static SmallVector<func::FuncOp> collect(ProgramOp program,
                                         func::FuncOp StepPhase::*part) {
  llvm::SetVector<func::FuncOp> functions;
  for (const StepVariant &variant : program.getVariants())
    for (const StepPhase &phase : variant.getPhases())
      if (phase.*part)
        functions.insert(phase.*part);
  return functions.takeVector();
}

SmallVector<func::FuncOp> ProgramOp::getMicros() {
  return collect(*this, &StepPhase::micro);
}

SmallVector<func::FuncOp> ProgramOp::getEndings() {
  return collect(*this, &StepPhase::ending);
}

SmallVector<func::FuncOp> ProgramOp::getUpdates() {
  llvm::SetVector<func::FuncOp> updates;
  for (const StepVariant &variant : getVariants())
    if (variant.update)
      updates.insert(variant.update);
  return updates.takeVector();
}

LogicalResult ProgramOp::verifyRegions() {
  auto variants = llvm::to_vector(getOps<VariantOp>());
  auto selectors = llvm::to_vector(getOps<SelectorOp>());
  if (selectors.size() > 1)
    return selectors[1].emitOpError(
        "is the second one of the program, which has one at most");
  SelectorOp selector = getSelector();
  llvm::StringMap<StringRef> parts;
  for (auto [i, variant] : llvm::enumerate(variants)) {
    bool isLast = i + 1 == variants.size();
    bool isChosen = selector && selector.names(variant);
    if (isLast && !variant.getSteps().empty())
      return variant.emitOpError(
          "is the last one and expected to be of every step that is left, "
          "found a list of steps");
    if (!isLast && !isChosen && variant.getSteps().empty())
      return variant.emitOpError(
          "expected a list of steps, which only the last variant and those of "
          "a selector do not have");
    for (auto [function, part] : getNamedParts(variant)) {
      StringRef known =
          parts.try_emplace(function.getValue(), part).first->second;
      if (known != part)
        return variant.emitOpError("has ")
               << function << " for its " << part << ", which is also the "
               << known << " of a variant";
    }
  }
  if (!selector)
    return success();
  if (auto known = parts.find(selector.getFunction()); known != parts.end())
    return selector.emitOpError("has @")
           << selector.getFunction() << ", which is also the " << known->second
           << " of a variant";
  return success();
}
