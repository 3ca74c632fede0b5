#include "sim/Resolver.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::sim {

bool Resolver::run(Space space, uint32_t mask) {
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

bool Resolver::raise(FaultKind kind, uint32_t lane, std::string detail) {
  warp_.raise(kind, lane, address_[lane], bytes_, std::move(detail));
  return false;
}

//===--- shared ---------------------------------------------------------===//

bool Resolver::shared(uint32_t mask) {
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
  bool wordsRead = bytes_ >= 4 && intent_ != Intent::Write;
  return eachLane(mask, [&](uint32_t lane) {
    auto offset = static_cast<uint32_t>(address_[lane]);
    if (intent_ != Intent::Write && !memory.isWritten(offset, bytes_))
      return raise(FaultKind::Uninitialised, lane,
                   "no thread of this block wrote all of these bytes: " +
                       describeShared(offset));
    if (wordsRead &&
        memory.isKnownRead(offset, bytes_, first + lane, warp_.order))
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

std::string Resolver::describeShared(uint64_t at) const {
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

bool Resolver::sharedRace(uint32_t lane, const SharedMemory::Conflict &other) {
  const Dim3 &block = launch_.block;
  std::string who =
      other.oneThread ? fmt::format("thread ({},{},{})", other.thread % block.x,
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

bool Resolver::local(uint32_t mask) {
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

std::string Resolver::describeLocal(uint64_t at, uint32_t size) const {
  for (const PlacedVariable &variable : launch_.kernel->local)
    if (at >= variable.offset && at - variable.offset < variable.bytes)
      return fmt::format("byte {} of local '{}' ({} bytes)",
                         at - variable.offset, variable.name, variable.bytes);
  return fmt::format("byte {} of local memory; a thread has {} bytes",
                     static_cast<int64_t>(at), size);
}

bool Resolver::parameter(uint32_t mask) {
  std::span<const std::byte> all = launch_.parameters;
  return eachLane(mask, [&](uint32_t lane) {
    uint64_t at = address_[lane];
    if (at > all.size() || all.size() - at < bytes_)
      return raise(FaultKind::OutOfBounds, lane,
                   fmt::format("byte {} of the parameters, which have {} bytes",
                               static_cast<int64_t>(at), all.size()));
    // Only read: no opcode writes a kernel's parameters.
    pointers_.at[lane] = const_cast<std::byte *>(all.data()) + at;
    return true;
  });
}

namespace {
Space spaceOf(uint64_t address) {
  if (address - kSharedWindow < kWindowBytes)
    return Space::Shared;
  if (address - kLocalWindow < kWindowBytes)
    return Space::Local;
  if (address - kParamWindow < kWindowBytes)
    return Space::Param;
  return Space::Global;
}

} // namespace

bool Resolver::generic(uint32_t mask) {
  // A space's pointers are set for all lanes, active or not.
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
