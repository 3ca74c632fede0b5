// AdasumKernels.h - what Adasum computes of vectors, wherever they lie:
// products with each other, and linear combinations. Every memory gives the
// same bits (ElementLoops.h says which), but for those of a NaN.
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace boostrt::adasum {

/// Elements of one vector that follow one another, as a memory has them listed.
struct ChunkPlace {
  uint64_t offset, begin; ///< in the bucket, in the part
  uint32_t count, held;   ///< elements; which vector, in Level::held
  uint32_t place;         ///< among all chunks, in the order of vectors
  uint32_t unused = 0;
};

/// No level has a larger radix, and so nothing more rows.
constexpr uint32_t kMaxRadix = 1024;

/// The same part of the vectors of several members: a row each.
struct Rows {
  float *bucket = nullptr, *staging = nullptr;
  size_t bucketElements = 0; ///< as far as chunks reach
  size_t places = 0;         ///< how many chunks there are in all
  uint32_t count = 0;
  uint32_t own = 0;  ///< this row lies in the bucket, others in `staging`
  size_t stride = 0; ///< elements of a row in `staging`

  /// The chunk's elements of a row.
  float *at(uint32_t row, const ChunkPlace &chunk) const {
    return row == own ? bucket + chunk.offset : partOf(row) + chunk.begin;
  }
  /// Where the part of another row than the own lies.
  float *partOf(uint32_t row) const {
    return staging + (row < own ? row : row - 1) * stride;
  }
};

/// For a linear combination. A list of terms begins with their number, as the
/// `row` of one that is none.
struct Term {
  uint64_t row = 0;
  double coefficient = 0;
};

/// Pointers are addresses in the memory; what is asked for may run later, in
/// the order of the asking.
class AdasumKernels {
public:
  virtual ~AdasumKernels() = default;

  /// sums[place * pairCount(rows)] .. = <x_i, x_j> of each chunk, at pairIndex.
  virtual Status gram(const Rows &rows, std::span<const ChunkPlace> chunks,
                      double *sums) = 0;
  /// sums[place * rows] .. = <x_row, x_j> of each chunk.
  virtual Status dots(const Rows &rows, uint32_t row,
                      std::span<const ChunkPlace> chunks, double *sums) = 0;
  /// totals[v] .. = the `products` sums of places begins[v] .. begins[v+1]-1,
  /// added in this order, for `vectors` vectors; there are `places` in all.
  virtual Status addPlaces(const double *sums, size_t places, uint32_t products,
                           const uint32_t *begins, uint32_t vectors,
                           double *totals) = 0;
  /// Row `into` of each chunk = the combination whose terms its vector has:
  /// terms[held * (rows + 1)] .. of `vectors` such lists. Without terms nothing
  /// is written. The row may be one of the terms.
  virtual Status combine(const Rows &rows, uint32_t into,
                         std::span<const ChunkPlace> chunks, const Term *terms,
                         size_t vectors) = 0;
};

} // namespace boostrt::adasum
