// ResolveJob.h - from everything that may say who this process is, to one plan.
//
// Sources, the first that is there wins: boost-run's own variables (for ranks
// that it has started), the command line, a rank table, torchrun, msrun, Slurm,
// Open MPI, PMI. What the others say must agree: a job in which ranks differ in
// what they believe hangs, and one that is split in two trains wrong weights.
#pragma once

#include "runtime/launch/JobPlan.h"
#include "runtime/launch/RankTable.h"
#include "runtime/support/Status.h"

namespace boostrt {

struct JobInputs {
  LaunchOptions options;
  Environment environment;
  std::optional<RankTable> rankTable;   ///< when one is named
  std::optional<std::string> tokenFile; ///< content of --token-file
  std::vector<std::string> hostNames;   ///< addresses and names of this host
};

/// The file that options or environment name; empty: none. Fails with
/// ExitCode::Usage when they name two.
Result<std::string> rankTablePath(const LaunchOptions &options,
                                  const Environment &environment);

/// Fails with ExitCode::Usage, and where the rank table itself is wrong with
/// ExitCode::Input. A job that this process starts on its own host alone has
/// port 0 and no token: the process that starts it chooses them.
Result<JobPlan> resolveJob(const JobInputs &inputs);

/// resolveJob() with this process's environment and host, and with the files
/// that are named.
Result<JobPlan> planJob(const LaunchOptions &options);

/// What a launcher tells a rank that it starts. `plan` is that rank's.
Environment toEnvironment(const JobPlan &plan);

} // namespace boostrt
