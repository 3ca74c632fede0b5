// ElementLoopsImpl.h - the loops of ElementLoops.h for a width of registers. A
// file says what a register of one width is, and is compiled for a CPU that has
// it.
#pragma once

#include "runtime/comm/vectors/ElementLoops.h"

#include <cstring>

#define BOOSTRT_INLINE [[gnu::always_inline]] inline
#define BOOSTRT_UNROLL _Pragma("GCC unroll 8")

namespace boostrt::adasum {

/// How many sums every product has, and elements a step has.
constexpr int kLanes = 8;

/// A register of doubles, in the file that is compiled for it. Elements in
/// memory are aligned to nothing but their own size.
///   Doubles load(const float *)
///   void round(Doubles, float *)
///   Doubles addProduct(a, b, sum): a b + sum, where a b is exact
template <int Width> struct Register;

/// block[i][j] = <rows_i, columns_j>; of a triangle only j <= i.
template <int Width, int Rows, int Columns, bool Triangle>
BOOSTRT_INLINE void products(const float *const *rows,
                             const float *const *columns, size_t count,
                             double (*block)[Columns]) {
  constexpr int kParts = kLanes / Width;
  using Register = Register<Width>;
  typename Register::Doubles total[Rows][Columns][kParts] = {};
  size_t whole = count - count % kLanes;
  for (size_t k = 0; k < whole; k += kLanes) {
    BOOSTRT_UNROLL
    for (int part = 0; part < kParts; ++part) {
      typename Register::Doubles left[Rows], right[Columns];
      BOOSTRT_UNROLL
      for (int i = 0; i < Rows; ++i)
        left[i] = Register::load(rows[i] + k + part * Width);
      BOOSTRT_UNROLL
      for (int j = 0; j < Columns; ++j)
        right[j] =
            Triangle ? left[j] : Register::load(columns[j] + k + part * Width);
      BOOSTRT_UNROLL
      for (int i = 0; i < Rows; ++i) {
        BOOSTRT_UNROLL
        for (int j = 0; j < Columns; ++j)
          if (!Triangle || j <= i)
            total[i][j][part] =
                Register::addProduct(left[i], right[j], total[i][j][part]);
      }
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < (Triangle ? i + 1 : Columns); ++j) {
      double lanes[kLanes];
      std::memcpy(lanes, total[i][j], sizeof(lanes));
      for (size_t k = whole; k < count; ++k)
        lanes[k - whole] += static_cast<double>(rows[i][k]) *
                            static_cast<double>(columns[j][k]);
      block[i][j] = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                    ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
}

/// The rows first .. first + Rows - 1 of the Gram matrix up to the diagonal;
/// `first` is a multiple of Rows.
template <int Width, int Rows>
BOOSTRT_INLINE void gramRows(const float *const *x, size_t first, size_t count,
                             double *sums) {
  double block[Rows][Rows];
  for (size_t j = 0; j < first; j += Rows) {
    products<Width, Rows, Rows, false>(x + first, x + j, count, block);
    for (size_t row = 0; row < Rows; ++row)
      for (size_t column = 0; column < Rows; ++column)
        sums[pairIndex(first + row, j + column)] = block[row][column];
  }
  products<Width, Rows, Rows, true>(x + first, x + first, count, block);
  for (size_t row = 0; row < Rows; ++row)
    for (size_t column = 0; column <= row; ++column)
      sums[pairIndex(first + row, first + column)] = block[row][column];
}

/// `Rows`: how many vectors fit into the registers, a power of two.
template <int Width, int Rows>
BOOSTRT_INLINE void gramLoop(const float *const *x, size_t n, size_t count,
                             double *sums) {
  size_t first = 0;
  for (; first + Rows <= n; first += Rows)
    gramRows<Width, Rows>(x, first, count, sums);
  if constexpr (Rows > 2)
    if (first + 2 <= n) {
      gramRows<Width, 2>(x, first, count, sums);
      first += 2;
    }
  if (first < n)
    gramRows<Width, 1>(x, first, count, sums);
}

template <int Width>
BOOSTRT_INLINE void dotLoop(const float *y, const float *const *x, size_t n,
                            size_t count, double *sums) {
  for (size_t j = 0; j < n; ++j) {
    double block[1][1];
    products<Width, 1, 1, false>(&y, x + j, count, block);
    sums[j] = block[0][0];
  }
}

/// Steps of `Parts` registers from element `k` on; returns where it stopped.
template <int Width, int Parts>
BOOSTRT_INLINE size_t combineSteps(const float *const *x, const double *c,
                                   size_t n, size_t k, size_t count,
                                   float *out) {
  using Register = Register<Width>;
  for (; k + Parts * Width <= count; k += Parts * Width) {
    typename Register::Doubles total[Parts];
    BOOSTRT_UNROLL
    for (int part = 0; part < Parts; ++part)
      total[part] = c[0] * Register::load(x[0] + k + part * Width);
    for (size_t i = 1; i < n; ++i) {
      BOOSTRT_UNROLL
      for (int part = 0; part < Parts; ++part)
        total[part] += c[i] * Register::load(x[i] + k + part * Width);
    }
    BOOSTRT_UNROLL
    for (int part = 0; part < Parts; ++part)
      Register::round(total[part], out + k + part * Width);
  }
  return k;
}

template <int Width>
BOOSTRT_INLINE void combineLoop(const float *const *x, const double *c,
                                size_t n, size_t count, float *out) {
  size_t k = combineSteps<Width, 4>(x, c, n, 0, count, out);
  for (; k < count; ++k) {
    double total = c[0] * x[0][k];
    for (size_t i = 1; i < n; ++i)
      total += c[i] * x[i][k];
    out[k] = static_cast<float>(total);
  }
}

/// The passes of a CPU with such registers; `Rows` of gramLoop().
template <int Width, int Rows>
constexpr ElementLoops makeLoops(const char *name) {
  return {name, gramLoop<Width, Rows>, dotLoop<Width>, combineLoop<Width>};
}

// In the files that are compiled for them.
extern const ElementLoops kAvx2Loops, kAvx512Loops;

} // namespace boostrt::adasum
