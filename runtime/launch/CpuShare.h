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

/// Whether a rank is kept on that share unless the user says otherwise. With
/// one CPU, what computes and what receives would take turns by time slices: a
/// step of LeNet-5 on two ranks took 8.1 ms so, and 2.2 ms unpinned.
inline bool isWorthPinning(const std::vector<int> &share) {
  return share.size() > 1;
}

} // namespace boostrt
