// LoaderChoice.h - which threads make the batches of a run.
//
// A step that waits for a thread without a CPU takes twice as long, so a loader
// must not compete with the threads that compute. What it does during a step
// is free only where a CPU has nothing else to do; elsewhere they make the
// batches themselves, together, between two steps.
#pragma once

#include "runtime/trainer/RunData.h"

namespace boostrt {

/// Sets mode and loading of `data`: as many threads of its own as the
/// recipe asks for with `workers`, or without it what suits `team`, the threads
/// that compute on the host (null: a device of its own does), of which
/// `idleCpus` CPUs are not needed.
void chooseLoader(RunData &data, std::optional<int> workers, ThreadTeam *team,
                  int64_t idleCpus);

} // namespace boostrt
