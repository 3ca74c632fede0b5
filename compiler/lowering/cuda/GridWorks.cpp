#include "compiler/lowering/cuda/GridWorks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

Value boostc::loadAt(OpBuilder &builder, Location loc, Value buffer,
                     const LinearIndex &offset, ArrayRef<Value> indices) {
  return memref::LoadOp::create(builder, loc, buffer,
                                emitLinear(builder, loc, offset, indices));
}

void boostc::storeAt(OpBuilder &builder, Location loc, Value value,
                     Value buffer, const LinearIndex &offset,
                     ArrayRef<Value> indices) {
  memref::StoreOp::create(builder, loc, value, buffer,
                          emitLinear(builder, loc, offset, indices));
}

Value boostc::emitDerived(OpBuilder &builder, Location loc,
                          ArrayRef<Contraction::DerivedIndex> indices,
                          SmallVectorImpl<Value> &values) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value all;
  auto require = [&](arith::CmpIPredicate predicate, Value a, int64_t b) {
    Value holds =
        arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
    all = all ? arith::AndIOp::create(builder, loc, all, holds) : holds;
  };
  SmallVector<Value> loops(values.begin(), values.end());
  for (const Contraction::DerivedIndex &index : indices) {
    Value numerator = emitLinear(builder, loc, index.numerator, loops);
    // What is below 0 is large as an unsigned number.
    require(arith::CmpIPredicate::ult, numerator, index.extent * index.divisor);
    values.push_back(numerator);
    if (index.divisor == 1)
      continue;
    values.back() = arith::DivUIOp::create(builder, loc, numerator,
                                           constant(index.divisor));
    require(arith::CmpIPredicate::eq,
            arith::RemUIOp::create(builder, loc, numerator,
                                   constant(index.divisor)),
            0);
  }
  return all;
}

SmallVector<Value>
boostc::emitWhere(OpBuilder &builder, Location loc, Value condition,
                  ValueRange values,
                  llvm::function_ref<SmallVector<Value>(OpBuilder &)> body) {
  if (!condition)
    return body(builder);
  auto choice = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, body(b)); },
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, values); });
  return llvm::to_vector(ValueRange(choice.getResults()));
}

FailureOr<GridPart> boostc::buildGridPart(Operation *op,
                                          const IRMapping &buffers) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return buildGenericPart(generic, buffers);
  if (auto convolution = dyn_cast<rt::ConvolutionOp>(op))
    return buildContractionPart(convolution, buffers);
  if (auto matmul = dyn_cast<rt::MatmulOp>(op))
    return buildContractionPart(matmul, buffers);
  if (auto gather = dyn_cast<rt::GatherOp>(op))
    return buildGatherPart(gather, buffers);
  if (auto scatter = dyn_cast<rt::ScatterAddOp>(op))
    return buildScatterAddPart(scatter, buffers);
  return op->emitOpError("has no kernel for a GPU");
}
