#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

Value IndexCode::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value IndexCode::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value IndexCode::plus(Value index, int64_t term) {
  return term == 0 ? index : add(index, constant(term));
}
Value IndexCode::times(Value index, int64_t factor) {
  if (!index || factor == 0)
    return constant(0);
  return builder.createOrFold<arith::MulIOp>(loc, index, constant(factor));
}
Value IndexCode::quotient(Value index, int64_t divisor) {
  return builder.createOrFold<arith::DivUIOp>(loc, index, constant(divisor));
}
Value IndexCode::remainder(Value index, int64_t divisor) {
  return builder.createOrFold<arith::RemUIOp>(loc, index, constant(divisor));
}
Value IndexCode::subtract(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value IndexCode::minimum(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}
Value IndexCode::maximum(Value a, Value b) {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}
Value IndexCode::isBelow(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a,
                                             b);
}
Value IndexCode::select(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}
void IndexCode::forEach(Value begin, Value end, int64_t step,
                        llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(step));
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}
void IndexCode::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

IndexCode::Range IndexCode::intersect(Range a, Range b) {
  return {maximum(a.begin, b.begin), minimum(a.end, b.end)};
}

IndexCode::Range IndexCode::solve(Value first, int64_t step, int64_t extent,
                                  int64_t count) {
  // step > 0: -first <= step * n < extent - first; else the same from the end.
  int64_t by = std::abs(step);
  Value low = first, high = first;
  if (step > 0) {
    low = subtract(constant(0), first);
    high = subtract(constant(extent), first);
  } else {
    low = plus(first, 1 - extent);
    high = plus(first, 1);
  }
  // Negative bounds become zero anyway, so divisions round what is positive.
  low = maximum(low, constant(0));
  high = maximum(high, constant(0));
  return {quotient(plus(low, by - 1), by),
          minimum(quotient(plus(high, by - 1), by), constant(count))};
}
