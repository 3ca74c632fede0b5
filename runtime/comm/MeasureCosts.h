// MeasureCosts.h - what messages, bytes and loops cost here (CostModel.h).
#pragma once

#include "runtime/comm/CostModel.h"
#include "runtime/comm/Group.h"
#include "runtime/comm/Workspace.h"

namespace boostrt {

/// Measures for a fraction of a second, on messages as they are when vectors of
/// `vectorBytes` are added or combined: the longer, the less of them is in a
/// cache. All members call it, and all get the same: those of the slowest
/// member.
Result<CommCosts> measureCosts(Group &group, Workspace &workspace,
                               size_t vectorBytes = size_t(16) << 20);

/// The loops of Adasum alone, on as much memory as a vector of `vectorBytes`
/// has: sets perTouched and perProduct.
void measureLoops(CommCosts &costs, size_t vectorBytes);

} // namespace boostrt
