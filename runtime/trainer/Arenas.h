// Arenas.h - the memory of a run, all of it, reserved once: on the host and,
// where the device has memory of its own, there too.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/program/MemoryPlan.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace boostrt {

class Arenas {
public:
  /// Maps every arena of the plan, zeroed and resident, so that memory that
  /// cannot be had is reported now and not as a kill in the middle of training.
  /// Each is page-aligned and followed by a page that must not be touched.
  /// With `device`, which outlives the arenas, it is the memory there that the
  /// plan is about; the host's is for what is copied, becomes resident where
  /// it is touched, and leaves out TRANSIENT; what steps exchange is
  /// page-locked where the device can. Fails with ExitCode::Memory.
  static Result<std::unique_ptr<Arenas>>
  reserve(const MemoryPlan &plan, DeviceMemory *device = nullptr);
  ~Arenas();
  Arenas(const Arenas &) = delete;
  Arenas &operator=(const Arenas &) = delete;

  /// On the host. Null when the plan has no such arena.
  std::byte *base(BoostArenaKind kind, uint32_t copy = 0) const {
    return copy < bases_[kind].size() ? bases_[kind][copy] : nullptr;
  }
  const std::vector<std::byte *> &copies(BoostArenaKind kind) const {
    return bases_[kind];
  }

  /// What functions are called with: on the device, or on the host where that
  /// is the same.
  void *deviceBase(BoostArenaKind kind, uint32_t copy = 0) const {
    return device_ ? copy < deviceBases_[kind].size() ? deviceBases_[kind][copy]
                                                      : nullptr
                   : base(kind, copy);
  }
  /// Copies the first of an arena to the device. It stays as it is until
  /// finishPushes() or a later pull() has returned. Nothing to do, here and
  /// below, where the memory is the host's.
  Status push(BoostArenaKind kind) const { return push(kind, 0, bytes_[kind]); }
  /// The same of `bytes` from `offset` on.
  Status push(BoostArenaKind kind, uint64_t offset, uint64_t bytes) const;
  Status finishPushes() const {
    return device_ ? device_->finishCopies() : Status();
  }

  /// Sets some words of an arena where functions see it: on the device, where
  /// there is one, and not on the host.
  Status write(BoostArenaKind kind, uint64_t offset,
               std::span<const std::byte> value) const;

  /// As push(), of a whole batch arena, concurrently with calls that do not
  /// read it. Its content must not change until finishBatches() has returned.
  Status pushBatch(uint32_t copy) const;
  Status finishBatches() const {
    return device_ ? device_->finishBatches() : Status();
  }

  /// The copy of bytes [begin, end) of an arena from the device; of none when
  /// the plan has no such arena.
  DeviceCopy copyOf(BoostArenaKind kind, uint32_t copy, uint64_t begin,
                    uint64_t end) const;
  DeviceCopy copyOf(BoostArenaKind kind, uint32_t copy = 0) const {
    return copyOf(kind, copy, 0, bytes_[kind]);
  }
  /// Waits for the device, once for all of them.
  Status pull(std::span<const DeviceCopy> copies) const {
    return device_ ? device_->copyOut(copies) : Status();
  }
  Status pull(const DeviceCopy &copy) const { return pull({&copy, 1}); }
  /// In two parts; the second waits for the first, not for what came after it.
  Status beginPull(std::span<const DeviceCopy> copies) const {
    return device_ ? device_->beginCopyOut(copies) : Status();
  }
  Status finishPull() const {
    return device_ ? device_->finishCopyOut() : Status();
  }

private:
  struct Mapping {
    void *address;
    size_t bytes;
  };
  Arenas() = default;
  Result<std::byte *> map(uint64_t bytes, uint64_t total);
  void pin(std::byte *base, const MemoryPlan::Range &range);

  DeviceMemory *device_ = nullptr;
  uint64_t bytes_[BOOSTC_ARENA_COUNT] = {};
  std::vector<Mapping> mappings_;
  std::vector<std::span<std::byte>> pinned_;
  std::vector<std::byte *> bases_[BOOSTC_ARENA_COUNT];
  std::vector<void *> deviceBases_[BOOSTC_ARENA_COUNT];
};

} // namespace boostrt
