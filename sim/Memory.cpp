#include "sim/Memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace boostrt::sim {

void FreeDeleter::operator()(void *pointer) const { std::free(pointer); }

namespace {
constexpr uint64_t kGap = 64 << 10;
constexpr uint64_t kAlignment = 512;
/// A launch can never need more, and it keeps address arithmetic from wrapping.
constexpr uint64_t kAllocationCap = 1ull << 40;

/// Zero-filled, and taken from the machine only where it is touched.
template <class T> std::unique_ptr<T[], FreeDeleter> zeroed(uint64_t count) {
  return std::unique_ptr<T[], FreeDeleter>(
      static_cast<T *>(std::calloc(std::max<uint64_t>(count, 1), sizeof(T))));
}

/// Calls visit(word index, mask) for the words of `written` that hold the bits
/// [offset, offset + size).
template <class Visit>
void forBits(uint64_t offset, uint64_t size, Visit visit) {
  while (size) {
    uint64_t bit = offset % 64;
    uint64_t count = std::min(size, 64 - bit);
    uint64_t mask = (count == 64 ? ~0ull : (1ull << count) - 1) << bit;
    if (!visit(offset / 64, mask))
      return;
    offset += count;
    size -= count;
  }
}
} // namespace

// A word of the bitmap covers 64 bytes, which threads of different workers may
// write; once its bits are set it is only read.
bool Allocation::isWritten(uint64_t offset, uint64_t size) const {
  bool all = true;
  forBits(offset, size, [&](uint64_t word, uint64_t mask) {
    uint64_t bits =
        std::atomic_ref(written[word]).load(std::memory_order_relaxed);
    return all = (bits & mask) == mask;
  });
  return all;
}

void Allocation::markWritten(uint64_t offset, uint64_t size) {
  forBits(offset, size, [&](uint64_t word, uint64_t mask) {
    std::atomic_ref bits(written[word]);
    if ((bits.load(std::memory_order_relaxed) & mask) != mask)
      bits.fetch_or(mask, std::memory_order_relaxed);
    return true;
  });
}

Result<uint64_t> Memory::allocate(uint64_t bytes, std::string name) {
  auto made = std::make_unique<Allocation>();
  made->address = next_;
  made->bytes = bytes;
  if (bytes <= kAllocationCap) {
    made->data = zeroed<std::byte>(bytes);
    made->written = zeroed<uint64_t>(bytes / 64 + 2);
  }
  if (!made->data || !made->written)
    return Status(ExitCode::Usage,
                  fmt::format("sim: cannot take {} bytes of memory for '{}'; "
                              "this machine has not that much free",
                              bytes, name));
  made->name = std::move(name);
  next_ += (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
  uint64_t address = made->address;
  allocations_.emplace(address, std::move(made));
  return address;
}

Status Memory::free(uint64_t address) {
  if (allocations_.erase(address))
    return Status();
  return Status(ExitCode::Internal,
                fmt::format("sim: cannot free 0x{:x}: it is {}", address,
                            describe(address, 1)));
}

Allocation *Memory::find(uint64_t address, uint64_t bytes) const {
  auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin())
    return nullptr;
  Allocation *below = std::prev(above)->second.get();
  return below->contains(address, bytes) ? below : nullptr;
}

Status Memory::checked(uint64_t address, uint64_t bytes,
                       const char *action) const {
  if (find(address, bytes))
    return Status();
  return Status(ExitCode::Internal,
                fmt::format("sim: cannot {} {} bytes at 0x{:x}: {}", action,
                            bytes, address, describe(address, bytes)));
}

Status Memory::copyIn(uint64_t address, std::span<const std::byte> from) {
  BOOSTRT_RETURN_IF_ERROR(checked(address, from.size(), "copy in"));
  Allocation *at = find(address, from.size());
  if (!from.empty())
    std::memcpy(&at->data[address - at->address], from.data(), from.size());
  at->markWritten(address - at->address, from.size());
  return Status();
}

Status Memory::copyOut(std::span<std::byte> to, uint64_t address) const {
  BOOSTRT_RETURN_IF_ERROR(checked(address, to.size(), "copy out"));
  const Allocation *at = find(address, to.size());
  if (!to.empty())
    std::memcpy(to.data(), &at->data[address - at->address], to.size());
  return Status();
}

Status Memory::fill(uint64_t address, uint64_t bytes, std::byte value) {
  BOOSTRT_RETURN_IF_ERROR(checked(address, bytes, "fill"));
  Allocation *at = find(address, bytes);
  std::memset(&at->data[address - at->address], static_cast<int>(value), bytes);
  at->markWritten(address - at->address, bytes);
  return Status();
}

Status Memory::forget(uint64_t address, uint64_t bytes) {
  BOOSTRT_RETURN_IF_ERROR(checked(address, bytes, "forget"));
  Allocation *at = find(address, bytes);
  forBits(address - at->address, bytes, [&](uint64_t word, uint64_t mask) {
    at->written[word] &= ~mask;
    return true;
  });
  return Status();
}

bool Memory::isWritten(uint64_t address, uint64_t bytes) const {
  const Allocation *at = find(address, bytes);
  return at && at->isWritten(address - at->address, bytes);
}

Status Memory::nameRange(uint64_t address, uint64_t bytes, std::string name) {
  BOOSTRT_RETURN_IF_ERROR(checked(address, bytes, "name"));
  Allocation *at = find(address, bytes);
  std::erase_if(at->ranges, [&](const NamedRange &old) {
    return old.address < address + bytes && address < old.address + old.bytes;
  });
  at->ranges.push_back({address, bytes, std::move(name)});
  return Status();
}

Status Memory::prepareTags() {
  for (auto &[address, allocation] : allocations_)
    if (!allocation->tags) {
      allocation->tags = zeroed<uint64_t>(allocation->bytes / 4 + 1);
      if (!allocation->tags)
        return Status(
            ExitCode::Usage,
            fmt::format("sim: no memory left to check '{}' ({} bytes) "
                        "for races; check bounds only",
                        allocation->name, allocation->bytes));
    }
  return Status();
}

uint64_t Memory::nextLaunch() {
  // 24 bits; when they are spent, old tags must not look like new ones.
  if (++launches_ >> 24) {
    launches_ = 1;
    for (auto &[address, allocation] : allocations_)
      allocation->tags.reset();
  }
  return launches_ << 40;
}

std::string Memory::describe(uint64_t address, uint64_t bytes) const {
  // The nearest allocation that begins at or below, else the next above.
  auto above = allocations_.upper_bound(address);
  if (above != allocations_.begin()) {
    const Allocation &below = *std::prev(above)->second;
    uint64_t offset = address - below.address;
    std::string where = fmt::format("'{}' ({} bytes at 0x{:x})", below.name,
                                    below.bytes, below.address);
    if (below.contains(address, bytes)) {
      for (const NamedRange &range : below.ranges)
        if (address >= range.address && address - range.address < range.bytes)
          return fmt::format(
              "byte {} of buffer '{}' ({} bytes, at byte {} of {})",
              address - range.address, range.name, range.bytes,
              range.address - below.address, where);
      return fmt::format("byte {} of {}", offset, where);
    }
    if (offset < below.bytes)
      return fmt::format("the last {} bytes of it lie past the end of {}",
                         bytes - (below.bytes - offset), where);
    if (offset - below.bytes < kGap)
      return fmt::format("{} bytes past the end of {}", offset - below.bytes,
                         where);
  }
  if (above != allocations_.end() && above->first - address <= kGap)
    return fmt::format("{} bytes before the begin of '{}' ({} bytes at 0x{:x})",
                       above->first - address, above->second->name,
                       above->second->bytes, above->first);
  if (address < kGap)
    return "next to the null pointer";
  if (address + kGap >= kSharedWindow && address < kParamWindow + kWindowBytes)
    return "in or next to a window of shared, local or parameter memory";
  if (address < kSharedWindow || address >= kDeviceBase + (1ull << 42))
    return "no device memory; a pointer of the host?";
  return "in no allocation";
}

} // namespace boostrt::sim
