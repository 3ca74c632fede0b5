// ChangeOfRanks.h - what it means that other ranks, or another accumulation, go
// on with a run.
#pragma once

#include "runtime/checkpoint/CheckpointPosition.h"
#include "runtime/data/WindowShard.h"
#include "runtime/program/Program.h"

#include <string>

namespace boostrt {

/// What a run on `ranks` ranks does otherwise than the one that stopped at
/// `found`, in one line; empty when nothing.
std::string describeChange(const CheckpointPosition &found,
                           const Program &program, uint32_t ranks,
                           const EpochPlan &epoch);

} // namespace boostrt
