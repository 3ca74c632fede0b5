// MemoryPlanner.h - offsets for buffers with lifetimes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace boostc {

/// A buffer that is alive from position `first` to position `last`, both
/// included.
struct LiveBuffer {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
  int64_t alignment = 1; ///< of its own, where that is more than the others'
  int64_t offset = 0;    ///< set by planOffsets()
};

/// Sets the offsets, multiples of `alignment` and of the buffer's own, such
/// that buffers whose lifetimes meet do not overlap, and returns the size of
/// the arena: largest first, each at the lowest offset that is free during its
/// life, then a search among other orders until the bound below is met or a
/// fixed effort is spent. The plan depends on nothing but its input.
int64_t planOffsets(llvm::MutableArrayRef<LiveBuffer> buffers,
                    int64_t alignment);

/// The bytes that are alive at once at the fullest position: no plan needs
/// less.
int64_t getLivenessBound(llvm::ArrayRef<LiveBuffer> buffers, int64_t alignment);

} // namespace boostc
