#include "compiler/boost/thor/RefreshSlots.h"
#include "compiler/boost/EditProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using Predicate = arith::CmpIPredicate;

/// The slot that the next refresh has; as many as there are: all of them.
static constexpr llvm::StringLiteral kSlot = "thor.slot";

RefreshPlan RefreshPlan::getStaggered(int64_t frequency, int64_t layers) {
  constexpr int64_t kMaxSlots = 16;
  int64_t slots = std::min({kMaxSlots, layers, frequency / 2});
  return {frequency, std::max<int64_t>(slots, 1)};
}

SmallVector<int64_t> boost::assignSlots(ArrayRef<int64_t> costs,
                                        int64_t slots) {
  // Those that cost most first, each to the slot that costs least so far.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, costs.size()));
  llvm::stable_sort(order, [&](size_t one, size_t other) {
    return costs[one] > costs[other];
  });
  SmallVector<int64_t> total(slots, 0), assigned(costs.size());
  for (size_t layer : order) {
    int64_t slot = llvm::min_element(total) - total.begin();
    assigned[layer] = slot;
    total[slot] += costs[layer];
  }
  return assigned;
}

void SlotCode::declare(OpBuilder &builder, Location loc, int64_t slots) {
  declareState(builder, loc, kSlot,
               RankedTensorType::get({}, builder.getI64Type()),
               rt::InitializerAttr::get(builder.getContext(),
                                        rt::InitializerKind::Constant,
                                        static_cast<double>(slots), 0.0));
}

StringRef SlotCode::getState() { return kSlot; }

Value SlotCode::getNext() {
  auto type =
      RankedTensorType::get({}, IntegerType::get(function.getContext(), 64));
  return takeArgument(function, type, rt::BindingKind::State, kSlot);
}

Value SlotCode::countOn(OpBuilder &builder) {
  Location loc = function.getLoc();
  Value next = getNext();
  auto type = cast<RankedTensorType>(next.getType());
  Value counted = arith::AddIOp::create(builder, loc, next,
                                        buildInteger(builder, loc, type, 1));
  Value isPast = arith::CmpIOp::create(builder, loc, Predicate::sge, counted,
                                       buildInteger(builder, loc, type, slots));
  return arith::SelectOp::create(builder, loc, isPast,
                                 buildInteger(builder, loc, type, 0), counted);
}

const SlotCode::Slot &SlotCode::getSlot(int64_t slot) {
  Slot &result = computed[slot];
  if (result.due)
    return result;
  auto builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  Value next = getNext();
  auto is = [&](int64_t number) -> Value {
    return arith::CmpIOp::create(
        builder, loc, Predicate::eq, next,
        buildInteger(builder, loc, cast<RankedTensorType>(next.getType()),
                     number));
  };
  Value isIts = is(slot), isAll = is(slots);
  result.isDue = arith::OrIOp::create(builder, loc, isIts, isAll);
  result.due = arith::ExtUIOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()),
      result.isDue);
  return result;
}
