// Meeting.h - where the ranks of a job meet, and what they show each other.
// Private to this room.
#pragma once

#include "runtime/launch/Claim.h"
#include "runtime/launch/ResolveJob.h"

namespace boostrt {

/// Fills in master and token of `plan`, whose ranks are processes. `claim` is
/// of the launcher that has started them; null where boost-run does.
Status arrangeMeeting(JobPlan &plan, const JobInputs &inputs,
                      const Claim *claim, Variables &variables);

} // namespace boostrt
