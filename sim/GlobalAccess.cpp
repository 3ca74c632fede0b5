// GlobalAccess.cpp - accesses of global memory (Resolver): allocations, extents
// of arguments, what was written, races between blocks.
#include "sim/Resolver.h"

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
    // Next to its own atomics a plain read owns the word: what it finds depends
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

/// Whether stepTag() finds no race and changes none of `tags`, which is what
/// most accesses come to.
bool areSettled(uint64_t *tags, uint64_t count, uint64_t launch, uint64_t block,
                Intent intent) {
  uint64_t settled = 0; // the tag before
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t tag = std::atomic_ref(tags[i]).load(std::memory_order_relaxed);
    if (i > 0 && tag == settled)
      continue;
    TagStep step = stepTag(tag, launch, block, intent);
    if (step.race || step.next != tag)
      return false;
    settled = tag;
  }
  return true;
}

} // namespace

Allocation *Resolver::lookUp(uint64_t address, uint64_t bytes) {
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

bool Resolver::global(uint32_t mask) {
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

bool Resolver::insideExtents(uint32_t mask, uint64_t low, uint64_t high) {
  const auto &extents = launch_.request->extents;
  int32_t own = op_.access.parameter >= 0
                    ? launch_.extentOfParameter[op_.access.parameter]
                    : -1;
  if (own >= 0) {
    const ArgumentExtent &extent = extents[own];
    bool inside =
        low >= extent.address && high - extent.address + bytes_ <= extent.bytes;
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
    return raise(FaultKind::OutOfBounds, lane,
                 fmt::format("outside all buffers this launch names; it is {}",
                             launch_.memory->describe(address_[lane], bytes_)));
  });
}

bool Resolver::holds(const ArgumentExtent &extent, uint64_t at) const {
  return at >= extent.address && bytes_ <= extent.bytes &&
         at - extent.address <= extent.bytes - bytes_;
}

bool Resolver::isModuleVariable(uint64_t at) {
  Allocation *found = lookUp(at, bytes_);
  return found && found->moduleVariable;
}

bool Resolver::insideOne(uint32_t lane, const ArgumentExtent &extent) {
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
        fmt::format("{} argument {} '{}' ({} bytes at 0x{:x}); it is {}", where,
                    extent.parameter, extent.name, extent.bytes, extent.address,
                    launch_.memory->describe(at, bytes_)));
  }
  return mayTouch(lane, extent);
}

bool Resolver::mayTouch(uint32_t lane, const ArgumentExtent &extent) {
  if (intent_ == Intent::Read || !extent.readOnly)
    return true;
  return raise(FaultKind::ReadOnly, lane,
               fmt::format("byte {} of argument {} '{}', which this kernel "
                           "may only read",
                           address_[lane] - extent.address, extent.parameter,
                           extent.name));
}

bool Resolver::globalShadow(Allocation &allocation, uint32_t mask, uint64_t low,
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
            fmt::format("no operation wrote all of these bytes: {}",
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
  if (range && areSettled(&allocation.tags[begin / 4], extent / 4,
                          launch_.launchTag, block_.linear, intent_))
    return true;
  // Tags know blocks: one lane stands for all that are at one address.
  uint32_t noted = low == high ? mask & -mask : mask;
  return eachLane(noted,
                  [&](uint32_t lane) { return noteGlobal(allocation, lane); });
}

bool Resolver::noteGlobal(Allocation &allocation, uint32_t lane) {
  uint64_t first = (address_[lane] - allocation.address) / 4;
  for (uint64_t word = first; word < first + bytes_ / 4; ++word) {
    std::atomic_ref tag(allocation.tags[word]);
    uint64_t old = tag.load(std::memory_order_relaxed);
    while (true) {
      TagStep step = stepTag(old, launch_.launchTag, block_.linear, intent_);
      if (step.race)
        return raceAt(lane, old);
      if (step.next == old ||
          tag.compare_exchange_weak(old, step.next, std::memory_order_relaxed))
        break;
    }
  }
  return true;
}

bool Resolver::raceAt(uint32_t lane, uint64_t tag) {
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

} // namespace boostrt::sim
