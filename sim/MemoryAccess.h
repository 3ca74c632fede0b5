// MemoryAccess.h - from the addresses of a warp's lanes to host pointers, with
// all checks on the way.
#pragma once

#include "sim/Block.h"

namespace boostrt::sim {

enum class Intent : uint8_t { Read, Write, Atomic };

/// Where the lanes of one access are on the host.
struct LanePointers {
  alignas(64) std::byte *at[kLanes];
  /// All lanes take part, and each begins where the one before it ends.
  bool contiguous = false;
};

/// Op::access of the active lanes, addressed by the register at operand
/// `addressOperand`. False when a check failed, which was raised.
bool resolveAccess(Warp &warp, const Op &op, uint32_t addressOperand,
                   Intent intent, LanePointers &pointers);

} // namespace boostrt::sim
