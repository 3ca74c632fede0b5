#include "compiler/boost/thor/RefreshSteps.h"
#include "compiler/boost/EditProgram.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using Predicate = arith::CmpIPredicate;
using rt::BindingKind;

/// Steps since the inverses were refreshed, and whether the last step was to
/// refresh them.
static constexpr llvm::StringLiteral kAge = "thor.age", kTried = "thor.tried";

/// Steps until the host knows what a step left in a state: the default of
/// train.selector.
static constexpr int64_t kLag = 2;

static RankedTensorType getCountType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

/// What a step leaves for the choice of later ones. As for loss scales, a step
/// of no samples leaves nothing.
static void countSteps(func::FuncOp function, bool refreshes, int64_t slots) {
  OpBuilder b(function.front().getTerminator());
  Location loc = function.getLoc();
  RankedTensorType count = getCountType(b.getContext());
  auto number = [&](int64_t value) {
    return buildInteger(b, loc, count, value);
  };
  auto take = [&](BindingKind kind, StringRef name = {}) {
    return takeArgument(function, count, kind, name);
  };
  Value age = take(BindingKind::State, kAge);
  Value next = arith::AddIOp::create(b, loc, age, number(1));
  if (refreshes)
    next = selectApplied(b, *getCommit(function), number(0), next);
  Value hasSamples = arith::CmpIOp::create(
      b, loc, Predicate::sgt, take(BindingKind::LossCount), number(0));
  auto leave = [&](StringRef name, Value value) {
    Value before = take(BindingKind::State, name);
    leaveState(function, name,
               arith::SelectOp::create(b, loc, hasSamples, value, before));
  };
  leave(kAge, next);
  leave(kTried, number(refreshes ? 1 : 0));
  if (refreshes && slots > 1) {
    SlotCode code(function, slots);
    leave(SlotCode::getState(), selectApplied(b, *getCommit(function),
                                              code.countOn(b), code.getNext()));
  }
}

namespace {

/// The code of a selector that chooses steps to refresh.
class RefreshChooser {
public:
  RefreshChooser(func::FuncOp select, ArrayRef<train::VariantOp> variants,
                 const RefreshPlan &plan)
      : select(select), variants(variants), plan(plan), loc(select.getLoc()),
        b(select.front().getTerminator()), count(getCountType(b.getContext())),
        step(takeArgument(select, count, BindingKind::Step)),
        choice(select.front().getTerminator()->getOperand(0)) {}

  /// Lets the selector, which returns `full` for a step in which all parameters
  /// train, return `refresh` for those of them that are due. The states are
  /// those of two steps before, so the choice of the step between is computed
  /// again.
  void run(int64_t full, int64_t refresh) {
    Value age = takeArgument(select, count, BindingKind::State, kAge);
    Value tried = takeArgument(select, count, BindingKind::State, kTried);
    Value distance = getDistance();
    auto isOld = [&](int64_t steps) -> Value {
      Value since = arith::AddIOp::create(b, loc, age, number(steps));
      return arith::CmpIOp::create(b, loc, Predicate::sge, since, distance);
    };
    Value before = arith::SubIOp::create(b, loc, step, number(1));
    Value wasFull = isFull(before, full);
    Value wasDue =
        both(isOld(kLag - 1), both(wasFull, compare(Predicate::eq, tried, 0)));
    // The first two steps are both chosen from the states that init leaves.
    wasDue = arith::SelectOp::create(b, loc, compare(Predicate::eq, step, 2),
                                     wasFull, wasDue);
    Value isDue = both(isOld(kLag), isFull(step, full));
    if (plan.frequency > 1)
      isDue = both(isDue, negate(wasDue));
    Value chosen =
        arith::SelectOp::create(b, loc, isDue, index(refresh), choice);
    select.front().getTerminator()->setOperand(0, chosen);
  }

private:
  /// Steps from one refresh to the next. Slot k is due when k + 1 of all slots'
  /// parts of a period have passed, in whole steps.
  Value getDistance() {
    if (plan.slots == 1)
      return number(plan.frequency);
    Value slot = SlotCode(select, plan.slots).getNext();
    auto countSteps = [&](Value parts) -> Value {
      Value steps =
          arith::MulIOp::create(b, loc, parts, number(plan.frequency));
      return arith::DivUIOp::create(b, loc, steps, number(plan.slots));
    };
    Value past = arith::AddIOp::create(b, loc, slot, number(1));
    return arith::SubIOp::create(b, loc, countSteps(past), countSteps(slot));
  }

  /// Whether step `which` trains all parameters: no variant lists it, and the
  /// choice for it is `full`.
  Value isFull(Value which, int64_t full) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    (void)getBackwardSlice(choice, &slice, options);
    IRMapping mapping;
    mapping.map(step, which);
    for (Operation *op : slice)
      b.clone(*op, mapping);
    Value result = arith::CmpIOp::create(b, loc, Predicate::eq,
                                         mapping.lookup(choice), index(full));
    result = both(result, compare(Predicate::sge, which, 1));
    for (train::VariantOp variant : variants)
      for (auto range : variant.getSteps().getAsRange<train::StepsAttr>())
        result = both(result, negate(isInRange(which, range)));
    return result;
  }

  Value isInRange(Value which, train::StepsAttr range) {
    Value past = arith::SubIOp::create(b, loc, which, number(range.getFirst()));
    Value rest = arith::RemUIOp::create(b, loc, past, number(range.getEvery()));
    Value result =
        both(compare(Predicate::sge, past, 0), compare(Predicate::eq, rest, 0));
    if (range.getLast() == 0)
      return result;
    return both(result, compare(Predicate::sle, which, range.getLast()));
  }

  Value number(int64_t value) { return buildInteger(b, loc, count, value); }
  Value index(int64_t value) {
    return buildInteger(b, loc, cast<RankedTensorType>(choice.getType()),
                        value);
  }
  Value compare(Predicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, number(y));
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value negate(Value x) {
    Value yes = buildInteger(b, loc, cast<RankedTensorType>(x.getType()), 1);
    return arith::XOrIOp::create(b, loc, x, yes);
  }

  func::FuncOp select;
  ArrayRef<train::VariantOp> variants;
  RefreshPlan plan;
  Location loc;
  OpBuilder b;
  RankedTensorType count;
  Value step, choice;
};

} // namespace

void boost::chooseRefreshSteps(train::ProgramOp program, const PlainStep &plain,
                               ArrayRef<func::FuncOp> others,
                               const PlainStep &refreshing,
                               const RefreshPlan &plan) {
  countSteps(refreshing.update, /*refreshes=*/true, plan.slots);
  for (func::FuncOp other : others)
    countSteps(other, /*refreshes=*/false, plan.slots);

  Location loc = program.getLoc();
  auto b = OpBuilder::atBlockBegin(&program.getBody().front());
  RankedTensorType count = getCountType(b.getContext());
  declareState(b, loc, kAge, count,
               rt::InitializerAttr::get(
                   b.getContext(), rt::InitializerKind::Constant,
                   static_cast<double>(plan.frequency - kLag), 0.0));
  declareState(b, loc, kTried, count);
  if (plan.slots > 1)
    SlotCode::declare(b, loc, plan.slots);
  b.setInsertionPoint(plain.micro);
  auto selectors = llvm::to_vector(program.getOps<train::SelectorOp>());
  SmallVector<train::VariantOp> variants(program.getOps<train::VariantOp>());
  if (variants.empty())
    variants.push_back(addVariant(b, loc, "plain", plain.micro, plain.update));
  OpBuilder front(variants.front());
  Attribute refresh = FlatSymbolRefAttr::get(
      addVariant(front, loc, "refresh", refreshing.micro, refreshing.update));
  if (selectors.empty()) {
    // Any number but 0 is of the last variant.
    b.setInsertionPointAfter(variants.back());
    func::FuncOp select = addSelector(b, program, refresh);
    OpBuilder body(select.front().getTerminator());
    returnChoice(
        select,
        buildInteger(body, loc, RankedTensorType::get({}, b.getI32Type()), 1));
    RefreshChooser(select, variants, plan).run(/*full=*/1, /*refresh=*/0);
    return;
  }
  // The first of its variants trains everything, and so does the new one.
  train::SelectorOp selector = selectors.front();
  SmallVector<Attribute> chosen(selector.getVariants().getValue());
  chosen.push_back(refresh);
  selector.setVariantsAttr(b.getArrayAttr(chosen));
  RefreshChooser(program.getFunction(selector.getFunction()), variants, plan)
      .run(/*full=*/0, static_cast<int64_t>(chosen.size()) - 1);
}
