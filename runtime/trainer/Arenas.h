// Arenas.h - the memory of a run, all of it, reserved once.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/MemoryPlan.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace boostrt {

class Arenas {
public:
  /// Maps every arena of the plan, zeroed and resident, so that memory that
  /// cannot be had is reported now and not as a kill in the middle of training.
  /// Each is page-aligned and followed by a page that must not be touched.
  /// Fails with ExitCode::Internal.
  static Result<std::unique_ptr<Arenas>> reserve(const MemoryPlan &plan);
  ~Arenas();
  Arenas(const Arenas &) = delete;
  Arenas &operator=(const Arenas &) = delete;

  /// Null when the plan has no such arena.
  std::byte *base(BoostArenaKind kind, uint32_t copy = 0) const {
    return copy < bases_[kind].size() ? bases_[kind][copy] : nullptr;
  }
  const std::vector<std::byte *> &copies(BoostArenaKind kind) const {
    return bases_[kind];
  }

private:
  struct Mapping {
    void *address;
    size_t bytes;
  };
  Arenas() = default;
  Result<std::byte *> map(uint64_t bytes, uint64_t total);

  std::vector<Mapping> mappings_;
  std::vector<std::byte *> bases_[BOOST_ARENA_COUNT];
};

} // namespace boostrt
