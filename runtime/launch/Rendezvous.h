// Rendezvous.h - where the ranks of a job meet, and what they show each other.
// Private to this room.
#pragma once

#include "runtime/launch/LauncherEnvironment.h"
#include "runtime/launch/ResolveJob.h"

namespace boostrt {

/// Fills in master and token of `plan`, whose ranks are processes.
/// `environment` is of the launcher that has started them; null where boost-run
/// does.
Status resolveRendezvous(JobPlan &plan, const JobInputs &inputs,
                         const LauncherEnvironment *environment,
                         Variables &variables);

} // namespace boostrt
