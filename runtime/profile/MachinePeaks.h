// MachinePeaks.h - how fast this machine can compute and how fast it reaches
// its memory: what the time of a kernel is compared with.
#pragma once

#include <cstdint>
#include <string>

namespace boostrt {

struct MachinePeaks {
  uint32_t threads = 0;
  /// In f32, a second, by fused multiply-adds; 0 on CPUs without such vectors.
  double flops = 0;
  std::string vectors;     ///< with which they were reached: "AVX-512"
  double bytes = 0;        ///< a second, from and to memory; 0: not measured
  uint64_t triadBytes = 0; ///< in use while that was measured
  uint64_t cacheBytes = 0; ///< of the largest cache; 0: not known

  /// Seconds below which no kernel can stay that computes `flops` and moves
  /// `bytes` between the CPU and its memory.
  double leastSeconds(uint64_t flops, uint64_t bytes) const;
};

/// Measures for about 0.3 s on `threads` threads; zeros where the system does
/// not give them. Memory for it is returned; that of the machine is measured
/// where `maxBytes` are enough for it.
MachinePeaks measurePeaks(uint32_t threads, uint64_t maxBytes);

} // namespace boostrt
