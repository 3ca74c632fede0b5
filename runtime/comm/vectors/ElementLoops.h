// ElementLoops.h - the loops of Adasum over elements: products of vectors with
// each other, and their linear combination.
//
// Both give the same bits on every CPU. A product of two fp32 numbers is exact
// in double precision, so that it does not matter whether multiply and add are
// fused, and eight sums are kept whatever the width of a register: element k
// belongs to sum k mod 8. The linear combination is never fused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boostrt::adasum {

/// Where <x_i, x_j>, j <= i, is among the sums of gram().
constexpr size_t pairIndex(size_t i, size_t j) { return i * (i + 1) / 2 + j; }
constexpr size_t pairCount(size_t vectors) { return pairIndex(vectors, 0); }

/// How many elements the callers hand to gram() at once: n vectors of that many
/// stay in a level-2 cache for every n that a level has.
constexpr size_t kChunk = 4096;

struct ElementLoops {
  const char *name;
  /// sums[pairIndex(i, j)] = <x_i, x_j> for vectors of `count` elements.
  void (*gram)(const float *const *x, size_t n, size_t count, double *sums);
  /// sums[j] = <y, x_j>.
  void (*dots)(const float *y, const float *const *x, size_t n, size_t count,
               double *sums);
  /// out = sum of c_i x_i, added in this order in double precision and rounded
  /// once. `out` may be one of the x.
  void (*combine)(const float *const *x, const double *c, size_t n,
                  size_t count, float *out);
};

/// The passes this CPU can run, the fastest first.
const std::vector<ElementLoops> &supportedLoops();

} // namespace boostrt::adasum
