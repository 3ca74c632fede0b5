// RankThreads.h - starts the threads that are the ranks of a LocalJob.
#pragma once

#include "runtime/comm/local/LocalJob.h"

#include <functional>

namespace boostrt {

/// Runs `body` as each of the `count` ranks of `job`, on a thread for each, and
/// waits for all of them. A thread that cannot be started, and what `body`
/// throws, are failures of that rank, and the other ranks learn of them.
/// Returns the first failure, where there is one that says more than that
/// another rank was lost.
Status
runRankThreads(LocalJob &job, uint32_t count,
               const std::function<Status(std::unique_ptr<Transport>)> &body);

} // namespace boostrt
