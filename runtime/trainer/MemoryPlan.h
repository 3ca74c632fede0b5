// MemoryPlan.h - how many bytes a run reserves, known before it reserves any,
// and how many it really took.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/program/AccumulatesInPlace.h"

#include <cstdint>
#include <optional>

namespace boostrt {

/// Batch arenas of a run: one in use, two being filled ahead of it.
inline constexpr uint32_t kBatchCopies = 3;

/// Names of the arenas, by BoostArenaKind.
inline constexpr const char *kArenaNames[BOOST_ARENA_COUNT] = {
    "PARAMETER", "STATE",   "GRADIENT", "GRADIENT_OTHER",
    "BATCH",     "CONTROL", "RESULT",   "TRANSIENT"};

/// Bytes by category; copies included.
struct MemoryPlan {
  struct Range {
    uint64_t begin = 0, end = 0;
  };

  uint64_t bytes[BOOST_ARENA_COUNT] = {}; ///< one copy
  uint32_t copies[BOOST_ARENA_COUNT] = {};
  /// The bytes of each copy that go to a device or come from it in every step.
  Range exchanged[BOOST_ARENA_COUNT] = {};

  uint64_t total() const;
};

/// Training with as many gradient sets as a window needs.
MemoryPlan planTraining(const BoostProgram &program, const BoostTarget &target);

/// Evaluation alone: no gradients, no optimizer state.
MemoryPlan planEvaluation(const BoostProgram &program,
                          const BoostTarget &target);

/// Measures growth: the highest resident size since begin() less the resident
/// size at begin().
class PeakMemory {
public:
  /// Call when all that is not planned is there already. Resets the kernel's
  /// high-water mark; where that is not allowed, an earlier peak that was
  /// higher is reported instead.
  void begin();

  /// Empty when /proc does not tell.
  std::optional<uint64_t> bytes() const;

private:
  uint64_t residentBefore_ = 0;
};

} // namespace boostrt
