#include "compiler/lowering/cpu/KernelGroup.h"
#include "compiler/lowering/cpu/VectorNest.h"
#include "compiler/lowering/kernels/KernelOps.h"

using namespace mlir;
using namespace boostc;

static bool writes(const KernelPart &part, rt::BufferOp base) {
  linalg::GenericOp op = part.op;
  return llvm::any_of(op.getDpsInits(),
                      [&](Value init) { return getBase(init) == base; });
}

FailureOr<KernelPart> boostc::analyzePart(linalg::GenericOp op,
                                          bool sortsParameters,
                                          int64_t threads) {
  KernelPart part{op, chooseLoopOrder(op, threads)};
  for (int64_t extent : op.getStaticLoopRanges())
    part.work *= extent;
  if (part.order.shared)
    part.extent = op.getStaticLoopRanges()[*part.order.shared];
  for (Value operand : op->getOperands()) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    rt::BufferOp base = getBase(operand);
    if (!base)
      return op.emitOpError("operand is not a planned buffer: ") << operand;
    part.buffers.insert(base);
  }
  if (!sortsParameters)
    return part;
  const auto *parameter = llvm::find_if(part.buffers, [&](rt::BufferOp buffer) {
    return isAboutParameters(buffer, writes(part, buffer));
  });
  if (parameter != part.buffers.end())
    part.parameter = *parameter;
  return part;
}

/// How `part` cuts `base`: the distance in memory of neighbouring pieces,
/// when piece [begin, end) touches only elements [begin, end) of one
/// dimension of each operand that lives in `base`; 0 when it does not.
static int64_t findCut(const KernelPart &part, rt::BufferOp base) {
  linalg::GenericOp op = part.op;
  int64_t cut = -1;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || getBase(operand.get()) != base)
      continue;
    auto [strides, offset] = type.getStridesAndOffset();
    int64_t own = 0;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && loop.getPosition() == *part.order.shared &&
          type.getDimSize(dim) == part.extent)
        own = strides[dim];
    // A view may begin inside of a piece but not after one.
    if (own == 0 || offset < 0 || offset >= own || (cut != -1 && own != cut))
      return 0;
    cut = own;
  }
  return cut;
}

static bool touches(const KernelPart &part, rt::BufferOp base) {
  linalg::GenericOp op = part.op;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) && getBase(operand) == base;
  });
}

/// Whether pieces of `a` and `b` are independent of other pieces of both.
static bool isCutAlike(const KernelPart &a, const KernelPart &b) {
  if (!a.order.shared || !b.order.shared || a.extent != b.extent)
    return false;
  return llvm::all_of(b.buffers, [&](rt::BufferOp buffer) {
    return !touches(a, buffer) || !(writes(a, buffer) || writes(b, buffer)) ||
           (findCut(a, buffer) != 0 &&
            findCut(a, buffer) == findCut(b, buffer));
  });
}

/// Whether `part` can share a kernel, cut or not, with the parts of `group`
/// from number `begin` on. Those share one already, whose code is cut or not as
/// the group says: pairs of them are checked only where that changes.
static bool canJoin(const KernelGroup &group, size_t begin,
                    const KernelPart &part, bool isCut) {
  ArrayRef<KernelPart> others = ArrayRef(group.parts).drop_front(begin);
  for (auto [number, other] : llvm::enumerate(others)) {
    if (other.parameter != part.parameter)
      return false;
    for (rt::BufferOp a : other.buffers)
      for (rt::BufferOp b : part.buffers)
        if (a != b && overlap(a, b))
          return false;
    // On one thread ops run in order.
    if (!isCut)
      continue;
    if (!isCutAlike(other, part))
      return false;
    if (!group.isCut &&
        !llvm::all_of(others.take_front(number), [&](const KernelPart &first) {
          return isCutAlike(first, other);
        }))
      return false;
  }
  return true;
}

void KernelGroup::add(KernelPart part, bool isLarge, KernelGroup &done) {
  bool willBeCut = isCut || isLarge;
  // Small ops before a large one that match it become pieces of it.
  size_t begin = 0;
  while (begin < parts.size() && !canJoin(*this, begin, part, willBeCut))
    begin = isCut == willBeCut ? parts.size() : begin + 1;
  done.isCut = isCut;
  isCut = begin == parts.size() ? isLarge : willBeCut;
  done.parts.assign(parts.begin(), parts.begin() + begin);
  parts.erase(parts.begin(), parts.begin() + begin);
  parts.push_back(std::move(part));
}

FailureOr<int64_t> boostc::emitParts(OpBuilder &builder,
                                     ArrayRef<KernelPart> parts,
                                     const VectorLimits &limits,
                                     const IRMapping &buffers, Value begin,
                                     Value end) {
  bool isSplit = static_cast<bool>(begin);
  int64_t least = 1;
  while (!parts.empty()) {
    const KernelPart &first = parts.front();
    parts = parts.drop_front();
    std::optional<VectorNest> nest =
        VectorNest::create(first.op, first.order, limits, isSplit);
    if (!nest) {
      if (failed(
              emitLoops(builder, first.op, buffers, first.order, begin, end)))
        return failure();
      continue;
    }
    while (!parts.empty() && nest->join(parts.front().op, parts.front().order))
      parts = parts.drop_front();
    nest->emit(builder, buffers, begin, end);
    least = std::max(least, nest->getLeastShare());
  }
  return least;
}
