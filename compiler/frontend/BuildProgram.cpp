#include "compiler/frontend/BuildProgram.h"
#include "compiler/frontend/BuildForward.h"
#include "compiler/frontend/Recipe.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using rt::BindingKind;

/// Gives `function` the arguments of @forward, bound alike.
static void copyArguments(ProgramParts &parts, func::FuncOp function) {
  for (BlockArgument argument : parts.forward.getArguments())
    addArgument(function, argument.getType(), argument.getLoc());
}

static void copyArgumentBindings(ProgramParts &parts, func::FuncOp function) {
  for (unsigned i = 0; i < parts.forward.getNumArguments(); ++i)
    function.setArgAttr(i, rt::kBindingAttrName,
                        parts.forward.getArgAttr(i, rt::kBindingAttrName));
}

/// @micro: loss and gradients of one micro-batch.
static func::FuncOp buildMicro(ProgramParts &parts) {
  OpBuilder &b = parts.builder;
  func::FuncOp micro = createFunction(parts, train::kMicro);
  copyArguments(parts, micro);
  unsigned first = parts.forward.getNumArguments() - parts.parameters.size();
  SmallVector<int64_t> wrt;
  SmallVector<Type> types = {parts.forward.getResultTypes()[0],
                             parts.forward.getResultTypes()[1]};
  for (auto [index, parameter] : llvm::enumerate(parts.parameters)) {
    wrt.push_back(first + index);
    types.push_back(parameter.getType());
  }
  Location loc = nameLocation(b, "loss", parts.model.at("loss").extent);
  auto op = train::ValueAndGradOp::create(
      b, loc, types, FlatSymbolRefAttr::get(b.getContext(), train::kForward),
      micro.getArguments(), b.getDenseI64ArrayAttr(wrt));
  SmallVector<Value> results(op.getGradients());
  results.append({op.getSum(), op.getCount()});
  finishFunction(parts, micro, results);
  copyArgumentBindings(parts, micro);
  unsigned index = 0;
  for (train::ParameterOp parameter : parts.parameters)
    bindResult(micro, index++, BindingKind::Gradient, parameter.getSymName());
  bindResult(micro, index++, BindingKind::LossSum);
  bindResult(micro, index++, BindingKind::LossCount);
  return micro;
}

static void buildEval(ProgramParts &parts) {
  OpBuilder &b = parts.builder;
  func::FuncOp eval = createFunction(parts, train::kEval);
  copyArguments(parts, eval);
  auto op = train::EvaluateOp::create(
      b, parts.forward.getLoc(), parts.forward.getResultTypes(),
      FlatSymbolRefAttr::get(b.getContext(), train::kForward),
      eval.getArguments());
  finishFunction(parts, eval, op.getOutputs());
  copyArgumentBindings(parts, eval);
  for (auto [index, metric] : llvm::enumerate(parts.metrics)) {
    bindResult(eval, 2 * index, BindingKind::MetricSum, metric);
    bindResult(eval, 2 * index + 1, BindingKind::MetricCount, metric);
  }
}

namespace {

/// The optimizer while its op builds the rule of one parameter.
class RuleBuilder : public EntryBuilder {
public:
  RuleBuilder(ProgramParts &parts, func::FuncOp update, Location loc,
              const LayerSpec &spec, const Node &node)
      : EntryBuilder(parts.builder, loc, spec, node,
                     formatv("optimizer '{0}'", node.at("type").text),
                     parts.errors),
        parts(parts), update(update) {}

  FailureOr<Value> state(StringRef slot) override {
    std::string symbol = (current.getSymName() + "." + slot).str();
    OpBuilder::InsertionGuard guard(builder);
    parts.moveToDeclarations();
    states.push_back(train::StateOp::create(
        builder, loc, symbol, slot, current.getSymName(), current.getType()));
    stateValues.push_back(addArgument(update, current.getType(), loc));
    return stateValues.back();
  }

  train::ParameterOp current; ///< the parameter at hand
  std::vector<train::StateOp> states;
  SmallVector<Value> stateValues;

private:
  ProgramParts &parts;
  func::FuncOp update;
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
    update = createFunction(parts, train::kUpdate);
    Location loc = nameLocation(b, "optimizer", node.extent);
    for (Type type : micro.getResultTypes())
      addArgument(update, type, loc);
    declareSchedules(entry.spec);
    for (train::ParameterOp parameter : parts.parameters)
      addArgument(update, parameter.getType(), parameter.getLoc());

    RuleBuilder rule(parts, update, loc, entry.spec, node);
    Region body;
    if (failed(buildRules(entry, rule, body)))
      return failure();
    b.setInsertionPointToEnd(&update.front());
    size_t count = parts.parameters.size();
    auto op = train::UpdateOp::create(
        b, loc, update.getArgument(count), update.getArgument(count + 1),
        update.getArguments().take_front(count),
        update.front().getArguments().drop_front(count + 2 + schedules.size()));
    op.getBody().takeBody(body);
    finishFunction(parts, update, op.getResults());
    bind(rule);
    return success();
  }

private:
  void declareSchedules(const LayerSpec &spec) {
    OpBuilder::InsertionGuard guard(b);
    for (const KeySpec &key : spec.keys) {
      if (key.type != KeyType::Rate)
        continue;
      const Node &schedule = node.at(key.name);
      Location loc = nameLocation(b, key.name, schedule.extent);
      parts.moveToDeclarations();
      train::ScheduleOp::create(
          b, loc, key.name,
          train::ScheduleAttr::get(
              b.getContext(), train::ScheduleKind::Constant,
              b.getF64FloatAttr(schedule.at("value").number)));
      addArgument(update, RankedTensorType::get({}, b.getF32Type()), loc);
      schedules.push_back(key.name.str());
    }
  }

  /// The region of train.update: one rule per parameter on its mean gradient.
  LogicalResult buildRules(const LayerEntry &entry, RuleBuilder &rule,
                           Region &body) {
    Block &block = body.emplaceBlock();
    size_t count = parts.parameters.size(), controls = count + 2;
    SmallVector<Value> newParameters, newStates;
    for (auto [index, parameter] : llvm::enumerate(parts.parameters)) {
      rule.current = parameter;
      rule.loc = parameter.getLoc();
      rule.inputs = {
          update.getArgument(controls + schedules.size() + index),
          block.addArgument(parameter.getType(), parameter.getLoc())};
      for (size_t i = 0; i < schedules.size(); ++i)
        rule.inputs.push_back(update.getArgument(controls + i));
      b.setInsertionPointToEnd(&block);
      FailureOr<SmallVector<Value>> results = entry.build(rule);
      if (failed(results))
        return failure();
      newParameters.push_back(results->front());
      newStates.append(results->begin() + 1, results->end());
    }
    llvm::append_range(newParameters, newStates);
    b.setInsertionPointToEnd(&block);
    train::YieldOp::create(b, update.getLoc(), newParameters);
    return success();
  }

  void bind(RuleBuilder &rule) {
    unsigned argument = 0, result = 0;
    for (train::ParameterOp parameter : parts.parameters)
      bindArgument(update, argument++, BindingKind::Gradient,
                   parameter.getSymName());
    bindArgument(update, argument++, BindingKind::LossSum);
    bindArgument(update, argument++, BindingKind::LossCount);
    for (const std::string &schedule : schedules)
      bindArgument(update, argument++, BindingKind::Control, schedule);
    for (train::ParameterOp parameter : parts.parameters) {
      bindArgument(update, argument++, BindingKind::Parameter,
                   parameter.getSymName());
      bindResult(update, result++, BindingKind::Parameter,
                 parameter.getSymName());
    }
    for (train::StateOp state : rule.states) {
      bindArgument(update, argument++, BindingKind::State, state.getSymName());
      bindResult(update, result++, BindingKind::State, state.getSymName());
    }
    bindResult(update, result, BindingKind::Finite);
  }

  ProgramParts &parts;
  OpBuilder &b;
  func::FuncOp micro, update;
  const Node &node;
  std::vector<std::string> schedules;
};

} // namespace

/// Names of inputs share the program's symbol table with its functions and
/// schedules.
static void checkSymbols(const Node &model, const LayerSpec &optimizer,
                         ErrorList &errors) {
  SmallVector<StringRef> taken = {train::kForward, train::kMicro,
                                  train::kCombine, train::kUpdate,
                                  train::kEval,    train::kInit};
  for (const KeySpec &key : optimizer.keys)
    taken.push_back(key.name);
  for (const Member &input : model.at("input").members)
    if (llvm::is_contained(taken, input.key) ||
        StringRef(input.key).contains('.'))
      errors.error(input.keyExtent,
                   formatv("'{0}' cannot name an input: {1}", input.key,
                           StringRef(input.key).contains('.')
                               ? "names with a '.' are those of parameters"
                               : "the program uses the name itself"));
}

OwningOpRef<ModuleOp> frontend::buildProgram(MLIRContext &context,
                                             const Node &model,
                                             const ModelTable &table,
                                             ErrorList &errors) {
  const LayerEntry &optimizer = table.entry(
      LayerSpec::Kind::Optimizer, model.at("optimizer").at("type").text);
  checkSymbols(model, optimizer.spec, errors);
  if (errors.hasErrors())
    return {};
  OpBuilder b(&context);
  StringRef name = model.at("name").text;
  Location loc = nameLocation(b, name, model.extent);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  ProgramParts parts{b, model, table, errors};
  parts.program = train::ProgramOp::create(
      b, loc, name, model.at("batch_size").integer, /*micro_batches=*/1,
      model.at("epochs").integer, model.at("seed").integer, recipeText(model),
      recipeHash(model));
  parts.program.getBody().emplaceBlock();
  if (failed(buildForward(parts)))
    return {};
  if (parts.parameters.empty()) {
    errors.error(model.at("layers").extent,
                 "no layer has a parameter to train");
    return {};
  }
  func::FuncOp micro = buildMicro(parts);
  if (failed(UpdateBuilder(parts, micro).build()))
    return {};
  buildEval(parts);
  return module;
}
