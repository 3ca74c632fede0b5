// Which sums threads of a CPU share; see Passes.td.

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/PartialSums.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/cpu/VectorNest.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <cmath>

namespace boostc {
#define GEN_PASS_DEF_SHAREREDUCTIONSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Iterations of an op that are worth two more loops that threads share, and
/// terms of each partial sum.
constexpr int64_t kMinWork = 1 << 15, kMinTerms = 64;

/// More would have each element of a result add up much.
constexpr int64_t kMaxPartials = 16;

namespace {

/// A reduction in `partials` parts of loop `loop`.
struct Cut {
  unsigned loop;
  int64_t partials;
};

struct ShareReductions
    : boostc::impl::ShareReductionsPassBase<ShareReductions> {
  using ShareReductionsPassBase::ShareReductionsPassBase;

  void runOnOperation() override {
    auto target =
        getOperation()->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    // Programs for GPUs have none: their sums are split by another pass.
    if (!target || tilingPolicy == TilingPolicy::Never)
      return;
    shares = getShares(getOperation(), target);
    if (shares == 1)
      return;
    registers = getVectorRegisters(target);
    getOperation().walk([&](linalg::GenericOp op) { share(op); });
    if (rt::getReproducibility(getOperation()) != rt::Reproducibility::Strict)
      getOperation().walk([&](ContractionOpInterface op) { share(op); });
  }

  void share(linalg::GenericOp op);
  void share(ContractionOpInterface op);
  std::optional<Cut> chooseCut(linalg::GenericOp op) const;

  int64_t shares = 1; ///< pieces that loops are cut into
  VectorRegisters registers;
};

} // namespace

/// The dimension of `operand` along which `loop` alone runs; none where it has
/// none, or `loop` is part of another index.
static std::optional<unsigned> findDim(linalg::GenericOp op, OpOperand &operand,
                                       unsigned loop) {
  std::optional<unsigned> found;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto position = dyn_cast<AffineDimExpr>(expr);
        position && position.getPosition() == loop)
      found = dim;
  return found;
}

/// Whether views of the inputs of `op` can be cut along `loop`.
static bool canCut(linalg::GenericOp op, unsigned loop) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto uses = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
      return expr.isFunctionOfDim(loop);
    });
    if (uses > (findDim(op, *input, loop) ? 1 : 0))
      return false;
  }
  return true;
}

/// The step in memory of the largest input that moves along `loop`.
static int64_t getStride(linalg::GenericOp op, unsigned loop) {
  int64_t stride = 0, most = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    std::optional<unsigned> dim =
        type ? findDim(op, *input, loop) : std::nullopt;
    if (!dim || type.getNumElements() <= most)
      continue;
    most = type.getNumElements();
    stride = type.getStridesAndOffset().first[*dim];
  }
  return stride;
}

std::optional<Cut> ShareReductions::chooseCut(linalg::GenericOp op) const {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t work = 1, terms = 1;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (int64_t extent : extents)
    work *= extent;
  for (unsigned loop : reductions)
    terms *= extents[loop];
  bool isForced = tilingPolicy == TilingPolicy::Always;
  if (!op.hasPureBufferSemantics() || reductions.empty() ||
      (work < kMinWork && !isForced))
    return std::nullopt;
  // Rows of results are for one thread each.
  LoopOrder order = chooseLoopOrder(op);
  if (order.shared && order.shared != order.loops.back())
    return std::nullopt;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    if (!cast<MemRefType>(output.get().getType()).getLayout().isIdentity() ||
        !map.isProjectedPermutation() ||
        map.getNumResults() != op.getNumParallelLoops() ||
        !findCombiner(op, output.getOperandNumber() - op.getNumDpsInputs()))
      return std::nullopt;
  }
  // No fewer threads than have vectors of results as it is, and more than half.
  int64_t most = std::min(shares, kMaxPartials);
  int64_t vectors = order.shared ? static_cast<int64_t>(llvm::divideCeil(
                                       extents[*order.shared], registers.lanes))
                                 : 1;
  int64_t least =
      std::max({int64_t(2), (most + 1) / 2, std::min(shares, vectors)});
  // The outermost loop that can be cut evenly: samples, which threads share in
  // the ops around.
  std::optional<Cut> best;
  for (int64_t partials = most; !best && partials >= least; --partials)
    for (unsigned loop : reductions)
      if (extents[loop] % partials == 0 &&
          (terms >= partials * kMinTerms || isForced) && canCut(op, loop) &&
          (!best || getStride(op, loop) > getStride(op, best->loop)))
        best = Cut{loop, partials};
  return best;
}

/// `operand`, whose loop `cut.loop` becomes two, the first of which are parts.
static Value cutView(OpBuilder &builder, linalg::GenericOp op,
                     OpOperand &operand, Cut cut) {
  std::optional<unsigned> dim = findDim(op, operand, cut.loop);
  if (!dim)
    return operand.get();
  auto type = cast<MemRefType>(operand.get().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> sizes(type.getShape());
  int64_t extent = sizes[*dim] / cut.partials;
  sizes[*dim] = extent;
  sizes.insert(sizes.begin() + *dim, cut.partials);
  strides.insert(strides.begin() + *dim, strides[*dim] * extent);
  auto layout = StridedLayoutAttr::get(op.getContext(), offset, strides);
  return memref::ReinterpretCastOp::create(
      builder, op.getLoc(),
      MemRefType::get(sizes, type.getElementType(), layout), operand.get(),
      offset, sizes, strides);
}

/// The map of an operand of `op` where loop 0 runs over parts.
static AffineMap cutMap(linalg::GenericOp op, OpOperand &operand, Cut cut) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  std::optional<unsigned> dim = findDim(op, operand, cut.loop);
  if (op.isDpsInit(&operand))
    dim = 0; // whose partial sums follow each other
  SmallVector<AffineExpr> results(map.shiftDims(1).getResults());
  AffineExpr part = getAffineDimExpr(0, op.getContext());
  if (dim)
    results.insert(results.begin() + *dim, part);
  return AffineMap::get(map.getNumDims() + 1, /*symbolCount=*/0, results,
                        op.getContext());
}

void ShareReductions::share(linalg::GenericOp op) {
  std::optional<Cut> cut = chooseCut(op);
  if (!cut)
    return;
  int64_t extentOfPart = op.getStaticLoopRanges()[cut->loop] / cut->partials;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> inputs, partials;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(cutView(builder, op, *input, *cut));
    maps.push_back(cutMap(op, *input, *cut));
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    auto type = cast<MemRefType>(output.get().getType());
    SmallVector<int64_t> sizes(type.getShape());
    sizes.insert(sizes.begin(), cut->partials);
    Value memory = memref::AllocOp::create(
        builder, loc, MemRefType::get(sizes, type.getElementType()));
    Operation *combiner =
        findCombiner(op, output.getOperandNumber() - op.getNumDpsInputs());
    Value neutral = arith::ConstantOp::create(
        builder, loc, *arith::getNeutralElement(combiner));
    linalg::FillOp::create(builder, loc, neutral, memory);
    partials.push_back(memory);
    maps.push_back(cutMap(op, output, *cut));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  auto sums = linalg::GenericOp::create(builder, loc, inputs, partials, maps,
                                        iterators);
  sums.getRegion().takeBody(op.getRegion());
  // Indices of the loops, all of which have moved.
  SmallVector<linalg::IndexOp> indices(
      sums.getBody()->getOps<linalg::IndexOp>());
  for (linalg::IndexOp index : indices) {
    bool isCut = index.getDim() == cut->loop;
    index.setDim(index.getDim() + 1);
    if (!isCut)
      continue;
    OpBuilder inner(index->getContext());
    inner.setInsertionPointAfter(index);
    Value part = linalg::IndexOp::create(inner, loc, 0);
    Value extent = arith::ConstantIndexOp::create(inner, loc, extentOfPart);
    Value first = arith::MulIOp::create(inner, loc, part, extent);
    auto whole = arith::AddIOp::create(inner, loc, first, index);
    index.getResult().replaceAllUsesExcept(whole, whole);
  }
  for (auto [number, memory] : llvm::enumerate(partials)) {
    Operation *combiner = findCombiner(sums, number);
    combinePartials(builder, loc, memory, op.getDpsInits()[number],
                    /*adds=*/true,
                    [&](OpBuilder &inner, Value a, Value b) -> Value {
                      return inner
                          .create(loc, combiner->getName().getIdentifier(),
                                  {a, b}, {a.getType()}, combiner->getAttrs())
                          ->getResult(0);
                    });
  }
  op.erase();
}

void ShareReductions::share(ContractionOpInterface op) {
  std::optional<TapSum> sum = getTapSum(op);
  auto type = dyn_cast<MemRefType>(op.getC().getType());
  if (!sum || !sum->isWeightGradient || !type || !rt::isDense(type) ||
      op.getPartials())
    return;
  auto base = cast<MemRefType>(getViewedBuffer(op.getC()).getType());
  if (base.getNumElements() != type.getNumElements())
    return;
  auto estimate = [&](int64_t partials) {
    TapSum cut = *sum;
    cut.partials = partials;
    std::vector<TapSumPlan> plans =
        planTapSum(cut, registers, shares, /*count=*/1);
    if (plans.empty())
      return std::numeric_limits<double>::infinity();
    return estimateGradientTime(cut, plans.front(), shares);
  };
  constexpr double kWorthwhile = 0.95;
  double least = kWorthwhile * estimate(1);
  int64_t best = 1;
  bool isForced = tilingPolicy == TilingPolicy::Always;
  for (int64_t partials = 2; partials <= std::min(shares, kMaxPartials);
       ++partials) {
    double time = estimate(partials);
    if (time < least || (isForced && std::isfinite(time))) {
      least = time;
      best = partials;
    }
  }
  if (best == 1)
    return;
  OpBuilder builder(op);
  auto memory =
      MemRefType::get({best, type.getNumElements()}, builder.getF32Type());
  op.getPartialsMutable().assign(
      memref::AllocOp::create(builder, op.getLoc(), memory));
}
