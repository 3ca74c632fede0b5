#include "runtime/trainer/RunOnRanks.h"

#include "runtime/comm/local/RankThreads.h"
#include "runtime/launch/CpuShare.h"
#include "runtime/launch/JoinJob.h"
#include "runtime/support/CaughtException.h"

#include <algorithm>

namespace boostrt {
namespace {

/// What ends a run at the same step on every rank.
bool allRanksKnow(ExitCode code) {
  return code == ExitCode::Ok || code == ExitCode::Signal ||
         code == ExitCode::Numerical;
}

/// Runs the command and leaves the job: no rank ends before all have come to
/// the end, so that an ending connection always means a lost rank.
Status runAndLeave(const Options &options, Ranks &ranks,
                   const RankedCommand &command) {
  Status status = catching([&] { return command(options, ranks); });
  if (ranks.isAlone())
    return status;
  if (!allRanksKnow(status.code())) {
    ranks.transport().abort(status.message());
    return status;
  }
  Status left = ranks.barrier();
  return status.ok() ? left : status;
}

/// Options of ranks that share a machine: as many threads as each has CPUs.
Options shareMachine(const Options &options, uint32_t ranks) {
  Options own = options;
  auto cpus = static_cast<uint32_t>(usableCpus().size());
  if (cpus > 0)
    own.threadsAtMost = std::max(1u, cpus / ranks);
  return own;
}

} // namespace

Status runOnRanks(const Options &options, const JobPlan &plan,
                  const RankedCommand &command) {
  if (plan.ranksAreThreads())
    return runOnThreads(shareMachine(options, plan.size), plan.serverOfRank,
                        command);
  Result<std::unique_ptr<Transport>> transport = joinJob(plan, options.launch);
  if (!transport.ok())
    return transport.status();
  if (!*transport) {
    Ranks alone;
    return runAndLeave(options, alone, command);
  }
  // A rank that is pinned sees its own CPUs alone.
  Options own = shareMachine(options, plan.isPinned ? 1 : plan.localSize);
  own.gpu = {plan.deviceId.value_or(plan.localRank), !plan.deviceId};
  // The launcher shows what all ranks write to standard error.
  bool isMuted = plan.isStarted && !options.launch.logDir;
  Ranks ranks(std::move(transport).value(), plan.serverOfRank,
              isMuted ? LogPolicy::Muted : LogPolicy::Own);
  return runAndLeave(own, ranks, command);
}

Status runOnThreads(const Options &options,
                    const std::vector<uint32_t> &serverOfRank,
                    const RankedCommand &command) {
  auto count = static_cast<uint32_t>(serverOfRank.size());
  LocalJob job(count);
  return runRankThreads(job, count, [&](std::unique_ptr<Transport> transport) {
    Options own = options;
    own.gpu.number = transport->rank();
    Ranks ranks(std::move(transport), serverOfRank, LogPolicy::Thread);
    return runAndLeave(own, ranks, command);
  });
}

} // namespace boostrt
