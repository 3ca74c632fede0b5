#include "compiler/lowering/cuda/GridCode.h"

using namespace mlir;
using namespace boostc;

void GridCode::decode(Value number, ArrayRef<unsigned> loops) {
  SmallVector<unsigned> moving;
  for (unsigned loop : loops) {
    indices[loop] = constant(0);
    if (body.loops[loop].extent > plan.tile[loop])
      moving.push_back(loop);
  }
  for (unsigned loop : llvm::reverse(moving)) {
    int64_t extent = body.loops[loop].extent / plan.tile[loop];
    bool isLast = loop == moving.front();
    indices[loop] =
        multiply(isLast ? number : remainder(number, extent), plan.tile[loop]);
    if (!isLast)
      number = divide(number, extent);
  }
}

void GridCode::emitMembers(size_t begin, size_t end) {
  for (const GridNest::Member &member :
       ArrayRef(nest.members).slice(begin, end - begin)) {
    SmallVector<Value> own;
    for (std::optional<unsigned> loop : member.loops)
      own.push_back(loop ? indices[*loop] : constant(0));
    SmallVector<Value> values = member.body->emitStart(builder, own);
    values = member.body->emitStep(builder, own, values);
    member.body->emitStores(builder, own, values);
  }
}

SmallVector<Value> GridCode::emitLoop(
    Value begin, Value end, int64_t stride, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> action) {
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, constant(stride), values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      action(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector(ValueRange(loop.getResults()));
}
