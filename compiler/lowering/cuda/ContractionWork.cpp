// Sums of products as work for a grid.

#include "compiler/lowering/cuda/CudaTarget.h"
#include "compiler/lowering/cuda/GridWorks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

namespace {

class ContractionWork : public GridWork {
public:
  ContractionWork(Location loc, Contraction contraction,
                  const IRMapping &buffers)
      : loc(loc), c(std::move(contraction)), buffers(buffers) {
    for (const Contraction::Loop &loop : c.loops)
      loops.push_back({loop.extent, loop.isReduction});
    for (const Contraction::Access &access : {c.a, c.b, c.bias, c.result})
      if (access)
        accesses.push_back({access.buffer, getOwnOffset(access.offset),
                            access.buffer == c.result.buffer});
  }

  SmallVector<Value> emitStart(OpBuilder &builder,
                               ArrayRef<Value> indices) override {
    if (c.bias)
      return {loadFrom(builder, c.bias, indices)};
    return {emitNeutral(builder, 0)};
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    SmallVector<Value> all(indices);
    Value isInside = emitDerived(builder, loc, c.derived, all);
    return emitWhere(
        builder, loc, isInside, values,
        [&](OpBuilder &b) -> SmallVector<Value> {
          return {math::FmaOp::create(b, loc, loadFrom(b, c.a, all),
                                      loadFrom(b, c.b, all), values[0])};
        });
  }

  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    storeAt(builder, loc, values[0], flatten(builder, c.result),
            c.result.offset, indices);
  }

  bool isSplittable() const override { return true; }
  Value emitNeutral(OpBuilder &builder, unsigned) override {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(0.0f));
  }
  Value emitCombined(OpBuilder &builder, unsigned, Value a, Value b) override {
    return arith::AddFOp::create(builder, loc, a, b);
  }

private:
  /// The offset by the work's own loops; none where a derived index counts.
  std::optional<LinearIndex> getOwnOffset(const LinearIndex &offset) const {
    LinearIndex own = offset;
    if (llvm::any_of(ArrayRef(own.coefficients).drop_front(loops.size()),
                     [](int64_t coefficient) { return coefficient != 0; }))
      return std::nullopt;
    own.coefficients.resize(loops.size());
    return own;
  }

  Value flatten(OpBuilder &builder, const Contraction::Access &access) {
    return flattenBuffer(builder, loc, buffers.lookup(access.buffer));
  }
  Value loadFrom(OpBuilder &builder, const Contraction::Access &access,
                 ArrayRef<Value> indices) {
    return loadAt(builder, loc, flatten(builder, access), access.offset,
                  indices);
  }

  Location loc;
  Contraction c;
  const IRMapping &buffers;
};

} // namespace

/// Tiles of sums that share what they load: along one loop `a` is the same,
/// along the other `b`.
static void chooseTiles(const Contraction &c, const GridWork &work,
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
      setTile(plan, work, *loop, extent);
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

static GridPart buildContraction(Location loc, Contraction contraction,
                                 const IRMapping &buffers) {
  const Contraction c = contraction;
  auto work =
      std::make_unique<ContractionWork>(loc, std::move(contraction), buffers);
  // Neighbouring threads write neighbours; neighbouring terms are read along
  // the smallest steps.
  auto stepOf = [&](unsigned loop) {
    return c.loops[loop].isReduction
               ? std::abs(c.a.offset[loop]) + std::abs(c.b.offset[loop])
               : std::abs(c.result.offset[loop]);
  };
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, c.loops.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return stepOf(a) > stepOf(b); });
  GridPlan plan = planGrid(*work, order);
  if (plan.lanes == 1 && isReadAlongTerms(c, plan))
    plan.lanes = kWarpThreads;
  if (!plan.parallel.empty())
    chooseTiles(c, *work, plan);
  return {std::move(work), std::move(plan)};
}

GridPart boostc::buildContractionPart(rt::ConvolutionOp op,
                                      const IRMapping &buffers) {
  return buildContraction(op.getLoc(), getContraction(op), buffers);
}

GridPart boostc::buildContractionPart(rt::MatmulOp op,
                                      const IRMapping &buffers) {
  return buildContraction(op.getLoc(), getContraction(op), buffers);
}
