#include "compiler/lowering/cpu/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

int64_t boostc::chooseLanes(int64_t extent, int64_t maxLanes) {
  int64_t lanes = maxLanes;
  while (lanes > 1 && llvm::divideCeil(extent, lanes / 2) ==
                          llvm::divideCeil(extent, maxLanes))
    lanes /= 2;
  return lanes;
}

SmallVector<Value> boostc::emitMasks(OpBuilder &builder, Location loc,
                                     int64_t lanes, int64_t count,
                                     int64_t extent, Value first) {
  if (extent % (lanes * count) == 0)
    return SmallVector<Value>(count);
  return emitMasks(builder, loc, lanes, count,
                   arith::ConstantIndexOp::create(builder, loc, extent), first);
}

SmallVector<Value> boostc::emitMasks(OpBuilder &builder, Location loc,
                                     int64_t lanes, int64_t count, Value end,
                                     Value first) {
  Type i32 = builder.getI32Type();
  Value left = arith::SubIOp::create(builder, loc, end, first);
  Value inside = vector::BroadcastOp::create(
      builder, loc, VectorType::get({lanes}, i32),
      arith::IndexCastOp::create(builder, loc, i32, left));
  SmallVector<Value> masks;
  for (int64_t vector = 0; vector < count; ++vector) {
    Value lane = arith::ConstantOp::create(
        builder, loc,
        builder.getI32VectorAttr(llvm::to_vector_of<int32_t>(
            llvm::seq(vector * lanes, (vector + 1) * lanes))));
    masks.push_back(arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, lane, inside));
  }
  return masks;
}

Value boostc::getFirstLanes(OpBuilder &builder, Location loc, int64_t lanes,
                            int64_t count) {
  if (count >= lanes)
    return {};
  SmallVector<bool> isFirst(lanes, false);
  std::fill_n(isFirst.begin(), count, true);
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(VectorType::get({lanes}, builder.getI1Type()),
                             isFirst));
}

Value boostc::loadVector(OpBuilder &builder, Location loc, VectorType type,
                         Value buffer, Value offset, Value mask) {
  if (!mask)
    return vector::LoadOp::create(builder, loc, type, buffer, offset);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, buffer, offset, mask,
                                      zero);
}

void boostc::storeVector(OpBuilder &builder, Location loc, Value vector,
                         Value buffer, Value offset, Value mask) {
  if (mask)
    vector::MaskedStoreOp::create(builder, loc, buffer, offset, mask, vector);
  else
    vector::StoreOp::create(builder, loc, vector, buffer, offset);
}

/// Halves change places, then halves of halves: log2(lanes) rounds.
void boostc::transposeVectors(OpBuilder &builder, Location loc,
                              MutableArrayRef<Value> vectors) {
  auto lanes = static_cast<int64_t>(vectors.size());
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & half)
        continue;
      SmallVector<int64_t> upper, lower;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        upper.push_back(lane & half ? lanes + lane - half : lane);
        lower.push_back(lane & half ? lanes + lane : lane + half);
      }
      Value a = vectors[row], b = vectors[row + half];
      vectors[row] = vector::ShuffleOp::create(builder, loc, a, b, upper);
      vectors[row + half] =
          vector::ShuffleOp::create(builder, loc, a, b, lower);
    }
}
