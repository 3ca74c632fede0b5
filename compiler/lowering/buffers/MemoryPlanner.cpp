#include "compiler/lowering/buffers/MemoryPlanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace boostc;

static bool meet(const LiveBuffer &a, const LiveBuffer &b) {
  return a.first <= b.last && b.first <= a.last;
}

int64_t boostc::planOffsets(llvm::MutableArrayRef<LiveBuffer> buffers,
                            int64_t alignment) {
  auto sizeOf = [&](const LiveBuffer &buffer) {
    return static_cast<int64_t>(llvm::alignTo(buffer.bytes, alignment));
  };
  llvm::SmallVector<LiveBuffer *> order;
  for (LiveBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](const LiveBuffer *a, const LiveBuffer *b) {
    return std::make_tuple(-a->bytes, a) < std::make_tuple(-b->bytes, b);
  });

  int64_t end = 0;
  llvm::SmallVector<LiveBuffer *> placed; // by offset
  for (LiveBuffer *buffer : order) {
    // The gaps between placed buffers, from the lowest up, skipping those not
    // alive.
    int64_t offset = 0;
    for (const LiveBuffer *other : placed) {
      if (!meet(*buffer, *other))
        continue;
      if (offset + sizeOf(*buffer) <= other->offset)
        break;
      offset = std::max(offset, other->offset + sizeOf(*other));
    }
    buffer->offset = offset;
    end = std::max(end, offset + sizeOf(*buffer));
    auto after =
        llvm::upper_bound(placed, offset, [](int64_t at, const LiveBuffer *b) {
          return at < b->offset;
        });
    placed.insert(after, buffer);
  }
  return end;
}

int64_t boostc::getLivenessBound(llvm::ArrayRef<LiveBuffer> buffers,
                                 int64_t alignment) {
  int64_t bound = 0;
  for (const LiveBuffer &at : buffers) {
    int64_t alive = 0;
    for (const LiveBuffer &buffer : buffers)
      if (buffer.first <= at.first && at.first <= buffer.last)
        alive += static_cast<int64_t>(llvm::alignTo(buffer.bytes, alignment));
    bound = std::max(bound, alive);
  }
  return bound;
}
