#include "compiler/lowering/buffers/MemoryPlanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <random>
#include <tuple>

using namespace boostc;

static bool meet(const LiveBuffer &a, const LiveBuffer &b) {
  return a.first <= b.last && b.first <= a.last;
}

namespace {

class Planner {
public:
  Planner(llvm::MutableArrayRef<LiveBuffer> buffers, int64_t alignment)
      : buffers(buffers), alignment(alignment) {}

  int64_t plan() {
    llvm::SmallVector<unsigned> order;
    for (unsigned i = 0; i < buffers.size(); ++i)
      order.push_back(i);
    // Largest first: small ones fit into what is left.
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::make_tuple(-buffers[a].bytes, a) <
             std::make_tuple(-buffers[b].bytes, b);
    });
    int64_t bound = getLivenessBound(buffers, alignment);
    int64_t end = place(order);
    keep(end);
    // Then the buffer that ends last gets its turn earlier, again and again: a
    // walk over orders that accepts what is not worse. Its steps are random,
    // but always the same.
    std::mt19937 random(1);
    for (int64_t step = getSteps(); step > 0 && best > bound; --step) {
      unsigned last = findLast(order);
      if (last == 0)
        break; // alone responsible for the whole
      unsigned target = random() % last;
      llvm::SmallVector<unsigned> changed(order);
      std::rotate(changed.begin() + target, changed.begin() + last,
                  changed.begin() + last + 1);
      int64_t changedEnd = place(changed);
      if (changedEnd > end) {
        place(order); // findLast() reads offsets
        continue;
      }
      order = std::move(changed);
      end = changedEnd;
      keep(end);
    }
    for (auto [buffer, offset] : llvm::zip(buffers, bestOffsets))
      buffer.offset = offset;
    return best;
  }

private:
  int64_t sizeOf(unsigned i) const {
    return static_cast<int64_t>(llvm::alignTo(buffers[i].bytes, alignment));
  }

  /// The first offset from `offset` on that `i` may have.
  int64_t alignFor(unsigned i, int64_t offset) const {
    return static_cast<int64_t>(llvm::alignTo(offset, buffers[i].alignment));
  }

  /// A step takes time quadratic in the number of buffers; together they take a
  /// few milliseconds.
  int64_t getSteps() const {
    int64_t pairs = static_cast<int64_t>(buffers.size() * buffers.size());
    return std::clamp<int64_t>(2'000'000 / std::max<int64_t>(pairs, 1), 20,
                               1000);
  }

  /// Each buffer at the lowest offset that is free during its life.
  int64_t place(llvm::ArrayRef<unsigned> order) {
    int64_t end = 0;
    llvm::SmallVector<unsigned> placed; // by offset
    for (unsigned i : order) {
      LiveBuffer &buffer = buffers[i];
      int64_t offset = 0;
      for (unsigned j : placed) {
        const LiveBuffer &other = buffers[j];
        if (!meet(buffer, other))
          continue;
        if (offset + sizeOf(i) <= other.offset)
          break;
        offset = std::max(offset, alignFor(i, other.offset + sizeOf(j)));
      }
      buffer.offset = offset;
      end = std::max(end, offset + sizeOf(i));
      auto after =
          llvm::upper_bound(placed, offset, [&](int64_t at, unsigned j) {
            return at < buffers[j].offset;
          });
      placed.insert(after, i);
    }
    return end;
  }

  /// Position in `order` of the buffer whose end is the arena's.
  unsigned findLast(llvm::ArrayRef<unsigned> order) const {
    unsigned last = 0;
    auto endOf = [&](unsigned position) {
      return buffers[order[position]].offset + sizeOf(order[position]);
    };
    for (unsigned position = 1; position < order.size(); ++position)
      if (endOf(position) > endOf(last))
        last = position;
    return last;
  }

  void keep(int64_t end) {
    if (!bestOffsets.empty() && end >= best)
      return;
    best = end;
    bestOffsets.clear();
    for (const LiveBuffer &buffer : buffers)
      bestOffsets.push_back(buffer.offset);
  }

  llvm::MutableArrayRef<LiveBuffer> buffers;
  int64_t alignment;
  int64_t best = 0;
  llvm::SmallVector<int64_t> bestOffsets;
};

} // namespace

int64_t boostc::planOffsets(llvm::MutableArrayRef<LiveBuffer> buffers,
                            int64_t alignment) {
  return Planner(buffers, alignment).plan();
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
