// ServersFlag.h - the flag that says how many servers a job's ranks are on, of
// boostc and boost-run.
#pragma once

#include "runtime/program/StepModel.h"
#include "runtime/support/FlagValues.h"

namespace boostrt {

/// --servers, which wants the flag `ranks`. `job` outlives `app`.
inline void addServersFlag(CLI::App &app, CLI::Option *ranks, JobShape &job) {
  app.add_option("--servers", job.servers,
                 "servers like this one that these ranks are on (default: 1)")
      ->needs(ranks)
      ->check(integerBetween(1, kMaxPredictedRanks))
      ->type_name("N");
}

} // namespace boostrt
