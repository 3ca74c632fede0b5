#include "runtime/device/cpu/DampedInverse.h"

#include "runtime/abi/boost_call.h"
#include "runtime/device/cpu/ThreadPool.h"

#include <algorithm>
#include <cblas.h>
#include <cmath>

/// LAPACK: the Cholesky factor of a matrix that is stored by columns.
extern "C" void spotrf_(const char *uplo, const int *n, float *a,
                        const int *lda, int *info);

namespace boostrt {
namespace {

/// Calls `task` with 0 to `count` - 1, on up to `threads` threads.
template <class Task>
void forEachTask(uint32_t threads, int64_t count, const Task &task) {
  if (count == 0)
    return;
  const void *shared = &task;
  void *arguments[] = {const_cast<void *>(shared)};
  parallelFor(
      threads, static_cast<uint32_t>(count),
      [](void *const *arguments, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          (*static_cast<const Task *>(arguments[0]))(i);
      },
      arguments, count, 1);
}

/// Row and column of entry `index` of the lower triangle, row by row.
std::pair<int64_t, int64_t> locateInTriangle(int64_t index) {
  auto row = static_cast<int64_t>(
      (std::sqrt(8.0 * static_cast<double>(index) + 1.0) - 1.0) / 2.0);
  while (row * (row + 1) / 2 > index)
    --row;
  while ((row + 1) * (row + 2) / 2 <= index)
    ++row;
  return {row, index - row * (row + 1) / 2};
}

} // namespace

struct DampedInverse::Work {
  const float *matrices;
  float weight, damping;
  float *inverses, *factors;
  int64_t extent, tile;

  int64_t elements() const { return extent * extent; }
  int64_t begin(int64_t tileIndex) const { return tileIndex * tile; }
  int rowsOf(int64_t tileIndex) const {
    return static_cast<int>(std::min(tile, extent - begin(tileIndex)));
  }
  int stride() const { return static_cast<int>(extent); }
  float *at(float *of, int64_t matrix, int64_t row, int64_t column) const {
    return of + matrix * elements() + row * extent + column;
  }
  float *factorTile(int64_t matrix, int64_t row, int64_t column) const {
    return at(factors, matrix, begin(row), begin(column));
  }

  /// The rows of a tile of the damped matrix, up to the diagonal.
  void start(int64_t matrix, int64_t tileIndex) const {
    for (int64_t row = begin(tileIndex), end = row + rowsOf(tileIndex);
         row < end; ++row) {
      const float *from = matrices + matrix * elements() + row * extent;
      float *to = at(factors, matrix, row, 0);
      for (int64_t column = 0; column <= row; ++column)
        to[column] = weight * from[column];
      to[row] += damping;
    }
  }

  /// Factorizes a tile of the diagonal; false where a pivot is too small.
  bool factorize(int64_t matrix, int64_t tileIndex) const {
    int rows = rowsOf(tileIndex), ld = stride(), info = 0;
    float *tileOfFactor = factorTile(matrix, tileIndex, tileIndex);
    // By columns, the lower triangle is the upper one of the transposed.
    spotrf_("U", &rows, tileOfFactor, &ld, &info);
    if (info != 0)
      return false;
    for (int64_t i = 0; i < rows; ++i) {
      int64_t row = begin(tileIndex) + i;
      float diagonal =
          weight * matrices[matrix * elements() + row * extent + row] + damping;
      double least = std::max({BOOSTC_INVERSE_MIN_PART_OF_DAMPING * damping,
                               BOOSTC_INVERSE_MIN_PART_OF_DIAGONAL * diagonal,
                               BOOSTC_INVERSE_MIN_PIVOT});
      double root = tileOfFactor[i * extent + i];
      if (!(root * root >= least) || !std::isfinite(root))
        return false;
    }
    return true;
  }

  /// Solves for tile (row, column) of the factor, below the diagonal.
  void solve(int64_t matrix, int64_t row, int64_t column) const {
    cblas_strsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                rowsOf(row), rowsOf(column), 1.0f,
                factorTile(matrix, column, column), stride(),
                factorTile(matrix, row, column), stride());
  }

  /// Subtracts from tile (row, column) what tiles of `solved` give.
  void subtract(int64_t matrix, int64_t row, int64_t column,
                int64_t solved) const {
    const float *a = factorTile(matrix, row, solved),
                *b = factorTile(matrix, column, solved);
    float *c = factorTile(matrix, row, column);
    if (row == column)
      cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, rowsOf(row),
                  rowsOf(solved), -1.0f, a, stride(), 1.0f, c, stride());
    else
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rowsOf(row),
                  rowsOf(column), rowsOf(solved), -1.0f, a, stride(), b,
                  stride(), 1.0f, c, stride());
  }

  /// A panel of columns of the inverse, from the diagonal down: what is above
  /// neither substitution needs.
  void invert(int64_t matrix, int64_t panel) const {
    int64_t first = begin(panel);
    int rows = static_cast<int>(extent - first), columns = rowsOf(panel);
    float *x = at(inverses, matrix, first, first);
    for (int64_t row = 0; row < rows; ++row)
      std::fill_n(x + row * extent, columns, 0.0f);
    for (int64_t i = 0; i < columns; ++i)
      x[i * extent + i] = 1.0f;
    for (CBLAS_TRANSPOSE form : {CblasNoTrans, CblasTrans})
      cblas_strsm(CblasRowMajor, CblasLeft, CblasLower, form, CblasNonUnit,
                  rows, columns, 1.0f, factorTile(matrix, panel, panel),
                  stride(), x, stride());
  }

  /// The rows of a tile, from the diagonal on, from the columns below it.
  void mirror(int64_t matrix, int64_t tileIndex) const {
    constexpr int64_t kBlock = 16; // of floats, a cache line
    float *x = at(inverses, matrix, 0, 0);
    int64_t end = begin(tileIndex) + rowsOf(tileIndex);
    for (int64_t top = begin(tileIndex); top < end; top += kBlock)
      for (int64_t left = top; left < extent; left += kBlock)
        for (int64_t row = top; row < std::min(top + kBlock, end); ++row)
          for (int64_t column = std::max(left, row + 1);
               column < std::min(left + kBlock, extent); ++column)
            x[row * extent + column] = x[column * extent + row];
  }
};

/// OpenBLAS without threads of its own has one memory for all callers, too.
static bool isThreadSafe() {
  return openblas_get_parallel() != OPENBLAS_SEQUENTIAL;
}

/// Large tiles keep BLAS near its peak, many tiles keep threads busy.
static int64_t chooseTile(int64_t extent) { return extent < 1024 ? 128 : 256; }

DampedInverse::DampedInverse(const BoostDampedInverse &call)
    : matrices_(call.matrices), extent_(call.extent),
      tile_(chooseTile(extent_)), tiles_((extent_ + tile_ - 1) / tile_),
      isFactorized_(static_cast<size_t>(matrices_)) {
  openblas_set_num_threads(1); // those of the pool share the tiles
  open_.reserve(isFactorized_.size());
}

uint64_t DampedInverse::scratchBytes() const {
  return static_cast<uint64_t>(matrices_ * extent_ * extent_) * sizeof(float);
}

int32_t DampedInverse::execute(uint32_t threads, void *const *operands) {
  Work work{static_cast<const float *>(operands[0]),
            *static_cast<const float *>(operands[1]),
            *static_cast<const float *>(operands[2]),
            static_cast<float *>(operands[3]),
            static_cast<float *>(operands[5]),
            extent_,
            tile_};
  auto *failed = static_cast<int32_t *>(operands[4]);
  if (!isThreadSafe())
    threads = 1;
  std::ranges::fill(isFactorized_, 0);
  // What has no weight, as where there are no samples, has no inverse.
  int tries = std::isfinite(work.weight) ? BOOSTC_INVERSE_TRIES : 0;
  for (int i = 0; i < tries; ++i) {
    factorize(threads, work);
    work.damping *= static_cast<float>(BOOSTC_INVERSE_GROWTH);
  }
  forEachTask(threads, matrices_ * tiles_, [&](int64_t task) {
    // Large panels and small ones in turns.
    int64_t number = task / matrices_, matrix = task % matrices_;
    int64_t panel = number % 2 ? tiles_ - 1 - number / 2 : number / 2;
    if (isFactorized(matrix))
      work.invert(matrix, panel);
  });
  forEachTask(threads, matrices_ * tiles_, [&](int64_t task) {
    int64_t tile = task / matrices_, matrix = task % matrices_;
    if (isFactorized(matrix))
      work.mirror(matrix, tile);
    else
      std::fill_n(work.at(work.inverses, matrix, work.begin(tile), 0),
                  work.rowsOf(tile) * extent_, 0.0f);
  });
  for (int64_t matrix = 0; matrix < matrices_; ++matrix)
    failed[matrix] = isFactorized(matrix) ? 0 : 1;
  return BOOSTC_CALL_OK;
}

void DampedInverse::factorize(uint32_t threads, const Work &work) {
  open_.clear();
  for (int64_t matrix = 0; matrix < matrices_; ++matrix)
    if (!isFactorized(matrix))
      open_.push_back(matrix);
  auto forEachTile = [&](int64_t tiles, auto &&act) {
    forEachTask(threads, tiles * static_cast<int64_t>(open_.size()),
                [&](int64_t task) {
                  int64_t matrix = open_[static_cast<size_t>(task / tiles)];
                  act(matrix, task % tiles);
                });
  };
  forEachTile(tiles_,
              [&](int64_t matrix, int64_t tile) { work.start(matrix, tile); });
  for (int64_t column = 0; column < tiles_ && !open_.empty(); ++column) {
    forEachTile(1, [&](int64_t matrix, int64_t) {
      isFactorized_[static_cast<size_t>(matrix)] =
          work.factorize(matrix, column);
    });
    std::erase_if(open_, [&](int64_t matrix) { return !isFactorized(matrix); });
    int64_t below = tiles_ - column - 1;
    forEachTile(below, [&](int64_t matrix, int64_t row) {
      work.solve(matrix, column + 1 + row, column);
    });
    forEachTile(below * (below + 1) / 2, [&](int64_t matrix, int64_t index) {
      auto [row, other] = locateInTriangle(index);
      work.subtract(matrix, column + 1 + row, column + 1 + other, column);
    });
  }
}

} // namespace boostrt
