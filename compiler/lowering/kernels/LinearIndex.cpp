#include "compiler/lowering/kernels/LinearIndex.h"
#include "compiler/lowering/kernels/Strides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

bool boostc::isLinear(AffineExpr expr) {
  bool linear = true;
  expr.walk([&](AffineExpr part) {
    linear &= part.getKind() != AffineExprKind::Mod &&
              part.getKind() != AffineExprKind::FloorDiv &&
              part.getKind() != AffineExprKind::CeilDiv;
  });
  return linear;
}

std::optional<LinearIndex> boostc::getOffset(linalg::GenericOp op,
                                             OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!llvm::all_of(map.getResults(), isLinear))
    return std::nullopt;
  auto [strides, start] = getTypeInMemory(operand.get()).getStridesAndOffset();
  auto at = [&, &strides = strides, &start = start](ArrayRef<int64_t> loops) {
    int64_t offset = start;
    for (auto [stride, position] : llvm::zip_equal(strides, map.compose(loops)))
      offset += stride * position;
    return offset;
  };
  SmallVector<int64_t> loops(op.getNumLoops(), 0);
  LinearIndex index{at(loops), {}};
  for (int64_t &loop : loops) {
    loop = 1;
    index.coefficients.push_back(at(loops) - index.constant);
    loop = 0;
  }
  return index;
}

Value boostc::emitLinear(OpBuilder &builder, Location loc,
                         const LinearIndex &index, ArrayRef<Value> loops) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value sum;
  for (auto [coefficient, loop] : llvm::zip(index.coefficients, loops)) {
    if (coefficient == 0 || !loop)
      continue;
    Value term =
        coefficient == 1
            ? loop
            : arith::MulIOp::create(builder, loc, loop, constant(coefficient));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term) : term;
  }
  if (!sum)
    return constant(index.constant);
  return index.constant == 0 ? sum
                             : arith::AddIOp::create(builder, loc, sum,
                                                     constant(index.constant));
}

Value boostc::flattenBuffer(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1 && type.getLayout().isIdentity())
    return buffer;
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t elements = offset + 1;
  for (auto [stride, extent] : llvm::zip_equal(strides, type.getShape()))
    elements += stride * (extent - 1);
  auto flat = MemRefType::get({elements}, type.getElementType());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, buffer, /*offset=*/0, ArrayRef<int64_t>{elements},
      ArrayRef<int64_t>{1});
}
