#include "compiler/reference/ReferenceTrainer.h"
#include "compiler/reference/Interpreter.h"

using namespace mlir;
using namespace boostc;
using rt::BindingAttr;
using rt::BindingKind;

ReferenceTrainer::ReferenceTrainer(train::ProgramOp program)
    : program(program) {
  for (auto declaration : program.getOps<train::StateOp>()) {
    ReferenceValue first = ReferenceValue::zeros(declaration.getType());
    rt::InitializerAttr initializer = declaration.getInitializerOrZeros();
    if (initializer.getKind() == rt::InitializerKind::Constant)
      llvm::fill(first.data, initializer.getA().getValueAsDouble());
    state[declaration.getSymName().str()] = std::move(first);
  }
}

BindingAttr ReferenceTrainer::getBinding(BindingKind kind, StringRef name,
                                         bool other) {
  return BindingAttr::get(program.getContext(), kind, name, other);
}

void ReferenceTrainer::bind(Bound &bound, BindingKind kind,
                            const Values &values, bool other) {
  for (const auto &[name, value] : values)
    bound[getBinding(kind, name, other)] = value;
}

void ReferenceTrainer::bindPartial(Bound &bound, const Partial &partial,
                                   bool other) {
  bind(bound, BindingKind::Gradient, partial.gradients, other);
  bind(bound, BindingKind::Accumulator, partial.accumulators, other);
  bound[getBinding(BindingKind::LossSum, {}, other)] =
      ReferenceValue::scalar(partial.lossSum);
  bound[getBinding(BindingKind::LossCount, {}, other)] =
      ReferenceValue::scalar(static_cast<double>(partial.lossCount));
  bound[getBinding(BindingKind::LossWeight, {}, other)] =
      ReferenceValue::scalar(partial.lossWeight);
}

void ReferenceTrainer::bindBatch(Bound &bound, const Values &inputs,
                                 int64_t valid) {
  bind(bound, BindingKind::Input, inputs);
  bind(bound, BindingKind::Parameter, parameters);
  bind(bound, BindingKind::State, state);
  bound[getBinding(BindingKind::Valid)] =
      ReferenceValue::scalar(static_cast<double>(valid));
}

FailureOr<RankValues> ReferenceTrainer::getArguments(func::FuncOp function,
                                                     const Bound &bound) {
  RankValues arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    BindingAttr binding = rt::getArgumentBinding(function, i);
    auto value = binding ? bound.find(binding) : bound.end();
    if (value == bound.end())
      return function.emitOpError("nothing is known to bind to argument ")
             << i << ", " << Attribute(binding);
    arguments.push_back(value->second);
  }
  return arguments;
}

FailureOr<ReferenceTrainer::Bound>
ReferenceTrainer::bindResults(func::FuncOp function, RankValues values) {
  if (failed(rt::verifyBindings(function)))
    return failure();
  Bound results;
  for (auto [i, value] : llvm::enumerate(values))
    results[rt::getResultBinding(function, i)] = std::move(value);
  return results;
}

ReferenceTrainer::Bound
ReferenceTrainer::bindUpdate(const Partial &step,
                             const std::map<std::string, double> &controls) {
  Bound bound;
  bindPartial(bound, step);
  bind(bound, BindingKind::Parameter, parameters);
  bind(bound, BindingKind::State, state);
  bound[getBinding(BindingKind::Failed)] =
      ReferenceValue::scalar(hasFailed ? 1.0 : 0.0);
  for (const auto &[name, value] : controls)
    bound[getBinding(BindingKind::Control, name)] =
        ReferenceValue::scalar(value);
  return bound;
}

train::StepVariant ReferenceTrainer::getVariant() {
  auto choice = choices.find(step);
  return program.getVariantAt(step, choice == choices.end()
                                        ? std::optional<int64_t>()
                                        : choice->second);
}

int64_t ReferenceTrainer::getLag() {
  train::SelectorOp selector = program.getSelector();
  return selector ? static_cast<int64_t>(selector.getLag()) : 0;
}

LogicalResult ReferenceTrainer::choose(int64_t chosen) {
  Bound bound;
  bind(bound, BindingKind::State, state);
  bound[getBinding(BindingKind::Step)] =
      ReferenceValue::scalar(static_cast<double>(chosen));
  bound[getBinding(BindingKind::RunLength)] =
      ReferenceValue::scalar(static_cast<double>(runLength));
  FailureOr<Bound> results = run(train::kSelect, bound);
  if (failed(results))
    return failure();
  choices[chosen] =
      static_cast<int64_t>(results->at(getBinding(BindingKind::Choice)).item());
  return success();
}

FailureOr<func::FuncOp> ReferenceTrainer::find(StringRef part) {
  SmallVector<train::StepPhase> phases = getVariant().getPhases();
  const train::StepPhase &current = phases[phase.value_or(phases.size() - 1)];
  StringRef name =
      part == train::kSelect ? program.getSelector().getFunction() : part;
  auto function = llvm::StringSwitch<func::FuncOp>(part)
                      .Case(train::kMicro, current.micro)
                      .Case(train::kCombine, current.combine)
                      .Cases({train::kProbe, train::kUpdate}, current.ending)
                      .Default(program.getFunction(name));
  if (function)
    return function;
  return program.emitOpError("has no function '") << part << "' to interpret";
}

FailureOr<ReferenceTrainer::Bound> ReferenceTrainer::run(StringRef part,
                                                         const Bound &bound) {
  FailureOr<func::FuncOp> function = find(part);
  if (failed(function))
    return failure();
  FailureOr<RankValues> arguments = getArguments(*function, bound);
  RankValues values;
  if (failed(arguments) ||
      failed(Interpreter().interpret(*function, *arguments, values)))
    return failure();
  return bindResults(*function, std::move(values));
}

FailureOr<ReferenceTrainer::Partial>
ReferenceTrainer::runPartial(StringRef part, const Bound &bound, Partial sums) {
  FailureOr<Bound> results = run(part, bound);
  if (failed(results))
    return failure();
  assignSums(*results, sums);
  return sums;
}

/// Takes over the accumulators among `results`.
void ReferenceTrainer::assignSums(const Bound &results, Partial &sums) {
  for (const auto &[attribute, value] : results) {
    auto binding = cast<BindingAttr>(attribute);
    if (binding.getKind() == BindingKind::Gradient)
      sums.gradients[binding.getName().str()] = value;
    else if (binding.getKind() == BindingKind::Accumulator)
      sums.accumulators[binding.getName().str()] = value;
    else if (binding.getKind() == BindingKind::LossSum)
      sums.lossSum = value.item();
    else if (binding.getKind() == BindingKind::LossCount)
      sums.lossCount = static_cast<int64_t>(value.item());
    else if (binding.getKind() == BindingKind::LossWeight)
      sums.lossWeight = value.item();
  }
}

/// Takes over the parameters, the state and the flag among `results`.
void ReferenceTrainer::assign(const Bound &results) {
  for (const auto &[attribute, value] : results) {
    auto binding = cast<BindingAttr>(attribute);
    if (binding.getKind() == BindingKind::Parameter)
      parameters[binding.getName().str()] = value;
    else if (binding.getKind() == BindingKind::State)
      state[binding.getName().str()] = value;
    else if (binding.getKind() == BindingKind::Failed)
      hasFailed = value.item() != 0.0;
  }
}

LogicalResult ReferenceTrainer::initialize(int64_t seed) {
  Bound bound;
  bound[getBinding(BindingKind::Seed)] =
      ReferenceValue::scalar(static_cast<double>(seed));
  FailureOr<Bound> results = run(train::kInit, bound);
  if (failed(results))
    return failure();
  assign(*results);
  choices.clear();
  for (int64_t chosen = 1; chosen <= getLag(); ++chosen)
    if (failed(choose(chosen)))
      return failure();
  return success();
}

FailureOr<ReferenceTrainer::Partial>
ReferenceTrainer::micro(const Values &inputs, int64_t valid,
                        const Partial &sums) {
  Bound bound;
  // Sums over nothing are whatever is there.
  for (auto declaration : program.getOps<train::ParameterOp>())
    bound[getBinding(BindingKind::Gradient, declaration.getSymName())] =
        ReferenceValue::zeros(declaration.getType());
  for (auto declaration : program.getOps<train::AccumulatorOp>())
    bound[getBinding(BindingKind::Accumulator, declaration.getSymName())] =
        ReferenceValue::zeros(declaration.getType());
  bindPartial(bound, sums);
  bindBatch(bound, inputs, valid);
  return runPartial(train::kMicro, bound, sums);
}

FailureOr<ReferenceTrainer::Partial>
ReferenceTrainer::combine(const Partial &first, const Partial &second) {
  Bound bound;
  bindPartial(bound, first);
  bindPartial(bound, second, /*other=*/true);
  return runPartial(train::kCombine, bound, first);
}

FailureOr<bool>
ReferenceTrainer::update(const Partial &step,
                         const std::map<std::string, double> &controls) {
  FailureOr<std::vector<bool>> isApplied =
      updateOnRanks({this, 1}, step, controls);
  if (failed(isApplied))
    return failure();
  return bool(isApplied->front());
}

FailureOr<std::vector<bool>>
ReferenceTrainer::updateOnRanks(MutableArrayRef<ReferenceTrainer> ranks,
                                ArrayRef<Partial> steps,
                                const std::map<std::string, double> &controls) {
  FailureOr<func::FuncOp> function = ranks.front().find(train::kUpdate);
  if (failed(function))
    return failure();
  FailureOr<std::vector<Bound>> all =
      runOnRanks(ranks, *function, steps, controls);
  if (failed(all))
    return failure();
  std::vector<bool> isApplied;
  for (auto [rank, results] : llvm::zip_equal(ranks, *all)) {
    auto applied = results.find(rank.getBinding(BindingKind::Applied));
    if (applied == results.end())
      return function->emitOpError(
          "expected a result bound to #rt.binding<applied>");
    isApplied.push_back(applied->second.item() != 0.0);
    rank.assign(results);
    if (int64_t lag = rank.getLag();
        lag != 0 && failed(rank.choose(rank.step + lag)))
      return failure();
  }
  return isApplied;
}

FailureOr<std::vector<ReferenceTrainer::Bound>>
ReferenceTrainer::runOnRanks(MutableArrayRef<ReferenceTrainer> ranks,
                             func::FuncOp function, ArrayRef<Partial> sums,
                             const std::map<std::string, double> &controls) {
  std::vector<RankValues> arguments, values;
  for (auto [rank, own] : llvm::zip_equal(ranks, sums)) {
    FailureOr<RankValues> given =
        rank.getArguments(function, rank.bindUpdate(own, controls));
    if (failed(given))
      return failure();
    arguments.push_back(std::move(*given));
  }
  if (failed(Interpreter::interpretOnRanks(function, arguments, values)))
    return failure();
  std::vector<Bound> all;
  for (auto [rank, computed] : llvm::zip_equal(ranks, values)) {
    FailureOr<Bound> results = rank.bindResults(function, std::move(computed));
    if (failed(results))
      return failure();
    all.push_back(std::move(*results));
  }
  return all;
}

FailureOr<std::vector<ReferenceTrainer::Probed>>
ReferenceTrainer::probeOnRanks(MutableArrayRef<ReferenceTrainer> ranks,
                               ArrayRef<Partial> sums,
                               const std::map<std::string, double> &controls) {
  FailureOr<func::FuncOp> function = ranks.front().find(train::kProbe);
  if (failed(function))
    return failure();
  FailureOr<std::vector<Bound>> all =
      runOnRanks(ranks, *function, sums, controls);
  if (failed(all))
    return failure();
  std::vector<Probed> probed;
  for (auto [rank, own, results] : llvm::zip_equal(ranks, sums, *all)) {
    Probed &left = probed.emplace_back(Probed{own});
    assignSums(results, left.sums);
    rank.assign(results);
    auto flag = results.find(rank.getBinding(BindingKind::Repeat));
    left.repeats = flag != results.end() && flag->second.item() != 0.0;
  }
  return probed;
}

FailureOr<std::map<std::string, ReferenceTrainer::Metric>>
ReferenceTrainer::evaluate(const Values &inputs, int64_t valid) {
  Bound bound;
  bindBatch(bound, inputs, valid);
  FailureOr<Bound> results = run(train::kEval, bound);
  if (failed(results))
    return failure();
  std::map<std::string, Metric> metrics;
  for (const auto &[attribute, value] : *results) {
    auto binding = cast<BindingAttr>(attribute);
    BindingKind kind = binding.getKind();
    bool isLoss =
        kind == BindingKind::LossSum || kind == BindingKind::LossCount;
    Metric &metric = metrics[isLoss ? "loss" : binding.getName().str()];
    if (kind == BindingKind::LossSum || kind == BindingKind::MetricSum)
      metric.sum = value.item();
    else
      metric.count = value.item();
  }
  return metrics;
}
