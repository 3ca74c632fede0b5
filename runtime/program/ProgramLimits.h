// ProgramLimits.h - limits of programs that the compiler keeps and the runtime
// checks.
#pragma once

#include <cstdint>

namespace boostrt {

/// Samples of a micro-batch, and micro-batches of a step on each rank.
inline constexpr uint32_t kMaxBatchSize = 1u << 24, kMaxMicroBatches = 1u << 24;

} // namespace boostrt
