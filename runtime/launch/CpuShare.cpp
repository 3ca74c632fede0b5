#include "runtime/launch/CpuShare.h"

#include <algorithm>
#include <cstddef>
#include <sched.h>

namespace boostrt {

std::vector<int> usableCpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set))
      cpus.push_back(cpu);
  return cpus;
}

std::vector<int> cpuShare(const std::vector<int> &cpus, uint32_t index,
                          uint32_t count) {
  uint64_t total = cpus.size();
  if (total == 0)
    return {};
  uint64_t begin = total * index / count, end = total * (index + 1) / count;
  end = std::max(end, begin + 1);
  return {cpus.begin() + static_cast<ptrdiff_t>(begin),
          cpus.begin() + static_cast<ptrdiff_t>(end)};
}

} // namespace boostrt
