#include "compiler/boost/thor/RefreshSteps.h"
#include "compiler/boost/EditProgram.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

/// Steps since the inverses were refreshed, and whether the last step was to
/// refresh them.
static constexpr llvm::StringLiteral kAge = "thor.age", kTried = "thor.tried";

/// Steps until the host knows what a step left in a state; see train.selector.
static constexpr int64_t kLag = 2;

namespace {

class RefreshSelector {
public:
  RefreshSelector(train::ProgramOp program, int64_t frequency)
      : program(program), loc(program.getLoc()), b(program.getContext()),
        frequency(frequency), flag(RankedTensorType::get({}, b.getI32Type())),
        count(RankedTensorType::get({}, b.getI64Type())) {}

  /// What a step leaves for the choice of later ones.
  void countSteps(func::FuncOp function, bool refreshes) {
    Value age = takeArgument(function, count, BindingKind::State, kAge);
    OpBuilder at(function.front().getTerminator());
    Value next = arith::AddIOp::create(at, loc, age, constant(at, count, 1));
    if (refreshes)
      next = chooseApplied(function, at, constant(at, count, 0), next);
    // As for loss scales, a step of no samples says nothing.
    Value samples = takeArgument(function, count, BindingKind::LossCount);
    Value hasSamples = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::sgt,
                                             samples, constant(at, count, 0));
    auto leave = [&](StringRef name, Value value) {
      Value before = takeArgument(function, count, BindingKind::State, name);
      leaveState(function, name,
                 arith::SelectOp::create(at, loc, hasSamples, value, before));
    };
    leave(kAge, next);
    leave(kTried, constant(at, count, refreshes ? 1 : 0));
  }

  /// Gives the program a variant that refreshes, and chooses its steps.
  void select(const PlainStep &plain, const PlainStep &refreshing) {
    OpBuilder at = OpBuilder::atBlockBegin(&program.getBody().front());
    declareState(
        at, kAge,
        rt::InitializerAttr::get(b.getContext(), rt::InitializerKind::Constant,
                                 static_cast<double>(frequency - kLag), 0.0));
    declareState(at, kTried);
    at.setInsertionPoint(plain.micro);
    SmallVector<train::VariantOp> variants(program.getOps<train::VariantOp>());
    auto addVariant = [&](StringRef name, func::FuncOp sums,
                          func::FuncOp ending) {
      return train::VariantOp::create(
          at, loc, at.getStringAttr(name), FlatSymbolRefAttr::get(sums),
          FlatSymbolRefAttr(), FlatSymbolRefAttr::get(ending),
          at.getArrayAttr({}), at.getArrayAttr({}));
    };
    if (variants.empty())
      variants.push_back(addVariant("plain", plain.micro, plain.update));
    at.setInsertionPoint(variants.front());
    Attribute refresh = FlatSymbolRefAttr::get(
        addVariant("refresh", refreshing.micro, refreshing.update));
    auto selectors = llvm::to_vector(program.getOps<train::SelectorOp>());
    if (selectors.empty()) {
      // Any other number is of the last variant.
      at.setInsertionPointAfter(variants.back());
      train::SelectorOp::create(
          at, loc, FlatSymbolRefAttr::get(b.getContext(), train::kSelect),
          at.getArrayAttr({refresh}), at.getI64IntegerAttr(kLag));
      func::FuncOp function = createFunction(program, train::kSelect);
      takeArgument(function, count, BindingKind::Step);
      takeArgument(function, count, BindingKind::RunLength);
      OpBuilder body(function.front().getTerminator());
      auto choice =
          rt::BindingAttr::get(b.getContext(), BindingKind::Choice, "");
      rt::addResult(function, constant(body, flag, 1), choice);
      chooseRefresh(function, variants, /*full=*/1, /*refresh=*/0);
      return;
    }
    // The first of its variants trains everything, and so does the new one.
    train::SelectorOp selector = selectors.front();
    SmallVector<Attribute> chosen(selector.getVariants().getValue());
    chosen.push_back(refresh);
    selector.setVariantsAttr(at.getArrayAttr(chosen));
    chooseRefresh(program.getFunction(selector.getFunction()), variants,
                  /*full=*/0,
                  /*refresh=*/static_cast<int64_t>(chosen.size()) - 1);
  }

private:
  /// Lets `function`, which returns `full` for a step in which all parameters
  /// train, return `refresh` for those of them that are due. The states are
  /// those after the step before the last one, so whether the last one was due
  /// is computed once more.
  void chooseRefresh(func::FuncOp function, ArrayRef<train::VariantOp> variants,
                     int64_t full, int64_t refresh) {
    Value step = takeArgument(function, count, BindingKind::Step);
    Value age = takeArgument(function, count, BindingKind::State, kAge);
    Value tried = takeArgument(function, count, BindingKind::State, kTried);
    Operation *end = function.front().getTerminator();
    Value choice = end->getOperand(0);
    OpBuilder body(end);
    auto number = [&](int64_t value) { return constant(body, count, value); };
    auto negate = [&](Value x) -> Value {
      Value all = arith::ConstantOp::create(
          body, loc,
          DenseElementsAttr::get(cast<ShapedType>(x.getType()), true));
      return arith::XOrIOp::create(body, loc, x, all);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x,
                       Value y) -> Value {
      return arith::CmpIOp::create(body, loc, predicate, x, y);
    };
    auto isOld = [&](Value since) {
      return compare(arith::CmpIPredicate::sge, since, number(frequency));
    };
    Value before = arith::SubIOp::create(body, loc, step, number(1));
    Value wasFull = isFull(body, function, choice, before, variants, full);
    Value isNow = isFull(body, function, choice, step, variants, full);
    // Steps since the last refresh, at the last step and at this one.
    Value lastAge = arith::AddIOp::create(body, loc, age, number(kLag - 1));
    Value ownAge = arith::AddIOp::create(body, loc, age, number(kLag));
    Value wasDue =
        both(body, isOld(lastAge),
             both(body, wasFull,
                  compare(arith::CmpIPredicate::eq, tried, number(0))));
    // Both first steps are chosen from the states that init leaves.
    Value isSecond = compare(arith::CmpIPredicate::eq, step, number(2));
    wasDue = arith::SelectOp::create(body, loc, isSecond, wasFull, wasDue);
    Value isDue = both(body, isOld(ownAge), isNow);
    if (frequency > 1)
      isDue = both(body, isDue, negate(wasDue));
    end->setOperand(0, arith::SelectOp::create(body, loc, isDue,
                                               constant(body, flag, refresh),
                                               choice));
  }

  /// Whether step `step` trains all parameters: no variant lists it, and
  /// `choice`, computed for it, is `full`.
  Value isFull(OpBuilder &body, func::FuncOp function, Value choice, Value step,
               ArrayRef<train::VariantOp> variants, int64_t full) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    (void)getBackwardSlice(choice, &slice, options);
    IRMapping mapping;
    mapping.map(takeArgument(function, count, BindingKind::Step), step);
    for (Operation *op : slice)
      body.clone(*op, mapping);
    auto compare = [&](arith::CmpIPredicate predicate, Value x,
                       Value y) -> Value {
      return arith::CmpIOp::create(body, loc, predicate, x, y);
    };
    Value result = compare(arith::CmpIPredicate::eq, mapping.lookup(choice),
                           constant(body, flag, full));
    auto exclude = [&](Value others) {
      Value none = constant(body, cast<RankedTensorType>(others.getType()), 0);
      Value isNone = compare(arith::CmpIPredicate::eq, others, none);
      result = arith::AndIOp::create(body, loc, result, isNone);
    };
    Value isStep =
        compare(arith::CmpIPredicate::sge, step, constant(body, count, 1));
    result = arith::AndIOp::create(body, loc, result, isStep);
    for (train::VariantOp variant : variants)
      for (auto range : variant.getSteps().getAsRange<train::StepsAttr>()) {
        Value past = arith::SubIOp::create(
            body, loc, step, constant(body, count, range.getFirst()));
        Value rest = arith::RemUIOp::create(
            body, loc, past, constant(body, count, range.getEvery()));
        Value isListed = both(
            body,
            compare(arith::CmpIPredicate::sge, past, constant(body, count, 0)),
            compare(arith::CmpIPredicate::eq, rest, constant(body, count, 0)));
        if (range.getLast() > 0)
          isListed = both(body, isListed,
                          compare(arith::CmpIPredicate::sle, step,
                                  constant(body, count, range.getLast())));
        exclude(isListed);
      }
    return result;
  }

  Value constant(OpBuilder &at, RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        at, loc,
        DenseElementsAttr::get(
            type, at.getIntegerAttr(type.getElementType(), value)));
  }

  Value both(OpBuilder &body, Value x, Value y) {
    return arith::AndIOp::create(body, loc, x, y);
  }

  /// `changed` where the step is applied, else `before`.
  Value chooseApplied(func::FuncOp function, OpBuilder &at, Value changed,
                      Value before) {
    Value applied = (*function.getOps<train::CommitOp>().begin()).getApplied();
    Value isApplied = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::ne,
                                            applied, constant(at, flag, 0));
    return arith::SelectOp::create(at, loc, isApplied, changed, before);
  }

  void declareState(OpBuilder &at, StringRef name,
                    rt::InitializerAttr initial = {}) {
    train::StateOp::create(at, loc, at.getStringAttr(name),
                           at.getStringAttr(name.substr(name.rfind('.') + 1)),
                           FlatSymbolRefAttr(), initial, TypeAttr::get(count));
  }

  train::ProgramOp program;
  Location loc;
  Builder b;
  int64_t frequency;
  RankedTensorType flag, count;
};

} // namespace

void boost::chooseRefreshSteps(train::ProgramOp program, const PlainStep &plain,
                               ArrayRef<func::FuncOp> others,
                               const PlainStep &refreshing, int64_t frequency) {
  RefreshSelector selector(program, frequency);
  selector.countSteps(refreshing.update, /*refreshes=*/true);
  for (func::FuncOp other : others)
    selector.countSteps(other, /*refreshes=*/false);
  selector.select(plain, refreshing);
}
