// RunOnRanks.h - a command of boost-run on all ranks that this process is.
#pragma once

#include "runtime/launch/JobPlan.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/Ranks.h"

#include <functional>

namespace boostrt {

/// What a rank does; its own options and its place.
using RankedCommand = std::function<Status(const Options &, Ranks &)>;

/// Runs `command` as the rank that `plan` says this process is, or as all
/// ranks, threads of it. When a rank fails, the others learn why.
Status runOnRanks(const Options &options, const JobPlan &plan,
                  const RankedCommand &command);

/// Runs `command` on ranks that are threads of this process, one for each entry
/// of `serverOfRank`. Returns the failure that says most.
Status runOnThreads(const Options &options,
                    const std::vector<uint32_t> &serverOfRank,
                    const RankedCommand &command);

} // namespace boostrt
