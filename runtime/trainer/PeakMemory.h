// PeakMemory.h - how much memory a run has taken.
#pragma once

#include <cstdint>
#include <optional>

namespace boostrt {

/// Measures growth: the highest resident size since begin() less the resident
/// size at begin().
class PeakMemory {
public:
  /// Call after all unplanned memory is taken and before any planned memory
  /// is. Resets the kernel's high-water mark; where that is not allowed,
  /// an earlier peak that was higher is reported instead.
  void begin();

  /// Empty when /proc does not tell.
  std::optional<uint64_t> bytes() const;

private:
  uint64_t residentBefore_ = 0;
};

} // namespace boostrt
