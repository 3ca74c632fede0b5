#include "runtime/comm/local/RankThreads.h"

#include "runtime/support/CaughtException.h"

#include <fmt/format.h>
#include <system_error>
#include <thread>
#include <vector>

namespace boostrt {
namespace {

/// A rank that was told of a failure says less than the one that had it.
Status mostTelling(const std::vector<Status> &statuses) {
  const Status *told = nullptr;
  for (const Status &status : statuses) {
    if (!status.ok() && status.code() != ExitCode::RankLost)
      return status;
    if (!status.ok() && !told)
      told = &status;
  }
  return told ? *told : Status();
}

template <typename Start> Status startThread(uint32_t rank, Start &&start) {
  return catching([&] {
    try {
      start();
      return Status();
    } catch (const std::system_error &error) {
      return cannotStart(fmt::format("a thread for rank {}", rank),
                         error.code().value());
    }
  });
}

} // namespace

Status
runRankThreads(LocalJob &job, uint32_t count,
               const std::function<Status(std::unique_ptr<Transport>)> &body) {
  std::vector<Status> statuses(count);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  // Destroyed before the threads are joined: who waits for a rank that never
  // started then fails.
  std::vector<std::unique_ptr<Transport>> transports;
  for (uint32_t rank = 0; rank < count; ++rank)
    transports.push_back(job.connect(rank));
  for (uint32_t rank = 0; rank < count; ++rank) {
    Status status = startThread(rank, [&] {
      threads.emplace_back([&, rank] {
        statuses[rank] =
            catching([&] { return body(std::move(transports[rank])); });
      });
    });
    if (status.ok())
      continue;
    transports[rank]->abort(status.message());
    statuses[rank] = std::move(status);
    break;
  }
  for (std::jthread &thread : threads)
    thread.join();
  return mostTelling(statuses);
}

} // namespace boostrt
