#include "runtime/support/OwnedBytes.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace boostrt {

void FreeBytes::operator()(uint8_t *bytes) const { std::free(bytes); }

OwnedBytes allocateBytes(uint64_t count) {
  constexpr uint64_t kLine = 64, kLargePage = 2 << 20;
  uint64_t alignment = count < kLargePage ? kLine : kLargePage;
  void *bytes = nullptr;
  if (posix_memalign(&bytes, alignment, std::max<uint64_t>(count, 1)) != 0)
    return nullptr;
  // What is left over has small pages. A system without large ones may refuse.
  if (uint64_t large = count / kLargePage * kLargePage; large > 0)
    madvise(bytes, large, MADV_HUGEPAGE);
  return OwnedBytes(static_cast<uint8_t *>(bytes));
}

} // namespace boostrt
