// TileFactor.h - Cholesky factors of tiles, and their inverses.
#pragma once

#include <cstdint>

namespace boostrt {

/// A matrix, or a part of one: rows of `stride` elements.
struct TileView {
  float *data;
  int64_t stride;

  float *at(int64_t row, int64_t column) const {
    return data + row * stride + column;
  }
  TileView part(int64_t row, int64_t column) const {
    return {at(row, column), stride};
  }
};

enum class Form : char { Plain = 'N', Transposed = 'T' };

/// c = beta c + alpha op(a) op(b), by oneDNN: op(a) is [rows, terms], op(b)
/// [terms, columns]. False where it fails, for lack of memory.
bool multiply(int64_t rows, int64_t columns, int64_t terms, float alpha,
              TileView a, Form formA, TileView b, Form formB, float beta,
              TileView c);

/// Replaces the lower triangle of a symmetric tile, [size, size], by its factor
/// L, and writes L^-1 to `inverse`, with zeros above the diagonal. False where
/// a pivot, which is the square of an element on the diagonal of L, is not
/// positive and finite, or oneDNN fails; both are unspecified then.
bool factorizeTile(TileView tile, int64_t size, TileView inverse);

} // namespace boostrt
