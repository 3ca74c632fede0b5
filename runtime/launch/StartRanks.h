// StartRanks.h - the launcher: starts the ranks of this server as processes and
// waits for them.
#pragma once

#include "runtime/launch/JobPlan.h"
#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace boostrt {

/// Starts this program with `arguments` (the program's name first) once for
/// each rank of `plan`, which startsRanks, and waits until all have ended. The
/// exit code is the most telling one of theirs. Does not return when the ranks
/// have died of a signal that their user sent to this process: it dies of it
/// too.
Status startRanks(JobPlan plan, const LaunchOptions &options,
                  const std::vector<std::string> &arguments);

/// Starts this program with `arguments` (the program's name first) as `ranks`
/// ranks of a job of its own on this machine, and returns what each writes to
/// standard output. `threads` are those that a rank uses. When one fails, the
/// others are ended, and the message has the failed one's last words. Ranks do
/// not outlive this call, nor this process; signals act as in startRanks().
Result<std::vector<std::string>>
askRanks(uint32_t ranks, uint32_t threads,
         const std::vector<std::string> &arguments);

} // namespace boostrt
