#include "runtime/device/sim/MemoryAccess.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

namespace boostrt::sim {

// A tag of Allocation::tags: launch (bits 40 and up), state (2 bits), block.
// A word goes from untouched to read by one block, by several, written by one,
// or touched by atomics alone; several blocks are block kBlockMask, which none
// is. Whatever the order, the verdict is the same.
namespace {
constexpr uint64_t kStateShift = 38;
constexpr uint64_t kBlockMask = (1ull << kStateShift) - 1;
enum TagState : uint64_t { ReadByOne, ReadByMany, WrittenByOne, ByAtomics };

constexpr uint64_t tagOf(TagState state, uint64_t block) {
  return uint64_t(state) << kStateShift | block;
}

struct TagStep {
  uint64_t next = 0;
  bool race = false;
};

TagStep stepTag(uint64_t tag, uint64_t launch, uint64_t block, Intent intent) {
  bool fresh = tag >> 40 != launch >> 40;
  auto state = static_cast<TagState>(tag >> kStateShift & 3);
  uint64_t owner = tag & kBlockMask;
  bool mine = !fresh && owner == block;
  switch (intent) {
  case Intent::Read:
    if (fresh)
      return {launch | tagOf(ReadByOne, block)};
    // Beside its own atomics a plain read owns the word: what it finds depends
    // on the atomics of other blocks.
    if (mine)
      return {state == ByAtomics ? launch | tagOf(WrittenByOne, block) : tag};
    if (state == ReadByOne)
      return {launch | tagOf(ReadByMany, kBlockMask)};
    return {tag, state != ReadByMany};
  case Intent::Write:
    if (fresh || mine)
      return {launch | tagOf(WrittenByOne, block)};
    return {tag, true};
  case Intent::Atomic:
    // Atomics of several blocks leave the owner open: no plain access may join.
    if (fresh)
      return {launch | tagOf(ByAtomics, block)};
    if (state == ByAtomics)
      return {mine ? tag : launch | tagOf(ByAtomics, kBlockMask)};
    return {launch | tagOf(WrittenByOne, block), !mine};
  }
  return {tag};
}

/// base + offset for any offset: lanes that take no part have some too.
std::byte *hostAt(std::byte *base, uint64_t offset) {
  return reinterpret_cast<std::byte *>(reinterpret_cast<uintptr_t>(base) +
                                       offset);
}

/// The lanes of `mask`, one after the other.
template <class Visit> bool eachLane(uint32_t mask, Visit visit) {
  for (uint32_t left = mask; left; left &= left - 1)
    if (!visit(static_cast<uint32_t>(__builtin_ctz(left))))
      return false;
  return true;
}

class Resolver {
public:
  Resolver(Warp &warp, const Op &op, const uint64_t *address, Intent intent,
           LanePointers &pointers)
      : warp_(warp), op_(op), block_(*warp.block), launch_(*block_.launch),
        address_(address), bytes_(op.access.bytes()), intent_(intent),
        pointers_(pointers) {}

  bool run(Space space, uint32_t mask) {
    switch (space) {
    case Space::Global:
    case Space::Const:
      return global(mask);
    case Space::Shared:
      return shared(mask);
    case Space::Local:
      return local(mask);
    case Space::Param:
      return parameter(mask);
    case Space::Generic:
      return generic(mask);
    }
    return false;
  }

private:
  bool raise(FaultKind kind, uint32_t lane, std::string detail) {
    warp_.raise(kind, lane, address_[lane], bytes_, std::move(detail));
    return false;
  }

  //===--- global ---------------------------------------------------------===//

  Allocation *lookUp(uint64_t address, uint64_t bytes) {
    for (Allocation *recent : block_.recent)
      if (recent && recent->contains(address, bytes))
        return recent;
    Allocation *found = launch_.memory->find(address, bytes);
    if (found) {
      block_.recent[1] = block_.recent[0];
      block_.recent[0] = found;
    }
    return found;
  }

  bool global(uint32_t mask) {
    uint64_t low = ~0ull, high = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint64_t at = address_[i];
      bool active = mask >> i & 1;
      low = active && at < low ? at : low;
      high = active && at > high ? at : high;
    }
    // high - low + bytes cannot wrap: two lanes that far apart share nothing.
    Allocation *common =
        high - low < (1ull << 40) ? lookUp(low, high - low + bytes_) : nullptr;
    if (launch_.bounds && !launch_.request->extents.empty() &&
        !insideExtents(mask, low, high))
      return false;
    if (common) {
      std::byte *base = common->data.get();
      for (uint32_t i = 0; i < kLanes; ++i)
        pointers_.at[i] = hostAt(base, address_[i] - common->address);
      return globalShadow(*common, mask, low, high);
    }
    return eachLane(mask, [&](uint32_t lane) {
      Allocation *own = lookUp(address_[lane], bytes_);
      if (!own)
        return raise(FaultKind::OutOfBounds, lane,
                     launch_.memory->describe(address_[lane], bytes_));
      pointers_.at[lane] = &own->data[address_[lane] - own->address];
      pointers_.contiguous = false;
      return globalShadow(*own, 1u << lane, address_[lane], address_[lane]);
    });
  }

  bool insideExtents(uint32_t mask, uint64_t low, uint64_t high) {
    const auto &extents = launch_.request->extents;
    int32_t own = op_.access.parameter >= 0
                      ? launch_.extentOfParameter[op_.access.parameter]
                      : -1;
    if (own >= 0) {
      const ArgumentExtent &extent = extents[own];
      bool inside = low >= extent.address &&
                    high - extent.address + bytes_ <= extent.bytes;
      if (inside && (intent_ == Intent::Read || !extent.readOnly))
        return true;
      return eachLane(mask,
                      [&](uint32_t lane) { return insideOne(lane, extent); });
    }
    return eachLane(mask, [&](uint32_t lane) {
      const ArgumentExtent *found = nullptr;
      for (const ArgumentExtent &extent : extents)
        if (holds(extent, address_[lane]) && (!found || found->readOnly))
          found = &extent;
      if (found)
        return mayTouch(lane, *found);
      if (isModuleVariable(address_[lane]))
        return true;
      return raise(
          FaultKind::OutOfBounds, lane,
          fmt::format("outside all buffers this launch names; it is {}",
                      launch_.memory->describe(address_[lane], bytes_)));
    });
  }

  bool holds(const ArgumentExtent &extent, uint64_t at) const {
    return at >= extent.address && bytes_ <= extent.bytes &&
           at - extent.address <= extent.bytes - bytes_;
  }

  /// Constants and variables of the module are nobody's argument.
  bool isModuleVariable(uint64_t at) {
    Allocation *found = lookUp(at, bytes_);
    return found && found->moduleVariable;
  }

  bool insideOne(uint32_t lane, const ArgumentExtent &extent) {
    uint64_t at = address_[lane];
    if (!holds(extent, at)) {
      std::string where =
          at < extent.address
              ? fmt::format("{} bytes before the begin of", extent.address - at)
          : at - extent.address < extent.bytes
              ? fmt::format("the last {} bytes of it lie past the end of",
                            at - extent.address + bytes_ - extent.bytes)
              : fmt::format("{} bytes past the end of",
                            at - extent.address - extent.bytes);
      return raise(
          FaultKind::OutOfBounds, lane,
          fmt::format("{} argument {} '{}' ({} bytes at 0x{:x}); it is {}",
                      where, extent.parameter, extent.name, extent.bytes,
                      extent.address, launch_.memory->describe(at, bytes_)));
    }
    return mayTouch(lane, extent);
  }

  /// Of an access that lies in `extent`.
  bool mayTouch(uint32_t lane, const ArgumentExtent &extent) {
    if (intent_ == Intent::Read || !extent.readOnly)
      return true;
    return raise(FaultKind::ReadOnly, lane,
                 fmt::format("byte {} of argument {} '{}', which this kernel "
                             "may only read",
                             address_[lane] - extent.address, extent.parameter,
                             extent.name));
  }

  bool globalShadow(Allocation &allocation, uint32_t mask, uint64_t low,
                    uint64_t high) {
    if (allocation.moduleConstant && intent_ != Intent::Read)
      return eachLane(mask, [&](uint32_t lane) {
        return raise(FaultKind::ReadOnly, lane,
                     launch_.memory->describe(address_[lane], bytes_) +
                         ", which is constant memory");
      });
    // Lanes side by side are one range.
    bool range = pointers_.contiguous || low == high;
    uint64_t begin = low - allocation.address;
    uint64_t extent = high - low + bytes_;
    if (intent_ != Intent::Write && launch_.all &&
        !(range && allocation.isWritten(begin, extent)) &&
        !eachLane(mask, [&](uint32_t lane) {
          if (allocation.isWritten(address_[lane] - allocation.address, bytes_))
            return true;
          return raise(
              FaultKind::Uninitialised, lane,
              fmt::format("nobody wrote all of these bytes: {}",
                          launch_.memory->describe(address_[lane], bytes_)));
        }))
      return false;
    if (intent_ == Intent::Write) {
      if (range)
        allocation.markWritten(begin, extent);
      else
        eachLane(mask, [&](uint32_t lane) {
          allocation.markWritten(address_[lane] - allocation.address, bytes_);
          return true;
        });
    }
    // Parts of a word are not tracked: neighbours may share it rightly.
    if (!launch_.globalRaces || bytes_ < 4 || allocation.moduleConstant)
      return true;
    return eachLane(
        mask, [&](uint32_t lane) { return noteGlobal(allocation, lane); });
  }

  bool noteGlobal(Allocation &allocation, uint32_t lane) {
    uint64_t first = (address_[lane] - allocation.address) / 4;
    for (uint64_t word = first; word < first + bytes_ / 4; ++word) {
      std::atomic_ref tag(allocation.tags[word]);
      uint64_t old = tag.load(std::memory_order_relaxed);
      while (true) {
        TagStep step = stepTag(old, launch_.launchTag, block_.linear, intent_);
        if (step.race)
          return raceAt(lane, old);
        if (step.next == old || tag.compare_exchange_weak(
                                    old, step.next, std::memory_order_relaxed))
          break;
      }
    }
    return true;
  }

  [[gnu::cold]] bool raceAt(uint32_t lane, uint64_t tag) {
    auto state = static_cast<TagState>(tag >> kStateShift & 3);
    uint64_t other = tag & kBlockMask;
    const Dim3 &grid = launch_.grid;
    std::string who =
        state == ReadByMany || other == kBlockMask
            ? "several blocks"
            : fmt::format("block ({},{},{})", other % grid.x,
                          other / grid.x % grid.y, other / grid.x / grid.y);
    const char *did = state == WrittenByOne ? "wrote"
                      : state == ByAtomics  ? "updated atomically"
                                            : "read";
    return raise(FaultKind::GlobalRace, lane,
                 fmt::format("{} {} it in the same launch; blocks run in any "
                             "order; it is {}",
                             who, did,
                             launch_.memory->describe(address_[lane], bytes_)));
  }

  //===--- shared ---------------------------------------------------------===//

  bool shared(uint32_t mask) {
    SharedMemory &memory = block_.shared;
    std::byte *base = memory.data();
    uint64_t highest = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      pointers_.at[i] = hostAt(base, address_[i]);
      uint64_t at = mask >> i & 1 ? address_[i] : 0;
      highest = at > highest ? at : highest;
    }
    if (highest > memory.bytes() || memory.bytes() - highest < bytes_)
      return eachLane(mask, [&](uint32_t lane) {
        uint64_t at = address_[lane];
        return (at <= memory.bytes() && memory.bytes() - at >= bytes_) ||
               raise(FaultKind::OutOfBounds, lane, describeShared(at));
      });
    if (!launch_.all)
      return true;
    uint32_t first = warp_.index * kLanes;
    bool wordRead = bytes_ == 4 && intent_ != Intent::Write;
    return eachLane(mask, [&](uint32_t lane) {
      auto offset = static_cast<uint32_t>(address_[lane]);
      if (intent_ != Intent::Write && !memory.isWritten(offset, bytes_))
        return raise(FaultKind::Uninitialised, lane,
                     "no thread of this block wrote all of these bytes: " +
                         describeShared(offset));
      if (wordRead && memory.isKnownRead(offset, first + lane, warp_.order))
        return true;
      if (intent_ == Intent::Write)
        memory.markWritten(offset, bytes_);
      // Atomics of different threads do not race with each other; with plain
      // accesses they are taken for a read, which finds the writers among them.
      SharedMemory::Conflict other = memory.note(
          offset, bytes_,
          {first + lane, warp_.order, warp_.pc, intent_ == Intent::Write});
      return !other.found || sharedRace(lane, other);
    });
  }

  std::string describeShared(uint64_t at) const {
    const Kernel &kernel = *launch_.kernel;
    for (const PlacedVariable &variable : kernel.shared)
      if (at >= variable.offset && at - variable.offset < variable.bytes)
        return fmt::format("byte {} of shared '{}' ({} bytes)",
                           at - variable.offset, variable.name, variable.bytes);
    if (at >= kernel.sharedBytes && at < block_.shared.bytes())
      return fmt::format("byte {} of the {} bytes of dynamic shared memory",
                         at - kernel.sharedBytes,
                         block_.shared.bytes() - kernel.sharedBytes);
    return fmt::format("byte {} of shared memory; this block has {} bytes",
                       static_cast<int64_t>(at), block_.shared.bytes());
  }

  [[gnu::cold]] bool sharedRace(uint32_t lane,
                                const SharedMemory::Conflict &other) {
    const Dim3 &block = launch_.block;
    std::string who =
        other.oneThread
            ? fmt::format("thread ({},{},{})", other.thread % block.x,
                          other.thread / block.x % block.y,
                          other.thread / block.x / block.y)
            : "several threads";
    const Kernel &kernel = *launch_.kernel;
    return raise(
        FaultKind::SharedRace, lane,
        fmt::format(
            "{} {} it at PTX line {}, and no barrier is between; it is {}", who,
            other.write ? "wrote" : "read",
            kernel.origins[kernel.code[other.pc].origin].line,
            describeShared(address_[lane])));
  }

  //===--- local, parameters, generic -------------------------------------===//

  bool local(uint32_t mask) {
    uint32_t size = launch_.kernel->localBytes;
    pointers_.contiguous = false; // each thread has a piece of its own
    return eachLane(mask, [&](uint32_t lane) {
      uint64_t at = address_[lane];
      if (at > size || size - at < bytes_)
        return raise(FaultKind::OutOfBounds, lane, describeLocal(at, size));
      pointers_.at[lane] = warp_.local + uint64_t(lane) * size + at;
      uint8_t *written = warp_.localWritten + uint64_t(lane) * size + at;
      if (intent_ == Intent::Write) {
        std::memset(written, 1, bytes_);
      } else if (launch_.all) {
        for (uint32_t i = 0; i < bytes_; ++i)
          if (!written[i])
            return raise(FaultKind::Uninitialised, lane,
                         "this thread did not write all of these bytes: " +
                             describeLocal(at, size));
      }
      return true;
    });
  }

  std::string describeLocal(uint64_t at, uint32_t size) const {
    for (const PlacedVariable &variable : launch_.kernel->local)
      if (at >= variable.offset && at - variable.offset < variable.bytes)
        return fmt::format("byte {} of local '{}' ({} bytes)",
                           at - variable.offset, variable.name, variable.bytes);
    return fmt::format("byte {} of local memory; a thread has {} bytes",
                       static_cast<int64_t>(at), size);
  }

  bool parameter(uint32_t mask) {
    std::span<const std::byte> all = launch_.parameters;
    return eachLane(mask, [&](uint32_t lane) {
      uint64_t at = address_[lane];
      if (at > all.size() || all.size() - at < bytes_)
        return raise(
            FaultKind::OutOfBounds, lane,
            fmt::format("byte {} of the parameters, which have {} bytes",
                        static_cast<int64_t>(at), all.size()));
      // Only read: no opcode writes a kernel's parameters.
      pointers_.at[lane] = const_cast<std::byte *>(all.data()) + at;
      return true;
    });
  }

  static Space spaceOf(uint64_t address) {
    if (address - kSharedWindow < kWindowBytes)
      return Space::Shared;
    if (address - kLocalWindow < kWindowBytes)
      return Space::Local;
    if (address - kParamWindow < kWindowBytes)
      return Space::Param;
    return Space::Global;
  }

  bool generic(uint32_t mask) {
    // A space's pointers are set for all lanes, whoever takes part.
    std::byte *merged[kLanes] = {};
    for (Space space :
         {Space::Global, Space::Shared, Space::Local, Space::Param}) {
      uint32_t here = 0;
      for (uint32_t i = 0; i < kLanes; ++i)
        here |= uint32_t(spaceOf(address_[i]) == space) << i;
      here &= mask;
      if (!here)
        continue;
      if (here != mask)
        pointers_.contiguous = false;
      uint64_t base = space == Space::Shared  ? kSharedWindow
                      : space == Space::Local ? kLocalWindow
                      : space == Space::Param ? kParamWindow
                                              : 0;
      if (space == Space::Param && intent_ != Intent::Read)
        return raise(FaultKind::OutOfBounds,
                     static_cast<uint32_t>(__builtin_ctz(here)),
                     "a write to the kernel's parameters");
      alignas(64) uint64_t inside[kLanes];
      for (uint32_t i = 0; i < kLanes; ++i)
        inside[i] = address_[i] - base;
      const uint64_t *outer = address_;
      address_ = inside;
      bool good = run(space, here);
      address_ = outer;
      if (!good)
        return false;
      for (uint32_t i = 0; i < kLanes; ++i)
        merged[i] = here >> i & 1 ? pointers_.at[i] : merged[i];
    }
    std::copy_n(merged, kLanes, pointers_.at);
    return true;
  }

  Warp &warp_;
  const Op &op_;
  Block &block_;
  const LaunchState &launch_;
  const uint64_t *address_;
  uint32_t bytes_;
  Intent intent_;
  LanePointers &pointers_;
};
} // namespace

bool resolveAccess(Warp &warp, const Op &op, uint32_t addressOperand,
                   Intent intent, LanePointers &pointers) {
  alignas(64) uint64_t address[kLanes];
  auto offset = static_cast<uint64_t>(op.offset);
  if (op.access.addressBytes == 8) {
    const uint64_t *base = warp.at<uint64_t>(op.operand[addressOperand]);
    for (uint32_t i = 0; i < kLanes; ++i)
      address[i] = base[i] + offset;
  } else {
    const uint32_t *base = warp.at<uint32_t>(op.operand[addressOperand]);
    for (uint32_t i = 0; i < kLanes; ++i)
      address[i] = uint32_t(base[i] + offset);
  }
  uint64_t bytes = op.access.bytes();
  uint64_t odd = 0, step = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    odd |= (address[i] & (bytes - 1)) & (0 - uint64_t(warp.lane[i] & 1));
    step |= address[i] ^ (address[0] + i * bytes);
  }
  if (odd) [[unlikely]] {
    for (uint32_t i = 0; i < kLanes; ++i)
      if (warp.lane[i] && address[i] % bytes) {
        warp.raise(
            FaultKind::Misaligned, i, address[i], uint32_t(bytes),
            fmt::format("the address is a multiple of {}; an access of {} "
                        "bytes needs a multiple of {}",
                        address[i] & -address[i], bytes, bytes));
        return false;
      }
  }
  pointers.contiguous = warp.mask == kFullMask && step == 0;
  return Resolver(warp, op, address, intent, pointers)
      .run(op.access.space, warp.mask);
}

} // namespace boostrt::sim
