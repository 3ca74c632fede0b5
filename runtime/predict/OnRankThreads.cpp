#include "runtime/predict/OnRankThreads.h"

#include "runtime/launch/CpuShare.h"

#include <fmt/format.h>
#include <new>
#include <sched.h>
#include <thread>
#include <vector>

namespace boostrt {

static void pinTo(const std::vector<int> &cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus)
    CPU_SET(cpu, &set);
  // A refusal leaves the thread where the system puts it.
  if (!cpus.empty())
    (void)sched_setaffinity(0, sizeof set, &set);
}

Status onRankThreads(uint32_t ranks, bool pins,
                     const std::function<Status(uint32_t)> &work) {
  std::vector<int> cpus = usableCpus();
  std::vector<Status> statuses(ranks);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      // Threads that it starts stay there too.
      if (std::vector<int> share = cpuShare(cpus, rank, ranks);
          pins && isWorthPinning(cpus, ranks))
        pinTo(share);
      try {
        statuses[rank] = work(rank);
      } catch (const std::bad_alloc &) {
        statuses[rank] = Status(ExitCode::Internal, "out of memory");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Status &status : statuses)
    if (!status.ok())
      return status;
  return Status();
}

} // namespace boostrt
