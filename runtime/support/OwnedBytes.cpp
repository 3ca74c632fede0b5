#include "runtime/support/OwnedBytes.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace boostrt {

void FreeBytes::operator()(uint8_t *bytes) const { std::free(bytes); }

OwnedBytes allocateBytes(uint64_t count) {
  constexpr uint64_t kLine = 64, kHugePage = 2 << 20;
  uint64_t alignment = count < kHugePage ? kLine : kHugePage;
  void *bytes = nullptr;
  if (posix_memalign(&bytes, alignment, std::max<uint64_t>(count, 1)) != 0)
    return nullptr;
  // The rest has small pages. A system without huge ones may refuse.
  if (uint64_t huge = count / kHugePage * kHugePage; huge > 0)
    madvise(bytes, huge, MADV_HUGEPAGE);
  return OwnedBytes(static_cast<uint8_t *>(bytes));
}

} // namespace boostrt
