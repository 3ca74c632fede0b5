#include "compiler/lowering/cpu/VectorNest.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace boostc;

/// Vectors of an iteration, whose chains of operations do not wait for each
/// other.
constexpr int64_t kVectors = 4;

static bool canBeLane(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8;
}

Operation *boostc::findCombiner(linalg::GenericOp op, unsigned number) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), number, combiners) ||
      combiners.size() != 1 || !linalg::getCombinerOpKind(combiners.front()) ||
      !arith::getNeutralElement(combiners.front()))
    return nullptr;
  Operation *combiner = combiners.front();
  bool isExact = isa<IntegerType>(combiner->getResult(0).getType()) ||
                 isa<arith::MaximumFOp, arith::MinimumFOp>(combiner);
  auto flags = dyn_cast<arith::ArithFastMathInterface>(combiner);
  bool isFree =
      flags && bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                  arith::FastMathFlags::reassoc);
  return isExact || isFree ? combiner : nullptr;
}

static bool isBodyMappable(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<linalg::IndexOp>(inner) ||
           (inner.getNumRegions() == 0 &&
            OpTrait::hasElementwiseMappableTraits(&inner));
  });
}

/// Whether a lane that holds nothing may divide by zero.
static bool mayTrap(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->getOperations(), [](Operation &inner) {
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
               arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
               inner) &&
           !matchPattern(inner.getOperand(1), m_Constant());
  });
}

/// The loops and offsets of `op`; nothing when it cannot be made of vectors.
static std::optional<VectorNest::Part>
analyze(linalg::GenericOp op, const LoopOrder &order, bool isSplit) {
  if (order.loops.empty() || !isBodyMappable(op))
    return std::nullopt;
  VectorNest::Part part{op, {}, {}, {}, order.loops.back(), false, {}};
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool isSummed = iterators[part.vectorLoop] == utils::IteratorType::reduction;
  int64_t terms = 1;
  for (unsigned loop : order.loops) {
    if (iterators[loop] == utils::IteratorType::parallel) {
      part.outer.push_back(loop);
    } else {
      part.reductions.push_back(loop);
      terms *= part.getExtent(loop);
    }
  }
  part.hasPartialSums = !isSummed && terms > kMaxTerms;
  // Pieces of the vector loop need not be whole vectors, which long sums are
  // worth.
  if (isSplit && order.shared == part.vectorLoop && !part.hasPartialSums)
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    bool isOutput = op.isDpsInit(&operand);
    bool isRead = !op.getMatchingBlockArgument(&operand).use_empty();
    part.offsets.emplace_back();
    if (!type || (!isOutput && !isRead))
      continue;
    std::optional<LinearIndex> offset = getOffset(op, operand);
    if (!offset || !canBeLane(type.getElementType()))
      return std::nullopt;
    int64_t step = (*offset)[part.vectorLoop];
    if (isOutput ? step != (isSummed ? 0 : 1) : step != 0 && step != 1)
      return std::nullopt;
    if (isOutput && !part.reductions.empty() && !isRead)
      return std::nullopt;
    // What moves along a reduction is scattered, no sum to be kept.
    if (isOutput && llvm::any_of(part.reductions, [&](unsigned loop) {
          return (*offset)[loop] != 0;
        }))
      return std::nullopt;
    part.offsets.back() = std::move(offset);
  }
  if (isSummed || part.hasPartialSums)
    for (int64_t number = 0; number < op.getNumDpsInits(); ++number)
      if (!findCombiner(op, number))
        return std::nullopt;
  return part;
}

/// Loops over elements that follow each other in memory, of every operand, are
/// as good as one loop: what is short by itself, as the taps of a kernel are,
/// fills vectors then.
unsigned VectorNest::countFoldable(const Part &part) const {
  auto hasIndex = [&](unsigned loop) {
    linalg::GenericOp op = part.op;
    return llvm::any_of(
        op.getBody()->getOps<linalg::IndexOp>(),
        [&](linalg::IndexOp index) { return index.getDim() == loop; });
  };
  ArrayRef<unsigned> loops = part.getVectorLoops().drop_back();
  // Threads have pieces of the outermost one.
  if (isSplit && !isSummed)
    loops = loops.drop_front(loops.empty() ? 0 : 1);
  if (hasIndex(part.vectorLoop))
    return 0;
  unsigned count = 0;
  int64_t extent = part.getExtent(part.vectorLoop);
  for (unsigned loop : llvm::reverse(loops)) {
    for (const std::optional<LinearIndex> &offset : part.offsets)
      if (offset && !offset->isContinued(loop, part.vectorLoop, extent))
        return count;
    if (hasIndex(loop))
      return count;
    extent *= part.getExtent(loop);
    ++count;
  }
  return count;
}

int64_t VectorNest::Part::getVectorExtent(unsigned folded) const {
  int64_t extent = 1;
  for (unsigned loop : getVectorLoops().take_back(folded + 1))
    extent *= getExtent(loop);
  return extent;
}

bool VectorNest::chooseVectors(unsigned count) {
  int64_t extent = parts.back().getVectorExtent(count);
  int64_t fitting = chooseLanes(extent, limits.lanes);
  bool isMasked = extent % fitting != 0 || cutsVectors;
  if (fitting < 2 ||
      (isMasked &&
       llvm::any_of(parts, [](const Part &part) { return mayTrap(part.op); })))
    return false;
  // A sum of less than a vector is not worth what lanes that are not there cost.
  if (isMasked && isSummed && extent < fitting)
    return false;
  folded = count;
  lanes = fitting;
  // Pieces of the loop are short, and each of their sums runs through all of
  // memory: the more vectors are side by side, the fewer pages it reads a
  // little of. Where there are masks, the last vectors may be empty.
  int64_t all = llvm::divideCeil(
      cutsVectors ? llvm::divideCeil(extent, limits.shares) : extent, lanes);
  auto isFine = [&](int64_t count) {
    int64_t empty = llvm::alignTo(all, count) - all;
    return empty == 0 || (isMasked && 4 * empty <= all);
  };
  vectors = cutsVectors ? limits.sideBySide : kVectors;
  while (!isFine(vectors))
    --vectors;
  return true;
}

std::optional<VectorNest> VectorNest::create(linalg::GenericOp op,
                                             const LoopOrder &order,
                                             const VectorLimits &limits,
                                             bool isSplit) {
  std::optional<Part> part = analyze(op, order, isSplit);
  if (!part)
    return std::nullopt;
  VectorNest nest;
  nest.limits = limits;
  nest.isSummed = part->isSummed();
  nest.cutsVectors = isSplit && order.shared == part->vectorLoop;
  for (unsigned loop : part->outer)
    nest.extents.push_back(part->getExtent(loop));
  nest.isSplit = isSplit;
  if (isSplit && (part->outer.empty() || order.shared != part->outer.front()))
    return std::nullopt;
  nest.folded = nest.countFoldable(*part);
  // No more loops than fill four vectors.
  for (unsigned count = 0; count < nest.folded; ++count)
    if (part->getVectorExtent(count) % (kVectors * limits.lanes) == 0)
      nest.folded = count;
  if (!nest.take(std::move(*part)))
    return std::nullopt;
  return nest;
}

bool VectorNest::take(Part part) {
  unsigned most = std::min(folded, countFoldable(part));
  parts.push_back(std::move(part));
  for (unsigned count = most + 1; count-- > 0;)
    if (chooseVectors(count))
      return true;
  parts.pop_back();
  return false;
}

/// Whether `a` and `b` touch each buffer that one of them writes in the same
/// iteration of the nest's `loops` loops.
static bool touchAlike(const VectorNest::Part &a, const VectorNest::Part &b,
                       unsigned loops) {
  auto isConstantInside = [](const VectorNest::Part &part,
                             const LinearIndex &offset) {
    auto isZero = [&](unsigned loop) { return offset[loop] == 0; };
    return llvm::all_of(part.inner, isZero) &&
           llvm::all_of(part.reductions, isZero);
  };
  linalg::GenericOp opA = a.op, opB = b.op;
  for (OpOperand &x : opA->getOpOperands())
    for (OpOperand &y : opB->getOpOperands()) {
      const std::optional<LinearIndex> &first = a.offsets[x.getOperandNumber()];
      const std::optional<LinearIndex> &second =
          b.offsets[y.getOperandNumber()];
      if (!first || !second || !(opA.isDpsInit(&x) || opB.isDpsInit(&y)) ||
          getViewedBuffer(x.get()) != getViewedBuffer(y.get()))
        continue;
      if (first->constant != second->constant || !isConstantInside(a, *first) ||
          !isConstantInside(b, *second))
        return false;
      for (unsigned loop = 0; loop < loops; ++loop)
        if ((*first)[a.outer[loop]] != (*second)[b.outer[loop]])
          return false;
    }
  return true;
}

bool VectorNest::feed(Part sum) {
  Part whole = sum;
  whole.outer.append(whole.reductions);
  whole.reductions.clear();
  if (whole.outer.size() != extents.size())
    return false;
  for (auto [loop, extent] : llvm::zip_equal(whole.outer, extents))
    if (whole.getExtent(loop) != extent)
      return false;
  for (const Part &part : parts)
    if (!part.inner.empty() || !part.reductions.empty() ||
        !touchAlike(part, whole, extents.size()))
      return false;
  isSummed = true;
  if (!take(std::move(sum))) {
    isSummed = false;
    return false;
  }
  extents.truncate(parts.back().outer.size());
  return true;
}

bool VectorNest::join(linalg::GenericOp op, const LoopOrder &order) {
  std::optional<Part> part = analyze(op, order, isSplit);
  if (!part || isSummed || part->outer.empty() ||
      (isSplit && order.shared != part->outer.front()))
    return false;
  if (part->isSummed())
    return feed(std::move(*part));
  if (part->outer.size() < extents.size())
    return false;
  // Loops that the nest has not go inside, before the vectors.
  auto firstInner = part->outer.begin() + extents.size() - 1;
  part->inner.assign(firstInner, part->outer.end() - 1);
  part->outer.erase(firstInner, part->outer.end() - 1);
  for (auto [loop, extent] : llvm::zip_equal(part->outer, extents))
    if (part->getExtent(loop) != extent)
      return false;
  for (const Part &other : parts)
    if (!touchAlike(other, *part, extents.size()))
      return false;
  return take(std::move(*part));
}
