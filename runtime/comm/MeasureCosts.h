// MeasureCosts.h - what messages, bytes and loops cost here (CostModel.h).
#pragma once

#include "runtime/comm/CostModel.h"
#include "runtime/comm/Group.h"
#include "runtime/comm/Workspace.h"

namespace boostrt {

/// Measures for a fraction of a second. All members call it, and all get the
/// same: those of the slowest member.
Result<CommCosts> measureCosts(Group &group, Workspace &workspace);

} // namespace boostrt
