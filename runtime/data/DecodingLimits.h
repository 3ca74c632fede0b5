// DecodingLimits.h - how much memory decoding an image may take.
#pragma once

#include <cstdint>

namespace boostrt {

/// data.decode_memory, in MiB.
inline constexpr int64_t kDecodeMemory = 64, kMinDecodeMemory = 16,
                         kMaxDecodeMemory = 4096;

/// Bytes that a decoder takes at most unless it is told otherwise.
inline constexpr uint64_t kDecodingBytes = uint64_t{kDecodeMemory} << 20;

} // namespace boostrt
