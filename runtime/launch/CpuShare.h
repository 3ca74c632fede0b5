// CpuShare.h - which CPUs each of the ranks of a server runs on.
#pragma once

#include <cstdint>
#include <vector>

namespace boostrt {

/// The CPUs that this process may use, ascending; empty when the system does
/// not tell.
std::vector<int> usableCpus();

/// The share of number `index` of `count`: equal ranges, in order, of sizes
/// that differ by at most 1; with more ranks than CPUs several have the same.
std::vector<int> cpuShare(const std::vector<int> &cpus, uint32_t index,
                          uint32_t count);

/// Whether `count` ranks are kept on their shares unless the user says
/// otherwise: where they need not share a CPU. Else two of them may wait for
/// one while another CPU has nothing to do.
inline bool isWorthPinning(const std::vector<int> &cpus, uint32_t count) {
  return cpus.size() >= count;
}

} // namespace boostrt
