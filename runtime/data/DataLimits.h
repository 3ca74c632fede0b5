// DataLimits.h - how much memory a rank's data may take.
#pragma once

#include <cstdint>

namespace boostrt {

/// data.decode_memory, in MiB.
inline constexpr int64_t kDecodeMemory = 64, kMinDecodeMemory = 16,
                         kMaxDecodeMemory = 4096;

/// Bytes that a decoder takes at most unless it is told otherwise.
inline constexpr uint64_t kDecodingBytes = uint64_t{kDecodeMemory} << 20;

/// MiB that samples of training take at most that are kept as transforms made
/// them, and the same in bytes.
inline constexpr int64_t kTrainingCache = 128;
inline constexpr uint64_t kTrainingCacheBytes = uint64_t{kTrainingCache} << 20;

} // namespace boostrt
