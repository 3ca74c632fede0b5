#include "runtime/trainer/Arenas.h"
#include "runtime/abi/DescriptorSchema.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace boostrt {
namespace {

Status refused(uint64_t bytes, uint64_t total) {
  return Status(ExitCode::Memory,
                fmt::format("cannot reserve {} of the {} bytes that the memory "
                            "plan needs: {}; use a smaller batch_size, fewer "
                            "ranks on this machine, or a machine or a limit "
                            "(ulimit -v) with more memory",
                            bytes, total, std::strerror(errno)));
}

/// Makes the pages resident. MADV_POPULATE_WRITE reports a lack of memory;
/// kernels before 5.14 do not know it, and touching the pages is what is left.
bool populate(std::byte *base, size_t bytes, size_t page) {
  if (madvise(base, bytes, MADV_POPULATE_WRITE) == 0)
    return true;
  if (errno != EINVAL)
    return false;
  for (size_t offset = 0; offset < bytes; offset += page)
    *reinterpret_cast<volatile char *>(base + offset) = 0;
  return true;
}

} // namespace

Result<std::unique_ptr<Arenas>> Arenas::reserve(const MemoryPlan &plan,
                                                DeviceMemory *device) {
  std::unique_ptr<Arenas> arenas(new Arenas);
  arenas->device_ = device;
  for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind) {
    arenas->bytes_[kind] = plan.bytes[kind];
    for (uint32_t copy = 0; copy < plan.copies[kind]; ++copy) {
      if (device) {
        Result<void *> base = device->allocate(
            std::max<uint64_t>(plan.bytes[kind], BOOSTC_ALIGNMENT),
            fmt::format("arena {} ({})", boostabi::nameOf<BoostArenaKind>(kind),
                        copy));
        if (!base.ok())
          return base.status();
        arenas->deviceBases_[kind].push_back(*base);
        if (kind == BOOSTC_ARENA_TRANSIENT)
          continue;
      }
      Result<std::byte *> base = arenas->map(plan.bytes[kind], plan.total());
      if (!base.ok())
        return base.status();
      arenas->bases_[kind].push_back(*base);
      if (device)
        arenas->pin(*base, plan.exchanged[kind]);
    }
  }
  return arenas;
}

Status Arenas::push(BoostArenaKind kind, uint64_t offset,
                    uint64_t bytes) const {
  // A plan need not have every arena.
  if (!device_ || !base(kind))
    return Status();
  return device_->copyIn(static_cast<std::byte *>(deviceBase(kind)) + offset,
                         {base(kind) + offset, bytes});
}

Status Arenas::write(BoostArenaKind kind, uint64_t offset,
                     std::span<const std::byte> value) const {
  auto *to = static_cast<std::byte *>(deviceBase(kind)) + offset;
  if (device_)
    return device_->write(to, value);
  std::memcpy(to, value.data(), value.size());
  return Status();
}

Status Arenas::pushBatch(uint32_t copy) const {
  if (!device_ || bytes_[BOOSTC_ARENA_BATCH] == 0)
    return Status();
  return device_->copyBatch(
      deviceBase(BOOSTC_ARENA_BATCH, copy),
      {base(BOOSTC_ARENA_BATCH, copy), bytes_[BOOSTC_ARENA_BATCH]});
}

DeviceCopy Arenas::copyOf(BoostArenaKind kind, uint32_t copy, uint64_t begin,
                          uint64_t end) const {
  if (!base(kind, copy))
    return {};
  return {{base(kind, copy) + begin, end - begin},
          static_cast<std::byte *>(deviceBase(kind, copy)) + begin};
}

/// Whole pages: an arena has its own.
void Arenas::pin(std::byte *base, const MemoryPlan::Range &range) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t begin = range.begin / page * page;
  uint64_t end = (range.end + page - 1) / page * page;
  std::span<std::byte> host(base + begin, end - begin);
  if (range.begin < range.end && device_->pin(host))
    pinned_.push_back(host);
}

Result<std::byte *> Arenas::map(uint64_t bytes, uint64_t total) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t rounded = (bytes + page - 1) / page * page;
  void *address = mmap(nullptr, rounded + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return refused(bytes, total);
  mappings_.push_back({address, rounded + page});
  std::byte *base = static_cast<std::byte *>(address);
  if (mprotect(base + rounded, page, PROT_NONE) != 0)
    return refused(bytes, total);
  if (rounded == 0 || device_)
    return base;
  // Fewer page-table walks; a kernel without huge pages may say no.
  madvise(base, rounded, MADV_HUGEPAGE);
  if (!populate(base, rounded, page))
    return refused(bytes, total);
  return base;
}

Arenas::~Arenas() {
  // A step that failed leaves pending transfers; their failure adds nothing.
  [[maybe_unused]] Status finished = finishBatches();
  finished = pull(std::span<const DeviceCopy>());
  for (std::span<std::byte> host : pinned_)
    device_->unpin(host);
  for (const Mapping &mapping : mappings_)
    munmap(mapping.address, mapping.bytes);
}

} // namespace boostrt
