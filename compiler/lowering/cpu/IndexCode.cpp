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
Value IndexCode::minimum(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}
Value IndexCode::maximum(Value a, Value b) {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}
void IndexCode::forEach(Value begin, Value end, int64_t step,
                        llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(step));
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}
