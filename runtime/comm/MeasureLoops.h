// MeasureLoops.h - what the loops of collectives cost here (CostModel.h).
#pragma once

#include "runtime/comm/CostModel.h"

namespace boostrt {

/// On as much memory as a vector of `vectorBytes` has: sets perTouched and
/// perProduct.
void measureLoops(CommCosts &costs, size_t vectorBytes);

} // namespace boostrt
