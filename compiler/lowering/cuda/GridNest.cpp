#include "compiler/lowering/cuda/GridNest.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <numeric>

using namespace mlir;
using namespace boostc;

Value KernelBody::emitNeutral(OpBuilder &, unsigned) {
  llvm_unreachable("the reduction cannot be split");
}
Value KernelBody::emitCombined(OpBuilder &, unsigned, Value, Value) {
  llvm_unreachable("the reduction cannot be split");
}

void KernelBody::flatten(int64_t) {
  llvm_unreachable("iterations need their indices");
}

void KernelBody::emitBlock(OpBuilder &, gpu::GPUFuncOp, Value, Value) {
  llvm_unreachable("the plan has tiles");
}

static int64_t countIterations(const KernelBody &body, bool isReduction) {
  int64_t iterations = 1;
  for (const KernelBody::Loop &loop : body.loops)
    if (loop.isReduction == isReduction)
      iterations *= loop.extent;
  return iterations;
}

int64_t KernelBody::countOutputElements() const {
  return ::countIterations(*this, /*isReduction=*/false);
}

int64_t KernelBody::countTerms() const {
  return ::countIterations(*this, /*isReduction=*/true);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int64_t GridPlan::getItemsPerBlock() const { return kBlockThreads / lanes; }

int64_t GridPlan::countBlocks() const {
  if (tiling)
    return tiling->countBlocks();
  if (blocks > 0)
    return blocks;
  return llvm::divideCeil(items, getItemsPerBlock());
}

GridPlan boostc::planGrid(const KernelBody &body, ArrayRef<unsigned> order) {
  // Threads that keep a large GPU busy, and terms that are worth the exchange
  // between lanes.
  constexpr int64_t kManyThreads = 8192, kManyTerms = 64, kFewWarps = 512;
  GridPlan plan;
  for (unsigned loop : order)
    (body.loops[loop].isReduction ? plan.reductions : plan.parallel)
        .push_back(loop);
  plan.tile.assign(body.loops.size(), 1);
  plan.items = body.countOutputElements();
  int64_t terms = body.countTerms();
  if (body.isSplittable() && terms >= kManyTerms && plan.items < kManyThreads)
    plan.lanes = plan.items < kFewWarps && terms >= 4 * kBlockThreads
                     ? kBlockThreads
                     : kWarpThreads;
  return plan;
}

void boostc::setTile(GridPlan &plan, [[maybe_unused]] const KernelBody &body,
                     unsigned loop, int64_t extent) {
  assert(plan.tile[loop] == 1 && body.loops[loop].extent % extent == 0);
  plan.tile[loop] = extent;
  plan.items /= extent;
}

void boostc::setVectorTile(GridPlan &plan, const KernelBody &body) {
  constexpr int64_t kVectorElements = 4;
  // Less work than this is spread over as many threads as there are outputs.
  constexpr int64_t kManyItems = 8192;
  if (plan.reductions.empty() && !plan.parallel.empty() &&
      plan.items >= kManyItems &&
      body.loops[plan.parallel.back()].extent % kVectorElements == 0)
    setTile(plan, body, plan.parallel.back(), kVectorElements);
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

GridNest::GridNest(std::unique_ptr<KernelBody> body, GridPlan plan)
    : plan(std::move(plan)) {
  Member member{std::move(body), {}};
  for (unsigned loop = 0; loop < member.body->loops.size(); ++loop)
    member.loops.push_back(loop);
  members.push_back(std::move(member));
}

int64_t GridNest::countIterations() const {
  return getMain().countOutputElements() * getMain().countTerms();
}

using LoopMap = SmallVector<std::optional<unsigned>>;

/// `offset` by the loops of the main body; none when it has a loop of its own.
static std::optional<LinearIndex>
translate(const std::optional<LinearIndex> &offset, const KernelBody &body,
          const LoopMap &loops, size_t mainLoops) {
  if (!offset)
    return std::nullopt;
  LinearIndex result{offset->constant, SmallVector<int64_t>(mainLoops, 0)};
  for (auto [number, loop] : llvm::enumerate(body.loops)) {
    if (loop.extent == 1 || (*offset)[number] == 0)
      continue;
    if (loop.isReduction || !loops[number])
      return std::nullopt;
    result.coefficients[*loops[number]] += (*offset)[number];
  }
  return result;
}

static bool isShared(const KernelBody::Access &a, const KernelBody::Access &b) {
  return (a.isWritten || b.isWritten) &&
         overlap(getBase(a.buffer), getBase(b.buffer));
}

/// Which loop of `main` each parallel loop of `body` is, when both run through
/// the same elements in `a` and `b`; none when they do not.
static std::optional<LoopMap> matchLoops(const KernelBody &main,
                                         const LinearIndex &a,
                                         const KernelBody &body,
                                         const LinearIndex &b) {
  LoopMap map(body.loops.size());
  SmallVector<bool> isTaken(main.loops.size(), false);
  if (a.constant != b.constant)
    return std::nullopt;
  for (auto [number, loop] : llvm::enumerate(body.loops)) {
    if (loop.isReduction || loop.extent == 1)
      continue;
    for (auto [other, mainLoop] : llvm::enumerate(main.loops))
      if (!isTaken[other] && !mainLoop.isReduction &&
          mainLoop.extent == loop.extent && a[other] == b[number] &&
          b[number] != 0 && !map[number]) {
        isTaken[other] = true;
        map[number] = other;
      }
    if (!map[number])
      return std::nullopt;
  }
  for (auto [other, loop] : llvm::enumerate(main.loops))
    if (!loop.isReduction && loop.extent > 1 && !isTaken[other])
      return std::nullopt;
  return map;
}

bool GridNest::join(std::unique_ptr<KernelBody> &body,
                    const GridPlan &bodyPlan) {
  KernelBody &old = getMain();
  bool reduces = body->countTerms() > 1;
  if (reduces && old.countTerms() > 1)
    return false;
  // The first buffer they share says which outputs are the same.
  std::optional<LoopMap> map;
  for (const Member &member : members)
    for (const KernelBody::Access &a : member.body->accesses)
      for (const KernelBody::Access &b : body->accesses) {
        std::optional<LinearIndex> offset =
            translate(a.offset, *member.body, member.loops, old.loops.size());
        if (!map && isShared(a, b) && offset && b.offset)
          map = matchLoops(old, *offset, *body, *b.offset);
      }
  if (!map)
    return false;
  for (const Member &member : members)
    for (const KernelBody::Access &a : member.body->accesses)
      for (const KernelBody::Access &b : body->accesses) {
        if (!isShared(a, b))
          continue;
        std::optional<LinearIndex> first =
            translate(a.offset, *member.body, member.loops, old.loops.size());
        std::optional<LinearIndex> second =
            translate(b.offset, *body, *map, old.loops.size());
        if (getBase(a.buffer) != getBase(b.buffer) || !first || !second ||
            first->constant != second->constant ||
            first->coefficients != second->coefficients)
          return false;
        // Lanes reduce before one of them runs the members before the main one:
        // what those write is there for its start, not for its terms.
        if (reduces && bodyPlan.lanes > 1 && a.isWritten && !b.isWritten)
          return false;
      }
  if (!reduces) {
    members.push_back({std::move(body), std::move(*map)});
    return true;
  }
  // The one that reduces leads: the others' loops become its.
  LoopMap inverse(old.loops.size());
  for (auto [number, loop] : llvm::enumerate(*map))
    if (loop)
      inverse[*loop] = number;
  for (Member &member : members)
    for (std::optional<unsigned> &loop : member.loops)
      loop = loop ? inverse[*loop] : std::nullopt;
  GridNest own(std::move(body), bodyPlan);
  main = members.size();
  members.push_back(std::move(own.members.front()));
  plan = bodyPlan;
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What a thread loads or stores at most at once.
static constexpr int64_t kVectorBytes = 16;

int64_t boostc::getUsefulAlignment(Type type) {
  return std::gcd(countBytes(type), kVectorBytes);
}

Value boostc::addSharedMemory(gpu::GPUFuncOp kernel, Location loc,
                              int64_t elements, Type type) {
  MLIRContext *context = kernel.getContext();
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  Value memory = kernel.addWorkgroupAttribution(
      MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space),
      loc);
  kernel.setWorkgroupAttributionAttr(
      kernel.getNumWorkgroupAttributions() - 1,
      LLVM::LLVMDialect::getAlignAttrName(),
      IntegerAttr::get(IntegerType::get(context, 64), kVectorBytes));
  return memory;
}
