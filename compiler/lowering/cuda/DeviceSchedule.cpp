#include "compiler/lowering/cuda/DeviceSchedule.h"
#include "compiler/lowering/cuda/EqualUnits.h"
#include "compiler/lowering/cuda/FlatNest.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/LibraryCalls.h"

using namespace mlir;
using namespace boostc;

/// Kernels take 4 KiB of parameters, and code grows with the nests.
static constexpr size_t kMaxBuffers = 256, kMaxNests = 64;

/// Iterations of a nest that a single block may have: what a launch costs. On
/// an H200 a launch in a graph took some 2 us, and each round of a block's
/// threads 0.3 to 0.4 us.
static constexpr int64_t kSmallWork = 1024;

static bool meets(const llvm::SetVector<rt::BufferOp> &written,
                  const llvm::SetVector<rt::BufferOp> &touched) {
  return llvm::any_of(written, [&](rt::BufferOp a) {
    return llvm::any_of(touched, [&](rt::BufferOp b) { return overlap(a, b); });
  });
}

/// Whether one must wait for the other.
static bool conflicts(const DeviceUnit &a, const DeviceUnit &b) {
  return meets(a.written, b.touched) || meets(b.written, a.touched);
}

/// Whether a single block may do it, among others. Tiled contractions, and what
/// whole blocks do, are for as many blocks as they ask for.
static bool isSmall(const DeviceUnit &unit) {
  return llvm::all_of(unit.nests, [](const GridNest &nest) {
    return !nest.plan.tiling && nest.plan.blocks == 0 &&
           nest.countIterations() <= kSmallWork;
  });
}

llvm::SetVector<rt::BufferOp> DeviceKernel::getBuffers() const {
  llvm::SetVector<rt::BufferOp> buffers;
  for (const DeviceUnit &unit : units)
    for (rt::BufferOp buffer : unit.touched)
      if (buffer != unit.scratch)
        buffers.insert(buffer);
  return buffers;
}

/// Whether `kernel` has room for `unit`, and is one of the same variants.
static bool takes(const DeviceKernel &kernel, const DeviceUnit &unit) {
  if (kernel.isFallback)
    return false;
  if (!kernel.units.empty() && kernel.units.front().variants != unit.variants)
    return false;
  size_t nests = 0;
  for (const DeviceUnit &other : kernel.units)
    nests += other.nests.size();
  return nests < kMaxNests &&
         kernel.getBuffers().size() + unit.touched.size() <= kMaxBuffers;
}

static std::pair<unsigned, uint64_t> getSlot(rt::BufferOp buffer) {
  return {static_cast<unsigned>(buffer.getArena()), buffer.getOffset()};
}

BufferUsers::BufferUsers(train::ProgramOp program) {
  for (auto function : program.getOps<func::FuncOp>()) {
    for (auto buffer : function.getOps<rt::BufferOp>()) {
      llvm::SmallBitVector &own = users[getSlot(buffer)];
      own.resize(functions + 1);
      own.set(functions);
    }
    ++functions;
  }
}

llvm::SmallBitVector
BufferUsers::getCommon(ArrayRef<rt::BufferOp> buffers) const {
  llvm::SmallBitVector common(functions, true);
  for (rt::BufferOp buffer : buffers) {
    llvm::SmallBitVector own = users.lookup(getSlot(buffer));
    own.resize(functions);
    common &= own;
  }
  return common;
}

/// Those of `unit` by which it is about parameters.
static SmallVector<rt::BufferOp> getParameterBuffers(const DeviceUnit &unit) {
  SmallVector<rt::BufferOp> found;
  for (rt::BufferOp buffer : unit.touched)
    if (isAboutParameters(buffer, unit.written.contains(buffer)))
      found.push_back(buffer);
  return found;
}

bool DeviceSchedule::haveEqualUsers(const DeviceUnit &a,
                                    const DeviceUnit &b) const {
  SmallVector<rt::BufferOp> ofA = getParameterBuffers(a),
                            ofB = getParameterBuffers(b);
  if (ofA.empty() || ofB.empty())
    return ofA.empty() && ofB.empty();
  return users->getCommon(ofA) == users->getCommon(ofB);
}

bool DeviceSchedule::canJoin(const DeviceKernel &kernel,
                             const DeviceUnit &unit) const {
  if (!takes(kernel, unit))
    return false;
  if (kernel.units.empty())
    return true;
  const DeviceUnit &first = kernel.units.front();
  // An inversion has few blocks, and each takes long: all run at the same time,
  // of whatever they are, and nothing else waits for them.
  if (first.worksAsBlock() || unit.worksAsBlock())
    return first.worksAsBlock() && unit.worksAsBlock();
  if (!users)
    return true;
  return haveEqualUsers(first, unit) &&
         (getParameterBuffers(unit).empty() || areAlike(first, unit));
}

/// `nest` alone, and the buffers that it touches.
static DeviceUnit makeUnit(GridNest nest,
                           const llvm::SmallBitVector &variants) {
  DeviceUnit unit;
  unit.variants = variants;
  for (const GridNest::Member &member : nest.members)
    for (const KernelBody::Access &access : member.body->accesses) {
      rt::BufferOp base = getBase(access.buffer);
      unit.touched.insert(base);
      if (access.isWritten)
        unit.written.insert(base);
    }
  unit.nests.push_back(std::move(nest));
  return unit;
}

/// One for each kernel body of `op`.
static FailureOr<std::vector<DeviceUnit>>
makeUnits(Operation *op, const llvm::SmallBitVector &variants,
          const IRMapping &buffers, TilingPolicy tilingPolicy) {
  FailureOr<std::vector<PlannedBody>> parts =
      buildKernelBodies(op, buffers, tilingPolicy);
  if (failed(parts))
    return failure();
  std::vector<DeviceUnit> units;
  for (auto [number, part] : llvm::enumerate(*parts)) {
    part.body->op = op;
    part.body->part = static_cast<unsigned>(number);
    for (const KernelBody::Access &access : part.body->accesses)
      if (!getBase(access.buffer))
        return op->emitOpError("operand is not a planned buffer: ")
               << access.buffer;
    DeviceUnit unit =
        makeUnit({std::move(part.body), std::move(part.plan)}, variants);
    if (Value scratch = getLibraryScratch(op)) {
      unit.scratch = getBase(scratch);
      if (!unit.scratch)
        return op->emitOpError("operand is not a planned buffer: ") << scratch;
      unit.touched.insert(unit.scratch);
      unit.written.insert(unit.scratch);
    }
    units.push_back(std::move(unit));
  }
  return units;
}

bool DeviceSchedule::append(DeviceKernel &kernel, DeviceUnit &unit) {
  // A kernel promises that its buffers do not overlap: two that lie in the same
  // memory at different times are for different kernels.
  for (rt::BufferOp a : kernel.getBuffers())
    for (rt::BufferOp b : unit.touched)
      if (a != b && overlap(a, b))
        return false;
  // The unit joins the first that it waits for; insert() has found one.
  std::vector<DeviceUnit> &units = kernel.units;
  size_t firstNumber = 0;
  while (!conflicts(units[firstNumber], unit))
    ++firstNumber;
  DeviceUnit &first = units[firstNumber];
  SmallVector<size_t> others; // that it waits for, too
  for (size_t number = firstNumber + 1; number < units.size(); ++number)
    if (conflicts(units[number], unit))
      others.push_back(number);
  // What comes after units about one parameter may follow them in their kernel;
  // what is about parameters follows none that is for other functions, and what
  // follows several would have the kernels of all of them differ by function.
  if (users && (!others.empty() || !getParameterBuffers(unit).empty())) {
    others.push_back(firstNumber);
    if (llvm::any_of(others, [&](size_t number) {
          return !haveEqualUsers(units[number], unit);
        }))
      return false;
    others.pop_back();
  }
  GridNest &nest = unit.nests.front();
  // A chain has one block, which large work would wait for.
  if (!others.empty() || (first.isChain() && !isSmall(unit)) ||
      !first.nests.back().join(nest.members.front().body, nest.plan)) {
    if (!isSmall(unit) || !isSmall(first) ||
        llvm::any_of(others,
                     [&](size_t number) { return !isSmall(units[number]); }))
      return false;
    // Those it needs do not need each other: any order does.
    for (size_t number : llvm::reverse(others)) {
      DeviceUnit &other = units[number];
      llvm::move(other.nests, std::back_inserter(first.nests));
      first.touched.insert_range(other.touched);
      first.written.insert_range(other.written);
      units.erase(units.begin() + number);
    }
    first.nests.push_back(std::move(nest));
  }
  first.touched.insert_range(unit.touched);
  first.written.insert_range(unit.written);
  return true;
}

LogicalResult DeviceSchedule::add(Operation *op,
                                  const llvm::SmallBitVector &variants) {
  FailureOr<std::vector<DeviceUnit>> units =
      makeUnits(op, variants, buffers, tilingPolicy);
  if (failed(units))
    return failure();
  for (DeviceUnit &unit : *units)
    insert(op, unit);
  return success();
}

void DeviceSchedule::insert(Operation *op, DeviceUnit &unit) {
  // The last kernel with something to wait for.
  size_t at = kernels.size();
  while (at > 0 &&
         llvm::none_of(kernels[at - 1].units, [&](const DeviceUnit &other) {
           return conflicts(other, unit);
         }))
    --at;
  if (unit.scratch) {
    auto call = kernels.emplace(kernels.begin() + at);
    call->isFallback = true;
    call->units.push_back(std::move(unit));
    call->ops.push_back(op);
    return;
  }
  if (at > 0 && takes(kernels[at - 1], unit) && append(kernels[at - 1], unit)) {
    kernels[at - 1].ops.push_back(op);
    return;
  }
  while (at < kernels.size() && !canJoin(kernels[at], unit))
    ++at;
  if (at == kernels.size())
    kernels.emplace_back();
  kernels[at].units.push_back(std::move(unit));
  kernels[at].ops.push_back(op);
}

DeviceKernel *DeviceSchedule::findLater(size_t kernel, const DeviceUnit &unit) {
  for (DeviceKernel &later : llvm::drop_begin(kernels, kernel + 1)) {
    if (llvm::any_of(later.units, [&](const DeviceUnit &other) {
          return conflicts(other, unit);
        }))
      return nullptr;
    if (canJoin(later, unit))
      return &later;
  }
  return nullptr;
}

void DeviceSchedule::spreadChain(size_t kernel, DeviceUnit &chain) {
  std::vector<DeviceUnit> staying; // the last first
  for (GridNest &nest : llvm::reverse(chain.nests)) {
    DeviceUnit unit = makeUnit(std::move(nest), chain.variants);
    // What this kernel needs, and gradients, which ranks wait for.
    bool isAwaited = llvm::any_of(staying,
                                  [&](const DeviceUnit &other) {
                                    return conflicts(other, unit);
                                  }) ||
                     llvm::any_of(unit.written, [](rt::BufferOp buffer) {
                       return buffer.getArena() == rt::Arena::Gradient;
                     });
    DeviceKernel *later = isAwaited ? nullptr : findLater(kernel, unit);
    if (!later) {
      staying.push_back(std::move(unit));
      continue;
    }
    for (const GridNest::Member &member : unit.nests.front().members) {
      llvm::erase(kernels[kernel].ops, member.body->op);
      later->ops.push_back(member.body->op);
    }
    later->units.push_back(std::move(unit));
  }
  chain.nests.clear();
  chain.touched.clear();
  chain.written.clear();
  for (DeviceUnit &unit : llvm::reverse(staying)) {
    chain.nests.push_back(std::move(unit.nests.front()));
    chain.touched.insert_range(unit.touched);
    chain.written.insert_range(unit.written);
  }
}

void DeviceSchedule::spreadChains() {
  for (size_t number = kernels.size(); number-- > 0;) {
    std::vector<DeviceUnit> &units = kernels[number].units;
    for (DeviceUnit &unit : units)
      if (unit.isChain())
        spreadChain(number, unit);
    llvm::erase_if(units,
                   [](const DeviceUnit &unit) { return unit.nests.empty(); });
  }
  llvm::erase_if(
      kernels, [](const DeviceKernel &kernel) { return kernel.units.empty(); });
}

std::vector<DeviceKernel> DeviceSchedule::take() {
  spreadChains();
  for (DeviceKernel &kernel : kernels)
    for (DeviceUnit &unit : kernel.units)
      llvm::for_each(unit.nests, flatten);
  return std::exchange(kernels, {});
}
