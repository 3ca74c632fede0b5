// OwnedBytes.h - memory for many small pieces that are read in no order, such
// as the samples of a data set.
#pragma once

#include <cstdint>
#include <memory>

namespace boostrt {

struct FreeBytes {
  void operator()(uint8_t *bytes) const;
};

/// Bytes of allocateBytes().
using OwnedBytes = std::unique_ptr<uint8_t[], FreeBytes>;

/// `count` bytes, not initialised, so that none is resident before it is
/// written; null when memory is exhausted. 2 MiB or more use huge pages where
/// the system has them: random reads miss the TLB less often, and a system that
/// reclaims pages which were not read lately finds none.
OwnedBytes allocateBytes(uint64_t count);

} // namespace boostrt
