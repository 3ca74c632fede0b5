#include "runtime/device/cpu/TileFactor.h"

#include "runtime/device/cpu/OnCallingThread.h"

#include <algorithm>
#include <cmath>
#include <dnnl.h>

namespace boostrt {

bool multiply(int64_t rows, int64_t columns, int64_t terms, float alpha,
              TileView a, Form formA, TileView b, Form formB, float beta,
              TileView c) {
  OnCallingThread guard;
  return dnnl_sgemm(static_cast<char>(formA), static_cast<char>(formB), rows,
                    columns, terms, alpha, a.data, a.stride, b.data, b.stride,
                    beta, c.data, c.stride) == dnnl_success;
}

namespace {

/// Tiles of no more rows are factorized row by row.
constexpr int64_t kLeaf = 64;

bool factorizeLeaf(TileView tile, int64_t size, TileView inverse) {
  float upper[kLeaf][kLeaf]; // L^t: its rows are subtracted in one piece
  for (int64_t row = 0; row < size; ++row)
    for (int64_t column = row; column < size; ++column)
      upper[row][column] = *tile.at(column, row);
  for (int64_t k = 0; k < size; ++k) {
    float pivot = upper[k][k];
    if (!(pivot > 0) || !std::isfinite(pivot))
      return false;
    float factor = 1.0f / std::sqrt(pivot);
    for (int64_t j = k; j < size; ++j)
      upper[k][j] *= factor;
    for (int64_t i = k + 1; i < size; ++i) {
      float share = upper[k][i];
      for (int64_t j = i; j < size; ++j)
        upper[i][j] -= share * upper[k][j];
    }
  }
  for (int64_t row = 0; row < size; ++row) {
    float *to = inverse.at(row, 0);
    std::fill_n(to, size, 0.0f);
    to[row] = 1.0f;
    for (int64_t k = 0; k < row; ++k) {
      float share = upper[k][row];
      const float *from = inverse.at(k, 0);
      for (int64_t j = 0; j <= k; ++j)
        to[j] -= share * from[j];
    }
    float factor = 1.0f / upper[row][row];
    for (int64_t j = 0; j <= row; ++j)
      to[j] *= factor;
    for (int64_t column = 0; column <= row; ++column)
      *tile.at(row, column) = upper[column][row];
  }
  return true;
}

} // namespace

/// By halves: with L = [L1, 0; M, L2] the inverse is
/// [L1^-1, 0; -L2^-1 M L1^-1, L2^-1].
bool factorizeTile(TileView tile, int64_t size, TileView inverse) {
  if (size <= kLeaf)
    return factorizeLeaf(tile, size, inverse);
  int64_t first = (size / 2 + kLeaf - 1) / kLeaf * kLeaf, rest = size - first;
  TileView below = tile.part(first, 0), last = tile.part(first, first);
  TileView inverseBelow = inverse.part(first, 0),
           inverseLast = inverse.part(first, first);
  using enum Form;
  // M, by way of the memory of its part of the inverse.
  if (!factorizeTile(tile, first, inverse) ||
      !multiply(rest, first, first, 1, below, Plain, inverse, Transposed, 0,
                inverseBelow))
    return false;
  for (int64_t row = 0; row < rest; ++row)
    std::copy_n(inverseBelow.at(row, 0), first, below.at(row, 0));
  // The tile above the diagonal of L is free, for (M L1^-1)^t.
  TileView transposed = tile.part(0, first);
  if (!multiply(rest, rest, first, -1, below, Plain, below, Transposed, 1,
                last) ||
      !factorizeTile(last, rest, inverseLast) ||
      !multiply(first, rest, first, 1, inverse, Transposed, below, Transposed,
                0, transposed) ||
      !multiply(rest, first, rest, -1, inverseLast, Plain, transposed,
                Transposed, 0, inverseBelow))
    return false;
  for (int64_t row = 0; row < first; ++row)
    std::fill_n(inverse.at(row, first), rest, 0.0f);
  return true;
}

} // namespace boostrt
