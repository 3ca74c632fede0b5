// RunOnRanks.h - a command of boost-run on all ranks that this process is.
#pragma once

#include "runtime/trainer/Options.h"
#include "runtime/trainer/Ranks.h"

#include <functional>

namespace boostrt {

/// What a rank does; its own options and its place.
using RankCommand = std::function<Status(const Options &, Ranks &)>;

/// Runs `command` as the rank that command line and environment say this
/// process is, or as several ranks that are threads of it. When a rank fails,
/// the others learn why.
Status runOnRanks(const Options &options, const RankCommand &command);

/// Runs `command` on ranks that are threads of this process, one for each entry
/// of `serverOfRank`. Returns the failure that says most.
Status runOnThreads(const Options &options,
                    const std::vector<uint32_t> &serverOfRank,
                    const RankCommand &command);

} // namespace boostrt
