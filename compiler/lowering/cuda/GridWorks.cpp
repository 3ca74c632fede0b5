#include "compiler/lowering/cuda/GridWorks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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

/// numerator / divisor, and whether that is exact and in [0, extent).
std::pair<Value, Value> boostc::emitDivision(OpBuilder &builder, Location loc,
                                             Value numerator, int64_t divisor,
                                             int64_t extent) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // What is below 0 is large as an unsigned number.
  Value isInside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, numerator,
                            constant(extent * divisor));
  if (divisor == 1)
    return {numerator, isInside};
  Value quotient =
      arith::DivUIOp::create(builder, loc, numerator, constant(divisor));
  Value rest =
      arith::RemUIOp::create(builder, loc, numerator, constant(divisor));
  Value isExact = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, constant(0));
  return {quotient, arith::AndIOp::create(builder, loc, isInside, isExact)};
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
