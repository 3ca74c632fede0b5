// Contractions as kernel bodies.

#include "compiler/lowering/cuda/ContractionBody.h"
#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

/// The offset by the body's own loops; none where a derived index counts.
static std::optional<LinearIndex> getOwnOffset(const LinearIndex &offset,
                                               size_t loops) {
  LinearIndex own = offset;
  if (llvm::any_of(ArrayRef(own.coefficients).drop_front(loops),
                   [](int64_t coefficient) { return coefficient != 0; }))
    return std::nullopt;
  own.coefficients.resize(loops);
  return own;
}

ContractionBody::ContractionBody(Location loc, Contraction contraction,
                                 const IRMapping &buffers)
    : loc(loc), c(std::move(contraction)), buffers(buffers) {
  for (const Contraction::Loop &loop : c.loops)
    loops.push_back({loop.extent, loop.isReduction});
  for (const Contraction::Access &access : {c.a, c.b, c.bias, c.result})
    if (access)
      accesses.push_back({access.buffer,
                          getOwnOffset(access.offset, loops.size()),
                          access.buffer == c.result.buffer});
}

SmallVector<Value> ContractionBody::emitStart(OpBuilder &builder,
                                              ArrayRef<Value> indices) {
  if (c.bias)
    return {loadFrom(builder, c.bias, indices)};
  return {emitNeutral(builder, 0)};
}

SmallVector<Value> ContractionBody::emitStep(OpBuilder &builder,
                                             ArrayRef<Value> indices,
                                             ValueRange values) {
  SmallVector<Value> all(indices);
  Value isInside = emitDerived(builder, loc, c.derived, all);
  return emitWhere(builder, loc, isInside, values,
                   [&](OpBuilder &b) -> SmallVector<Value> {
                     if (!c.b)
                       return {arith::AddFOp::create(b, loc, values[0],
                                                     loadFrom(b, c.a, all))};
                     return {emitProduct(b, loadFrom(b, c.a, all),
                                         loadFrom(b, c.b, all), values[0])};
                   });
}

void ContractionBody::emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                                 ValueRange values) {
  Value buffer = getFlatBuffer(builder, c.result);
  Value rounded =
      buildRounding(builder, loc, values[0],
                    cast<MemRefType>(buffer.getType()).getElementType());
  storeAt(builder, loc, rounded, buffer, c.result.offset, indices);
}

Value ContractionBody::emitNeutral(OpBuilder &builder, unsigned) {
  return emitZero(builder, 1);
}

Value ContractionBody::emitCombined(OpBuilder &builder, unsigned, Value a,
                                    Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value ContractionBody::emitProduct(OpBuilder &builder, Value a, Value b,
                                   Value sum) {
  return math::FmaOp::create(builder, loc, a, b, sum);
}

Value ContractionBody::emitZero(OpBuilder &builder, int64_t width) {
  FloatAttr zero = builder.getF32FloatAttr(0.0f);
  if (width == 1)
    return arith::ConstantOp::create(builder, loc, zero);
  auto type = VectorType::get(width, zero.getType());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, zero));
}

Value ContractionBody::emitFactor(OpBuilder &builder, const TiledSide &side,
                                  ArrayRef<Value> indices, Value isInside) {
  SmallVector<Value> all(indices);
  for (auto [number, index] : llvm::enumerate(c.derived)) {
    if (!llvm::is_contained(side.guards, number)) {
      all.push_back(Value());
      continue;
    }
    isInside =
        emitBoth(builder, loc, isInside, emitDerived(builder, loc, index, all));
  }
  const Contraction::Access &access = side.isOfA ? c.a : c.b;
  Value offset = emitLinear(builder, loc, access.offset, all);
  // Without a branch: any valid address serves for what is not used.
  if (isInside)
    offset = arith::SelectOp::create(
        builder, loc, isInside, offset,
        arith::ConstantIndexOp::create(builder, loc, 0));
  Value buffer = getFlatBuffer(builder, access), value;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (side.width == 1)
    value = memref::LoadOp::create(builder, loc, buffer, offset);
  else
    value = vector::LoadOp::create(
        builder, loc, VectorType::get(side.width, element), buffer, offset,
        /*nontemporal=*/false,
        llvm::Align(element.getIntOrFloatBitWidth() / 8 * side.width));
  value = buildExtension(builder, loc, value);
  if (isInside)
    value = arith::SelectOp::create(builder, loc, isInside, value,
                                    emitZero(builder, side.width));
  return value;
}

Value ContractionBody::getFlatBuffer(OpBuilder &builder,
                                     const Contraction::Access &access) {
  return flattenBuffer(builder, loc, buffers.lookup(access.buffer));
}

Value ContractionBody::loadFrom(OpBuilder &builder,
                                const Contraction::Access &access,
                                ArrayRef<Value> indices) {
  return buildExtension(builder, loc,
                        loadAt(builder, loc, getFlatBuffer(builder, access),
                               access.offset, indices));
}

/// Tiles of sums that share what they load: along one loop `a` is the same,
/// along the other `b`.
static void chooseTiles(const Contraction &c, const KernelBody &body,
                        GridPlan &plan) {
  constexpr int64_t kManyItems = 16384, kLargestTile = 4;
  auto findLoop = [&](const LinearIndex &same, const LinearIndex &moves) {
    std::optional<unsigned> best;
    for (auto [number, loop] : llvm::enumerate(c.loops))
      // Neighbouring threads compute the last loop's neighbours, unless they
      // share each output.
      if (!loop.isReduction && !c.isGuarded(number) && same[number] == 0 &&
          moves[number] != 0 &&
          (number != plan.parallel.back() || plan.lanes > 1) &&
          plan.tile[number] == 1 && loop.extent % 2 == 0 &&
          (!best || c.loops[*best].extent < loop.extent))
        best = number;
    return best;
  };
  for (auto [same, moves] : {std::pair(&c.a.offset, &c.b.offset),
                             std::pair(&c.b.offset, &c.a.offset)}) {
    std::optional<unsigned> loop = findLoop(*same, *moves);
    if (!loop)
      continue;
    int64_t extent = kLargestTile;
    while (extent > 1 && (c.loops[*loop].extent % extent != 0 ||
                          plan.items * plan.lanes / extent < kManyItems))
      extent /= 2;
    if (extent > 1)
      setTile(plan, body, *loop, extent);
  }
}

/// Whether a warp reads neighbours in memory along what is summed and not along
/// what is written, as in x * transposed(w).
static bool isReadAlongTerms(const Contraction &c, const GridPlan &plan) {
  if (plan.parallel.empty() || plan.reductions.empty())
    return false;
  unsigned term = plan.reductions.back(), output = plan.parallel.back();
  auto step = [](const Contraction::Access &access, unsigned loop) {
    return std::abs(access.offset[loop]);
  };
  return !c.isGuarded(term) && c.loops[term].extent >= kWarpThreads &&
         step(c.a, term) == 1 && step(c.b, term) == 1 &&
         (step(c.a, output) > 1 || step(c.b, output) > 1);
}

PlannedBody boostc::buildContractionBody(Location loc, const Contraction &c,
                                         const IRMapping &buffers,
                                         TilingPolicy tilingPolicy) {
  auto body = std::make_unique<ContractionBody>(loc, c, buffers);
  // Neighbouring threads write neighbours; neighbouring terms are read along
  // the smallest steps.
  auto stepOf = [&](unsigned loop) {
    if (!c.loops[loop].isReduction)
      return std::abs(c.result.offset[loop]);
    return std::abs(c.a.offset[loop]) + (c.b ? std::abs(c.b.offset[loop]) : 0);
  };
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, c.loops.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return stepOf(a) > stepOf(b); });
  llvm::erase_if(order, [&](unsigned loop) {
    return c.loops[loop].isReduction && c.loops[loop].extent == 1;
  });
  GridPlan plan = planGrid(*body, order);
  if (!c.b)
    return {std::move(body), std::move(plan)};
  if (plan.lanes == 1 && isReadAlongTerms(c, plan))
    plan.lanes = kWarpThreads;
  if (!plan.parallel.empty())
    chooseTiles(c, *body, plan);
  if (tilingPolicy == TilingPolicy::Never)
    return {std::move(body), std::move(plan)};
  std::optional<SharedMemoryTiling> tiling = planSharedMemoryTiling(c);
  if (tiling && (tilingPolicy == TilingPolicy::Always ||
                 isWorthwhile(tiling->cycles, estimateCycles(c, plan)))) {
    plan.tile.assign(c.loops.size(), 1);
    plan.tiling = std::move(tiling);
  }
  return {std::move(body), std::move(plan)};
}
