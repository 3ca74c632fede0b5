// JoinJob.h - from a plan to a connection with the other ranks.
#pragma once

#include "runtime/comm/Transport.h"
#include "runtime/launch/JobPlan.h"

#include <memory>

namespace boostrt {

/// Connects this rank with the others of `plan`, of which rank 0 listens where
/// the plan says; null for a job of one rank. Fails with ExitCode::RankLost.
Result<std::unique_ptr<Transport>> joinJob(const JobPlan &plan,
                                           const LaunchOptions &options);

} // namespace boostrt
