#include "compiler/lowering/cpu/PartialSums.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;

void boostc::combinePartials(
    OpBuilder &builder, Location loc, Value partials, Value result, bool adds,
    llvm::function_ref<Value(OpBuilder &, Value, Value)> combine) {
  auto type = cast<MemRefType>(result.getType());
  int64_t count = cast<MemRefType>(partials.getType()).getDimSize(0);
  MLIRContext *context = builder.getContext();
  unsigned rank = type.getRank();
  AffineMap whole = AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<AffineMap> maps;
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<AffineExpr> at(whole.getResults());
    at.insert(at.begin(), getAffineConstantExpr(number, context));
    maps.push_back(AffineMap::get(rank, /*symbolCount=*/0, at, context));
  }
  maps.push_back(whole);
  linalg::GenericOp::create(
      builder, loc, SmallVector<Value>(count, partials), result, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location, ValueRange elements) {
        Value sum = adds ? elements.back() : elements.front();
        for (Value element : elements.drop_back().drop_front(adds ? 0 : 1))
          sum = combine(inner, sum, element);
        linalg::YieldOp::create(inner, loc, sum);
      });
}

void boostc::addUpPartials(ContractionOpInterface op) {
  Value partials = op.getPartials();
  if (!partials)
    return;
  Location loc = op.getLoc();
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  rt::BufferOp buffer = getBase(op.getC());
  auto type = cast<MemRefType>(partials.getType());
  // In whatever order its dimensions lie, it is one row of elements.
  Value row = rt::BufferOp::create(
      builder, loc,
      MemRefType::get({type.getDimSize(1)}, type.getElementType()),
      buffer.getArena(), buffer.getOffset());
  combinePartials(builder, loc, partials, row, /*adds=*/false,
                  [&](OpBuilder &inner, Value a, Value b) -> Value {
                    return arith::AddFOp::create(inner, loc, a, b);
                  });
}
