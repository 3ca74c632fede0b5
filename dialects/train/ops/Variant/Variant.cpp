#include "dialects/train/TrainDialect.h"
#include "runtime/abi/boost_steps.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr function :
       {getMicroAttr(), getCombineAttr(), getUpdateAttr()})
    if (function &&
        !symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, function))
      return emitOpError("function ") << function << " is not defined here";
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
  SmallVector<StepVariant> variants;
  for (auto op : getOps<VariantOp>())
    variants.push_back(
        {op.getSymName(), find(op.getMicro()),
         op.getCombine() ? find(*op.getCombine()) : func::FuncOp(),
         find(op.getUpdate()), op});
  if (variants.empty())
    variants.push_back({kStep, find(kMicro), find(kCombine), find(kUpdate)});
  return variants;
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
    functions.push_back({BOOSTC_FUNCTION_MICRO, kMicro, variant.micro, user});
    if (!accumulatesInPlace())
      functions.push_back(
          {BOOSTC_FUNCTION_COMBINE, kCombine, variant.combine, user});
    functions.push_back(
        {BOOSTC_FUNCTION_UPDATE, kUpdate, variant.update, user});
  }
  functions.push_back(
      {BOOSTC_FUNCTION_EVAL, kEval, getFunction(kEval), getOperation()});
  if (SelectorOp selector = getSelector())
    functions.push_back({BOOSTC_FUNCTION_SELECT, kSelect,
                         getFunction(selector.getFunction()), selector});
  return functions;
}

/// The functions that are `part` of a variant, each once.
static SmallVector<func::FuncOp> collect(ProgramOp program,
                                         func::FuncOp StepVariant::*part) {
  SmallVector<func::FuncOp> functions;
  for (const StepVariant &variant : program.getVariants())
    if (variant.*part && !llvm::is_contained(functions, variant.*part))
      functions.push_back(variant.*part);
  return functions;
}

SmallVector<func::FuncOp> ProgramOp::getMicros() {
  return collect(*this, &StepVariant::micro);
}

SmallVector<func::FuncOp> ProgramOp::getUpdates() {
  return collect(*this, &StepVariant::update);
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
    std::pair<StringRef, StringRef> named[] = {
        {variant.getMicro(), "micro"},
        {variant.getCombine().value_or(""), "combine"},
        {variant.getUpdate(), "update"}};
    for (auto [function, part] : named) {
      if (function.empty())
        continue;
      StringRef known = parts.try_emplace(function, part).first->second;
      if (known != part)
        return variant.emitOpError("has @")
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
