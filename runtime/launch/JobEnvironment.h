// JobEnvironment.h - reads what toEnvironment() wrote. Private to this room.
#pragma once

#include "runtime/launch/JobPlan.h"
#include "runtime/launch/Variables.h"

#include <optional>

namespace boostrt {

/// The plan of a rank that boost-run has started; nothing for other processes.
Result<std::optional<JobPlan>> planOfLauncher(Variables &variables);

} // namespace boostrt
