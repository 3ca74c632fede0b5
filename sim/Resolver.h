// Resolver.h - one access of a warp on its way to host pointers: what
// MemoryAccess.cpp and GlobalAccess.cpp share.
#pragma once

#include "sim/MemoryAccess.h"

namespace boostrt::sim {

/// base + offset for any offset: lanes that take no part have some too.
inline std::byte *hostAt(std::byte *base, uint64_t offset) {
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

  /// False when a check failed, which was raised.
  bool run(Space space, uint32_t mask);

private:
  bool raise(FaultKind kind, uint32_t lane, std::string detail);

  // GlobalAccess.cpp
  Allocation *lookUp(uint64_t address, uint64_t bytes);
  bool global(uint32_t mask);
  bool insideExtents(uint32_t mask, uint64_t low, uint64_t high);
  bool holds(const ArgumentExtent &extent, uint64_t at) const;
  /// Constants and variables of the module are not arguments.
  bool isModuleVariable(uint64_t at);
  bool insideOne(uint32_t lane, const ArgumentExtent &extent);
  /// For an access that lies in `extent`.
  bool mayTouch(uint32_t lane, const ArgumentExtent &extent);
  bool globalShadow(Allocation &allocation, uint32_t mask, uint64_t low,
                    uint64_t high);
  bool noteGlobal(Allocation &allocation, uint32_t lane);
  [[gnu::cold]] bool raceAt(uint32_t lane, uint64_t tag);

  // MemoryAccess.cpp
  bool shared(uint32_t mask);
  std::string describeShared(uint64_t at) const;
  [[gnu::cold]] bool sharedRace(uint32_t lane,
                                const SharedMemory::Conflict &other);
  bool local(uint32_t mask);
  std::string describeLocal(uint64_t at, uint32_t size) const;
  bool parameter(uint32_t mask);
  bool generic(uint32_t mask);

  Warp &warp_;
  const Op &op_;
  Block &block_;
  const LaunchState &launch_;
  const uint64_t *address_;
  uint32_t bytes_;
  Intent intent_;
  LanePointers &pointers_;
};

} // namespace boostrt::sim
