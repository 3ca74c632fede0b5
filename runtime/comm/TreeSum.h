// TreeSum.h - the sum of pieces in the order that Collectives.h promises.
#pragma once

#include "runtime/comm/Division.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace boostrt {

/// into = a + b; `into` may be `a` or `b`.
template <typename T>
void addArrays(T *into, const T *a, const T *b, size_t count) {
  // The same index or none at all: no element depends on an earlier one.
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (size_t i = 0; i < count; ++i)
    into[i] = a[i] + b[i];
}

/// Sums pieces lo..hi-1 a block at a time, partial sums in the first cache.
template <typename T> class TreeSum {
public:
  explicit TreeSum(std::span<const void *const> pieces) : pieces_(pieces) {}

  /// `into` may be one of the pieces (and overlaps no other).
  void run(size_t count, T *into) {
    for (size_t begin = 0; begin < count; begin += blockSize) {
      size_t size = count - begin < blockSize ? count - begin : blockSize;
      sumInto(begin, size, into + begin);
    }
  }

private:
  static constexpr size_t blockSize = 512;
  static constexpr int maxDepth = 33; // pieces are numbered by 32 bits

  void sumInto(size_t begin, size_t size, T *into) {
    uint32_t count = static_cast<uint32_t>(pieces_.size());
    if (count == 1) {
      const T *only = leaf(0, begin);
      for (size_t i = 0; i < size; ++i)
        into[i] = only[i];
      return;
    }
    // `into` may be a leaf of the second half: it is written last.
    uint32_t middle = treeMiddle(0, count);
    const T *first = partial(0, middle, begin, size, 0);
    const T *second = partial(middle, count, begin, size, 1);
    addArrays(into, first, second, size);
  }

  /// The leaf itself, or its sum in partials_[depth].
  const T *partial(uint32_t lo, uint32_t hi, size_t begin, size_t size,
                   int depth) {
    if (hi - lo == 1)
      return leaf(lo, begin);
    uint32_t middle = treeMiddle(lo, hi);
    const T *first = partial(lo, middle, begin, size, depth);
    const T *second = partial(middle, hi, begin, size, depth + 1);
    addArrays(partials_[depth], first, second, size);
    return partials_[depth];
  }

  const T *leaf(uint32_t index, size_t begin) const {
    return static_cast<const T *>(pieces_[index]) + begin;
  }

  std::span<const void *const> pieces_;
  T partials_[maxDepth][blockSize]; // only the depths in use are touched
};

template <typename T>
void treeSum(std::span<const void *const> pieces, size_t count, T *into) {
  TreeSum<T>(pieces).run(count, into);
}

} // namespace boostrt
