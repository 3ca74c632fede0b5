#include "compiler/frontend/BuildUpdate.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using rt::BindingKind;

namespace {

/// A schedule of the model file.
static train::ScheduleAttr makeSchedule(OpBuilder &b, const Node &node) {
  using Attr = train::ScheduleAttr;
  std::optional<train::ScheduleKind> kind =
      train::symbolizeScheduleKind(node.at("schedule").text);
  assert(kind && "the table lists the schedules");
  // A schedule has at most one of the keys for a number.
  auto get = [&](auto... keys) {
    for (StringRef key : {StringRef(keys)...})
      if (const Node *number = node.find(key))
        return number->number;
    return 0.0;
  };
  double numbers[Attr::NumberCount] = {};
  numbers[Attr::Value] = get("value");
  numbers[Attr::Initial] = get("initial");
  numbers[Attr::End] = get("end");
  numbers[Attr::Factor] = get("factor", "power");
  numbers[Attr::Warmup] = get("warmup");
  numbers[Attr::Every] = get("every", "halve_at");
  numbers[Attr::Length] = get("length");
  const Node *unit = node.find("unit");
  return Attr::get(b.getContext(), *kind,
                   unit && unit->text == "steps" ? train::ScheduleUnit::Steps
                                                 : train::ScheduleUnit::Epochs,
                   b.getDenseF64ArrayAttr(numbers));
}

/// @update under construction: arguments that rules ask for come as they ask.
struct UpdateParts {
  ProgramParts &program;
  func::FuncOp function;
  SmallVector<std::string> controls; ///< names, in the order of arguments
  SmallVector<Value> controlValues;

  /// The argument of control `name`, declared by the first to ask.
  Value control(StringRef name, Location loc, train::ScheduleAttr schedule) {
    for (auto [known, value] : llvm::zip(controls, controlValues))
      if (known == name)
        return value;
    OpBuilder &b = program.builder;
    OpBuilder::InsertionGuard guard(b);
    program.moveToDeclarations();
    train::ScheduleOp::create(b, loc, name, schedule);
    controls.push_back(name.str());
    controlValues.push_back(
        addArgument(function, RankedTensorType::get({}, b.getF32Type()), loc));
    return controlValues.back();
  }
};

/// The optimizer while its op builds the rule of one parameter.
class RuleBuilder : public EntryBuilder {
public:
  RuleBuilder(UpdateParts &update, Location loc, const LayerSpec &spec,
              const Node &node)
      : EntryBuilder(update.program.builder, loc, spec, node,
                     formatv("optimizer '{0}'", node.at("type").text),
                     update.program.errors),
        update(update) {}

  double getNumber(StringRef key) override {
    const Node *own = group ? group->find(key) : nullptr;
    return own ? own->number : EntryBuilder::getNumber(key);
  }

  FailureOr<Value> state(StringRef slot) override {
    return declare((current.getSymName() + "." + slot).str(), slot,
                   FlatSymbolRefAttr::get(builder.getContext(),
                                          current.getSymName()),
                   cast<RankedTensorType>(current.getType()), loc)
        .current;
  }

  Value appliedSteps() override {
    if (steps)
      return steps;
    Location optimizer = update.function.getLoc();
    StateValue &state =
        declare("optimizer.steps", "steps", {},
                RankedTensorType::get({}, builder.getI64Type()), optimizer);
    steps = train::CountAppliedOp::create(
        builder, optimizer, state.current.getType(), state.current, applied);
    state.next = steps;
    return steps;
  }

  /// The value of a layer's state before the step; `states.back().next` is to
  /// be set.
  Value addStatistic(train::StateOp declaration) {
    Value current = addArgument(update.function, declaration.getType(),
                                declaration.getLoc());
    states.push_back({declaration, current});
    return current;
  }

  /// A state of none of the rules, its values before and after the step.
  void addState(train::StateOp declaration, Value current, Value next) {
    states.push_back({declaration, current, next});
  }

  /// The values that a rule gave the states it asked for.
  void setNewStates(ArrayRef<Value> values) {
    for (StateValue &state : states)
      if (!state.next) {
        state.next = values.front();
        values = values.drop_front();
      }
    assert(values.empty() && "a rule has a result for each of its states");
  }

  /// Turns to `parameter`: its group, and the values of its rates. Schedules
  /// that belong to a group are called "<key>.<number of the group>".
  void setParameter(train::ParameterOp parameter) {
    current = parameter;
    loc = parameter.getLoc();
    role = static_cast<BoostRole>(parameter.getRole());
    parameterName = parameter.getSymName();
    isHidden = isBetweenLayers(parameter);
    group = nullptr;
    size_t index = 0;
    for (const Node &candidate : node.at("groups").items) {
      if (matches(candidate, parameter)) {
        group = &candidate;
        fitting.insert(index);
        break;
      }
      ++index;
    }
    inputs.truncate(2);
    for (const KeySpec &key : spec.keys) {
      if (key.type != KeyType::Rate)
        continue;
      StringRef ofGroup = key.keyOfGroup.empty() ? key.name : key.keyOfGroup;
      const Node *own = group ? group->find(ofGroup) : nullptr;
      const Node &schedule = own ? *own : node.at(key.name);
      std::string name = key.name.str();
      if (own)
        name = formatv("{0}.{1}", ofGroup, index);
      inputs.push_back(update.control(
          name,
          nameLocation(builder, own ? ofGroup : key.name, schedule.extent),
          makeSchedule(builder, schedule)));
    }
  }

  /// Groups that no parameter came to are mistakes.
  void checkGroups() {
    for (auto [index, candidate] : llvm::enumerate(node.at("groups").items))
      if (!fitting.contains(index)) {
        std::vector<std::string> names;
        for (train::ParameterOp parameter : update.program.parameters)
          names.push_back(parameter.getSymName().str());
        errors.error(
            candidate.extent,
            formatv("no parameter is in this group: none that earlier groups "
                    "leave matches 'match' '{0}' and 'roles', out of {1}",
                    candidate.at("match").text, llvm::join(names, ", ")));
      }
  }

  /// A state with its values before and after the step.
  struct StateValue {
    train::StateOp declaration;
    Value current, next = {};
  };
  std::vector<StateValue> states; ///< in the order in which rules ask for them

private:
  /// See LayerBuilder::isHidden. Weights of four dimensions are convolutions',
  /// of two dense layers'.
  bool isBetweenLayers(train::ParameterOp parameter) {
    auto rankOf = [](train::ParameterOp each) {
      return each.getRole() == train::Role::Weight
                 ? cast<RankedTensorType>(each.getType()).getRank()
                 : 0;
    };
    int64_t rank = rankOf(parameter);
    SmallVector<train::ParameterOp> alike;
    llvm::copy_if(
        update.program.parameters, std::back_inserter(alike),
        [&](train::ParameterOp each) { return rankOf(each) == rank; });
    if (rank == 4)
      return parameter != alike.front();
    return rank > 2 || (rank == 2 && parameter != alike.back());
  }

  StateValue &declare(StringRef symbol, StringRef slot,
                      FlatSymbolRefAttr parameter, RankedTensorType type,
                      Location place) {
    OpBuilder::InsertionGuard guard(builder);
    update.program.moveToDeclarations();
    auto declaration =
        train::StateOp::create(builder, place, builder.getStringAttr(symbol),
                               builder.getStringAttr(slot), parameter,
                               rt::InitializerAttr(), TypeAttr::get(type));
    return states.emplace_back(
        StateValue{declaration, addArgument(update.function, type, place)});
  }

  static bool matches(const Node &group, train::ParameterOp parameter) {
    llvm::Expected<llvm::GlobPattern> pattern =
        llvm::GlobPattern::create(group.at("match").text);
    if (!pattern) {
      llvm::consumeError(pattern.takeError());
      return false;
    }
    ArrayRef<Node> roles = group.at("roles").items;
    bool hasRole =
        roles.empty() || llvm::any_of(roles, [&](const Node &role) {
          return role.text == train::stringifyRole(parameter.getRole());
        });
    return hasRole && pattern->match(parameter.getSymName());
  }

  UpdateParts &update;
  Value steps;                ///< see appliedSteps()
  train::ParameterOp current; ///< the parameter at hand
  const Node *group = nullptr;
  llvm::SmallSet<size_t, 4> fitting;
};

/// Builds @update and, with it, states and schedules.
class UpdateBuilder {
public:
  UpdateBuilder(ProgramParts &parts, func::FuncOp micro)
      : parts(parts), b(parts.builder), micro(micro),
        node(parts.model.at("optimizer")) {}

  LogicalResult build() {
    const LayerEntry &entry =
        parts.table.entry(LayerSpec::Kind::Optimizer, node.at("type").text);
    if (entry.spec.isSecondOrder && failed(checkCurvature()))
      return failure();
    update = createFunction(parts, train::kUpdate);
    Location loc = nameLocation(b, "optimizer", node.extent);
    for (Type type : micro.getResultTypes())
      addArgument(update, type, loc);
    for (train::ParameterOp parameter : parts.parameters)
      addArgument(update, parameter.getType(), parameter.getLoc());
    Value failedBefore =
        addArgument(update, RankedTensorType::get({}, b.getI32Type()), loc);
    b.setInsertionPointToEnd(&update.front());
    size_t count = parts.parameters.size();
    SmallVector<Value> sums = {update.getArgument(count)};
    llvm::append_range(sums, update.getArguments().take_front(count));
    Value weight;
    if (parts.isWeighted)
      sums.push_back(weight = update.getArgument(count + 2));
    for (auto [accumulator, sum] :
         llvm::zip(parts.accumulators,
                   update.getArguments().drop_front(countSums()))) {
      accumulated[accumulator] = sum;
      if (isa<FloatType>(getElementTypeOrSelf(sum)))
        sums.push_back(sum);
    }
    auto policy = train::symbolizeFailurePolicy(getTrain("on_nonfinite").text);
    assert(policy && "the table lists the choices");
    auto commit = train::CommitOp::create(b, loc, update.getArgument(count + 1),
                                          weight, failedBefore, sums, *policy);

    UpdateParts updateParts{parts, update, {}, {}};
    RuleBuilder rule(updateParts, loc, entry.spec, node);
    rule.applied = commit.getApplied();
    declareLossScale();
    SmallVector<Value> results;
    if (failed(buildRules(entry, rule, results)))
      return failure();
    adjustLossScale(commit, rule);
    for (const TrackedMoments &moments : parts.moments)
      buildStatistics(moments, commit, rule);
    for (const RuleBuilder::StateValue &state : rule.states)
      results.push_back(state.next);
    results.append({commit.getApplied(), commit.getFailed()});
    if (norm)
      results.push_back(norm);
    if (usedScale)
      results.push_back(usedScale);
    finishFunction(parts, update, results);
    bind(rule, updateParts);
    return success();
  }

private:
  /// Products of gradients are curvature for the mean of a likelihood of
  /// labels.
  LogicalResult checkCurvature() {
    const Node &loss = parts.model.at("loss");
    const LayerSpec &spec =
        parts.table.entry(LayerSpec::Kind::Loss, loss.at("op").text).spec;
    std::string what = formatv("optimizer '{0}'", node.at("type").text);
    std::vector<StringRef> likelihoods;
    for (const LayerEntry &entry : parts.table.getEntries())
      if (entry.spec.isLikelihood)
        likelihoods.push_back(entry.spec.name);
    if (!spec.isLikelihood)
      parts.errors.error(
          loss.extent,
          formatv("{0} takes products of gradients for curvature, which they "
                  "are for the loss {1} alone; found '{2}'; use that loss, or "
                  "another optimizer",
                  what, llvm::join(likelihoods, " or "), loss.at("op").text));
    if (parts.isWeighted)
      parts.errors.error(
          loss.extent,
          formatv("{0} needs the plain mean over samples, and the model has an "
                  "input of role 'weight'; remove that, or use another "
                  "optimizer",
                  what));
    return failure(parts.errors.hasErrors());
  }

  const Node &getTrain(StringRef key) {
    return parts.model.at("train").at(key);
  }
  /// Arguments before the declared accumulators: gradients, sum and count of
  /// the loss, and the sum of weights where samples have some.
  size_t countSums() const {
    return parts.parameters.size() + 2 + parts.isWeighted;
  }
  bool reportsNorm() { return getTrain("gradient_norm").boolean; }

  /// The mean gradients as rules are to see them; sets `norm` where it is
  /// needed.
  SmallVector<Value> buildGradients() {
    Location loc = update.getLoc();
    size_t count = parts.parameters.size();
    SmallVector<Value> gradients;
    for (auto [index, parameter] : llvm::enumerate(parts.parameters))
      gradients.push_back(train::DivideGradientOp::create(
          b, parameter.getLoc(), update.getArgument(index),
          update.getArgument(parts.isWeighted ? count + 2 : count + 1)));
    if (lossScale)
      for (Value &gradient : gradients)
        gradient =
            train::UnscaleGradientOp::create(b, loc, gradient, lossScale);
    auto buildNorm = [&]() -> Value {
      SmallVector<Value> squares;
      for (Value gradient : gradients)
        squares.push_back(train::SquaredNormOp::create(b, loc, gradient));
      return train::GlobalNormOp::create(
          b, loc, RankedTensorType::get({}, b.getF32Type()), squares);
    };
    if (reportsNorm())
      norm = buildNorm();
    const Node &value = getTrain("clip_value"), &limit = getTrain("clip_norm");
    if (!value.is(Node::Kind::Null))
      for (Value &gradient : gradients)
        gradient = train::ClampGradientOp::create(
            b, loc, gradient, b.getF64FloatAttr(value.number));
    if (limit.is(Node::Kind::Null))
      return gradients;
    bool isKnown = norm && value.is(Node::Kind::Null);
    Value factor = train::ClipFactorOp::create(
        b, loc, RankedTensorType::get({}, b.getF32Type()),
        isKnown ? norm : buildNorm(), b.getF64FloatAttr(limit.number));
    for (Value &gradient : gradients)
      gradient = train::ScaleGradientOp::create(b, loc, gradient, factor);
    return gradients;
  }

  /// One rule per parameter on its mean gradient; `results` are the new
  /// parameters.
  LogicalResult buildRules(const LayerEntry &entry, RuleBuilder &rule,
                           SmallVectorImpl<Value> &results) {
    size_t firstParameter = countSums() + parts.accumulators.size();
    SmallVector<Value> gradients = buildGradients();
    for (auto [index, parameter] : llvm::enumerate(parts.parameters)) {
      rule.inputs = {update.getArgument(firstParameter + index),
                     gradients[index]};
      rule.setParameter(parameter);
      FailureOr<SmallVector<Value>> replaced = entry.build(rule);
      if (failed(replaced))
        return failure();
      results.push_back(replaced->front());
      rule.setNewStates(ArrayRef(*replaced).drop_front());
    }
    rule.checkGroups();
    return failure(parts.errors.hasErrors());
  }

  /// What gradients are divided by: the scale of their loss.
  void declareLossScale() {
    if (!parts.lossScale)
      return;
    LossScale &scale = *parts.lossScale;
    if (scale.isFixed) {
      lossScale = arith::ConstantOp::create(
          b, scale.loc,
          DenseElementsAttr::get(RankedTensorType::get({}, b.getF32Type()),
                                 static_cast<float>(scale.initial)));
      return;
    }
    lossScale = addArgument(update, scale.scale.getType(), scale.loc);
    scaleSteps = addArgument(update, scale.steps.getType(), scale.loc);
  }

  /// The scale of the next step, after all that reads this one.
  void adjustLossScale(train::CommitOp commit, RuleBuilder &rule) {
    if (!scaleSteps)
      return;
    const LossScale &scale = *parts.lossScale;
    auto op = train::AdjustLossScaleOp::create(
        b, scale.loc, lossScale.getType(), scaleSteps.getType(),
        lossScale.getType(), lossScale, scaleSteps,
        commit.getWeight() ? commit.getWeight() : commit.getCount(),
        commit.getApplied(), b.getF64FloatAttr(scale.factor),
        b.getI64IntegerAttr(scale.window));
    rule.addState(scale.scale, lossScale, op.getNewScale());
    rule.addState(scale.steps, scaleSteps, op.getNewSteps());
    usedScale = op.getUsed();
  }

  void buildStatistics(const TrackedMoments &moments, train::CommitOp commit,
                       RuleBuilder &rule) {
    size_t first = rule.states.size();
    Value mean = rule.addStatistic(moments.mean);
    Value variance = rule.addStatistic(moments.variance);
    auto changed = train::RunningStatisticsOp::create(
        b, moments.loc, mean.getType(), mean.getType(), mean, variance,
        accumulated.lookup(moments.shifts), accumulated.lookup(moments.squares),
        accumulated.lookup(moments.count), commit.getApplied(),
        b.getF64FloatAttr(moments.momentum),
        moments.isUnbiased ? b.getUnitAttr() : UnitAttr());
    rule.states[first].next = changed.getNewMean();
    rule.states[first + 1].next = changed.getNewVariance();
  }

  void bind(RuleBuilder &rule, const UpdateParts &updateParts) {
    unsigned argument = 0, result = 0;
    for (train::ParameterOp parameter : parts.parameters)
      bindArgument(update, argument++, BindingKind::Gradient,
                   parameter.getSymName());
    bindArgument(update, argument++, BindingKind::LossSum);
    bindArgument(update, argument++, BindingKind::LossCount);
    if (parts.isWeighted)
      bindArgument(update, argument++, BindingKind::LossWeight);
    for (train::AccumulatorOp accumulator : parts.accumulators)
      bindArgument(update, argument++, BindingKind::Accumulator,
                   accumulator.getSymName());
    for (train::ParameterOp parameter : parts.parameters) {
      bindArgument(update, argument++, BindingKind::Parameter,
                   parameter.getSymName());
      bindResult(update, result++, BindingKind::Parameter,
                 parameter.getSymName());
    }
    bindArgument(update, argument++, BindingKind::Failed);
    // Controls and states are in the order in which rules asked for them.
    for (RuleBuilder::StateValue &state : rule.states)
      bindArgument(update, cast<BlockArgument>(state.current).getArgNumber(),
                   BindingKind::State, state.declaration.getSymName());
    for (auto [value, name] :
         llvm::zip_equal(updateParts.controlValues, updateParts.controls))
      bindArgument(update, cast<BlockArgument>(value).getArgNumber(),
                   BindingKind::Control, name);
    for (RuleBuilder::StateValue &state : rule.states)
      bindResult(update, result++, BindingKind::State,
                 state.declaration.getSymName());
    bindResult(update, result++, BindingKind::Applied);
    bindResult(update, result++, BindingKind::Failed);
    if (norm)
      bindResult(update, result++, BindingKind::GradientNorm);
    if (usedScale)
      bindResult(update, result, BindingKind::LossScale);
  }

  ProgramParts &parts;
  OpBuilder &b;
  func::FuncOp micro, update;
  const Node &node;
  llvm::DenseMap<Operation *, Value> accumulated; ///< by declaration
  Value norm; ///< of the mean gradients; null when nothing needs it
  // Null where the loss is not scaled; the last two where the scale is fixed.
  Value lossScale, scaleSteps, usedScale;
};

} // namespace

LogicalResult frontend::buildUpdate(ProgramParts &parts, func::FuncOp micro) {
  return UpdateBuilder(parts, micro).build();
}
