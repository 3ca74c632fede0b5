// OwnedBytes.h - memory for many small pieces that are read in no order, such
// as the samples of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace boostrt {

struct FreeBytes {
  void operator()(uint8_t *bytes) const;
};

/// Bytes of allocateBytes().
using OwnedBytes = std::unique_ptr<uint8_t[], FreeBytes>;

/// `count` bytes, not initialised, so that none is resident before it is
/// written; null where there is no memory. Of 2 MiB or more, in large pages
/// where the system has them: to read pieces at random takes fewer walks of the
/// page table, and a system that takes back pages which were not read lately
/// finds none.
OwnedBytes allocateBytes(uint64_t count);

} // namespace boostrt
