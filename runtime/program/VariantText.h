// VariantText.h - what users read of the variants of a step: `boost-run info`
// and `boostc --explain` say it alike.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <span>
#include <string>

namespace boostrt {

/// "every 3 steps from 3 on, steps from 1 to 10"; where there are none what
/// the variant is of: "all other steps" for the last one of the program.
std::string describeSteps(std::span<const BoostStepRange> ranges, bool isLast);

/// "select chooses for all other steps, 2 steps ahead: often, seldom".
std::string describeSelector(const std::string &function, uint64_t lag,
                             std::span<const std::string> variants);

/// "phase 2: micro_trial for each micro-batch, then judge; repeated while it
/// says so", of phase `number` from 1. `micro` is empty where there is none.
std::string describePhase(size_t number, const std::string &micro,
                          const std::string &ending, bool repeats);

} // namespace boostrt
