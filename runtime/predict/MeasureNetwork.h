// MeasureNetwork.h - what messages between ranks of this machine cost.
#pragma once

#include "runtime/comm/CostModel.h"
#include "runtime/support/Status.h"

namespace boostrt {

enum class RankLink {
  Tcp,    ///< between processes
  Memory, ///< between threads of one
};

/// Connects `ranks` short-lived ranks, 2 or more, which exchange parts of a
/// vector of `vectorBytes` each for a fraction of a second.
Result<CommCosts> measureNetwork(uint32_t ranks, RankLink link,
                                 size_t vectorBytes);

} // namespace boostrt
