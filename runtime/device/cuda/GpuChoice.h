// GpuChoice.h - which GPU of a machine a rank takes.
#pragma once

#include <cstdint>

namespace boostrt {

/// Chosen from those that the driver shows; where it shows one alone, that one,
/// because a launcher may show each rank its own.
struct GpuChoice {
  uint32_t number = 0;
  /// A number beyond the last begins anew: ranks then share GPUs.
  bool wraps = true;
};

} // namespace boostrt
