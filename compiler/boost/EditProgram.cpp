#include "compiler/boost/EditProgram.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace boostc;

/// Erases the ops of `function` that have no effect and no user.
static void eraseDeadOps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function.getBody());
}

void boost::eraseResults(func::FuncOp function, BindingFilter isMeant) {
  llvm::BitVector erased(function.getNumResults());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (rt::BindingAttr binding = rt::getResultBinding(function, i))
      erased[i] = isMeant(binding);
  if (erased.none())
    return;
  function.front().getTerminator()->eraseOperands(erased);
  LogicalResult changed = function.eraseResults(erased);
  assert(succeeded(changed) && "functions of a program take any results");
  (void)changed;
  eraseDeadOps(function);
}

/// Takes `value`, and what is computed of it, out of ops that do with any
/// number of values.
static LogicalResult forget(Value value) {
  while (!value.use_empty()) {
    OpOperand &use = *value.use_begin();
    Operation *op = use.getOwner();
    bool isList = isa<train::GlobalNormOp, train::NotFiniteOp>(op);
    if (auto commit = dyn_cast<train::CommitOp>(op))
      isList = llvm::is_contained(commit.getValues(), value);
    if (isList) {
      unsigned number = use.getOperandNumber();
      if (auto commit = dyn_cast<train::CommitOp>(op))
        commit.getValuesMutable().erase(
            number - commit.getValues().getBeginOperandIndex());
      else
        op->eraseOperand(number);
      continue;
    }
    if (op->getNumResults() != 1 || !isMemoryEffectFree(op))
      return op->emitOpError("needs a value that a boost removes");
    if (failed(forget(op->getResult(0))))
      return failure();
    op->erase();
  }
  return success();
}

LogicalResult boost::eraseArguments(func::FuncOp function,
                                    BindingFilter isMeant) {
  llvm::BitVector erased(function.getNumArguments());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (rt::BindingAttr binding = rt::getArgumentBinding(function, i))
      erased[i] = isMeant(binding);
  for (unsigned i : erased.set_bits())
    if (failed(forget(function.getArgument(i))))
      return failure();
  LogicalResult changed = function.eraseArguments(erased);
  assert(succeeded(changed) && "functions of a program take any arguments");
  (void)changed;
  return success();
}

namespace {

/// An op that calls a function while the function loses some of its results and
/// arguments.
class CallShrinker {
public:
  CallShrinker(const llvm::BitVector &results, const llvm::BitVector &arguments)
      : results(results), arguments(arguments) {}

  LogicalResult shrink(train::ValueAndGradOp op) {
    SmallVector<int64_t> outputs, wrt;
    SmallVector<Value> kept = {op.getSum(), op.getCount()}, gone;
    for (auto [number, value] :
         llvm::zip_equal(op.getOutputNumbers(), op.getOutputValues())) {
      (results[number] ? gone : kept).push_back(value);
      if (!results[number])
        outputs.push_back(renumber(results, number));
    }
    for (auto [number, value] :
         llvm::zip_equal(op.getWrt(), op.getGradients())) {
      (arguments[number] ? gone : kept).push_back(value);
      if (!arguments[number])
        wrt.push_back(renumber(arguments, number));
    }
    OpBuilder b(op);
    auto smaller = train::ValueAndGradOp::create(
        b, op.getLoc(), ValueRange(kept).getTypes(), op.getCalleeAttr(),
        keepInputs(op.getInputs()), op.getScale(),
        outputs.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(outputs),
        b.getDenseI64ArrayAttr(wrt));
    return replace(op, kept, gone, smaller);
  }

  LogicalResult shrink(train::EvaluateOp op) {
    SmallVector<Value> kept, gone;
    for (auto [number, value] : llvm::enumerate(op.getOutputs()))
      (results[number] ? gone : kept).push_back(value);
    OpBuilder b(op);
    auto smaller = train::EvaluateOp::create(
        b, op.getLoc(), ValueRange(kept).getTypes(), op.getCalleeAttr(),
        keepInputs(op.getInputs()));
    return replace(op, kept, gone, smaller);
  }

private:
  static int64_t renumber(const llvm::BitVector &erased, int64_t number) {
    int64_t before = 0;
    for (unsigned i : erased.set_bits())
      before += i < number;
    return number - before;
  }

  SmallVector<Value> keepInputs(OperandRange inputs) {
    SmallVector<Value> kept;
    for (auto [number, input] : llvm::enumerate(inputs))
      if (!arguments[number])
        kept.push_back(input);
    return kept;
  }

  static LogicalResult replace(Operation *op, ArrayRef<Value> kept,
                               ArrayRef<Value> gone, Operation *smaller) {
    for (Value value : gone)
      if (!value.use_empty())
        return value.use_begin()->getOwner()->emitOpError(
            "needs a value that a boost removes");
    for (auto [i, before] : llvm::enumerate(kept))
      Value(before).replaceAllUsesWith(smaller->getResult(i));
    op->erase();
    return success();
  }

  const llvm::BitVector &results, &arguments;
};

} // namespace

LogicalResult boost::shrinkCallee(train::ProgramOp program, func::FuncOp callee,
                                  const llvm::BitVector &results,
                                  const llvm::BitVector &arguments) {
  CallShrinker shrinker(results, arguments);
  auto shrink = [&](auto call) -> WalkResult {
    if (call.getCallee() != callee.getSymName())
      return WalkResult::advance();
    return shrinker.shrink(call);
  };
  if (program.walk([&](train::ValueAndGradOp op) { return shrink(op); })
          .wasInterrupted() ||
      program.walk([&](train::EvaluateOp op) { return shrink(op); })
          .wasInterrupted())
    return failure();
  callee.front().getTerminator()->eraseOperands(results);
  if (failed(callee.eraseResults(results)) ||
      failed(callee.eraseArguments(arguments)))
    llvm_unreachable("functions of a program take any results and arguments");
  eraseDeadOps(callee);
  return success();
}

Value boost::takeArgument(func::FuncOp function, Type type,
                          rt::BindingKind kind, StringRef name) {
  auto binding = rt::BindingAttr::get(function.getContext(), kind, name);
  for (BlockArgument argument : function.getArguments())
    if (rt::getArgumentBinding(argument) == binding)
      return argument;
  return rt::addArgument(function, type, binding);
}

void boost::leaveState(func::FuncOp function, StringRef state, Value value) {
  takeArgument(function, value.getType(), rt::BindingKind::State, state);
  rt::addResult(function, value,
                rt::BindingAttr::get(function.getContext(),
                                     rt::BindingKind::State, state));
}

func::FuncOp boost::createFunction(train::ProgramOp program, StringRef name) {
  auto builder = OpBuilder::atBlockEnd(&program.getBody().front());
  auto function = func::FuncOp::create(builder, program.getLoc(), name,
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  func::ReturnOp::create(builder, program.getLoc());
  return function;
}

func::FuncOp boost::copyFunction(train::ProgramOp program,
                                 func::FuncOp function, StringRef name) {
  auto builder = OpBuilder::atBlockEnd(&program.getBody().front());
  auto copy = cast<func::FuncOp>(builder.clone(*function.getOperation()));
  copy.setName(name);
  return copy;
}

void boost::declareState(OpBuilder &builder, Location loc, StringRef name,
                         Type type, rt::InitializerAttr initial,
                         FlatSymbolRefAttr parameter, train::Saved saved) {
  StringRef slot = name.substr(name.rfind('.') + 1);
  train::StateOp::create(builder, loc, builder.getStringAttr(name),
                         builder.getStringAttr(slot), parameter, initial,
                         TypeAttr::get(type), saved);
}

train::VariantOp boost::addVariant(OpBuilder &builder, Location loc,
                                   StringRef name, func::FuncOp micro,
                                   func::FuncOp update,
                                   ArrayRef<Attribute> steps) {
  return train::VariantOp::create(
      builder, loc, builder.getStringAttr(name), FlatSymbolRefAttr::get(micro),
      FlatSymbolRefAttr(), FlatSymbolRefAttr::get(update),
      builder.getArrayAttr(steps), builder.getArrayAttr({}));
}

func::FuncOp boost::addSelector(OpBuilder &builder, train::ProgramOp program,
                                ArrayRef<Attribute> variants) {
  train::SelectorOp::create(
      builder, program.getLoc(),
      FlatSymbolRefAttr::get(builder.getContext(), train::kSelect),
      builder.getArrayAttr(variants));
  func::FuncOp function = createFunction(program, train::kSelect);
  auto number = RankedTensorType::get({}, builder.getI64Type());
  takeArgument(function, number, rt::BindingKind::Step);
  takeArgument(function, number, rt::BindingKind::RunLength);
  return function;
}

void boost::returnChoice(func::FuncOp function, Value choice) {
  rt::addResult(
      function, choice,
      rt::BindingAttr::get(function.getContext(), rt::BindingKind::Choice));
}

Value boost::buildInteger(OpBuilder &builder, Location loc,
                          RankedTensorType type, int64_t value) {
  auto element = builder.getIntegerAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, element));
}

SmallVector<Value> boost::cloneValues(func::FuncOp from, ArrayRef<Value> values,
                                      func::FuncOp to) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  llvm::SmallSetVector<Value, 8> needed(values.begin(), values.end());
  for (Value value : values)
    (void)getBackwardSlice(value, &slice, options);
  for (Operation *op : slice)
    needed.insert_range(op->getOperands());
  IRMapping mapping;
  for (BlockArgument argument : from.getArguments())
    if (needed.contains(argument)) {
      rt::BindingAttr binding = rt::getArgumentBinding(argument);
      mapping.map(argument, takeArgument(to, argument.getType(),
                                         binding.getKind(), binding.getName()));
    }
  OpBuilder builder(to.front().getTerminator());
  for (Operation &op : from.front())
    if (slice.contains(&op))
      builder.clone(op, mapping);
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
}

void boost::eraseRules(train::ProgramOp program, func::FuncOp update,
                       ArrayRef<ScalarUpdateOpInterface> rules) {
  llvm::StringSet<> states;
  auto isState = [&](rt::BindingAttr binding) {
    return binding.getKind() == rt::BindingKind::State &&
           states.contains(binding.getName());
  };
  auto noteStates = [&](Operation *writer) {
    for (OpOperand &use : update.front().getTerminator()->getOpOperands()) {
      auto binding = rt::getResultBinding(update, use.getOperandNumber());
      if (use.get().getDefiningOp() == writer &&
          binding.getKind() == rt::BindingKind::State)
        states.insert(binding.getName());
    }
  };
  for (ScalarUpdateOpInterface rule : rules)
    noteStates(rule);
  eraseResults(update, isState);
  // Counts that nothing but the return reads now.
  for (auto count : update.getOps<train::CountAppliedOp>())
    if (llvm::all_of(count.getResult().getUsers(),
                     [](Operation *user) { return isa<func::ReturnOp>(user); }))
      noteStates(count);
  eraseResults(update, isState);
  for (auto state : llvm::to_vector(program.getOps<train::StateOp>()))
    if (states.contains(state.getSymName()))
      state.erase();
  llvm::BitVector unused(update.getNumArguments());
  for (BlockArgument argument : update.getArguments()) {
    auto binding = rt::getArgumentBinding(argument);
    unused[argument.getArgNumber()] =
        argument.use_empty() &&
        (isState(binding) || binding.getKind() == rt::BindingKind::Control);
  }
  llvm::StringSet<> controls;
  for (unsigned i : unused.set_bits())
    controls.insert(rt::getArgumentBinding(update, i).getName());
  LogicalResult changed = update.eraseArguments(unused);
  assert(succeeded(changed) && "functions of a program take any arguments");
  (void)changed;
  for (auto schedule : llvm::to_vector(program.getOps<train::ScheduleOp>()))
    if (controls.contains(schedule.getSymName()))
      schedule.erase();
}
