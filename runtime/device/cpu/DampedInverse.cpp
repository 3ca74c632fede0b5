#include "runtime/device/cpu/DampedInverse.h"

#include "runtime/abi/boost_call.h"
#include "runtime/device/cpu/ThreadPool.h"
#include "runtime/device/cpu/TileFactor.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>

namespace boostrt {
namespace {

using enum Form;

/// Calls `task` with 0 to `count` - 1, on the threads of `pool`.
template <class Task>
void forEachTask(ThreadPool &pool, int64_t count, const Task &task) {
  if (count == 0)
    return;
  const void *shared = &task;
  void *arguments[] = {const_cast<void *>(shared)};
  pool.parallelFor(
      static_cast<uint32_t>(count),
      [](void *const *arguments, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          (*static_cast<const Task *>(arguments[0]))(i);
      },
      arguments, count, 1);
}

/// Large tiles keep matmuls near the peak, many tiles keep threads busy.
int64_t chooseTile(int64_t extent) { return extent < 1024 ? 128 : 256; }

} // namespace

struct DampedInverse::Work {
  const float *matrices, *weights;
  float damping;
  float *inverses;
  /// Scratch memory: factors, [extent, extent]; inverses of their tiles on the
  /// diagonal, and room for a tile, each [tiles, tile, tile].
  float *factors, *tileInverses, *scratchTiles;
  int64_t extent, tile, tiles;
  std::atomic<int32_t> &status; ///< a BoostCallStatus

  int64_t begin(int64_t number) const { return number * tile; }
  int64_t rowsOf(int64_t number) const {
    return std::min(tile, extent - begin(number));
  }
  TileView view(float *of, int64_t matrix) const {
    return {of + matrix * extent * extent, extent};
  }
  TileView factor(int64_t matrix, int64_t row, int64_t column) const {
    return view(factors, matrix).part(begin(row), begin(column));
  }
  TileView small(float *of, int64_t matrix, int64_t number) const {
    return {of + (matrix * tiles + number) * tile * tile, tile};
  }
  TileView tileInverse(int64_t matrix, int64_t number) const {
    return small(tileInverses, matrix, number);
  }
  const float *matrixRow(int64_t matrix, int64_t row) const {
    return matrices + (matrix * extent + row) * extent;
  }

  /// The rows of a tile of the damped matrix, up to the diagonal.
  void start(int64_t matrix, int64_t number) const {
    for (int64_t row = begin(number), end = row + rowsOf(number); row < end;
         ++row) {
      const float *from = matrixRow(matrix, row);
      float *to = view(factors, matrix).at(row, 0);
      for (int64_t column = 0; column <= row; ++column)
        to[column] = weights[matrix] * from[column];
      to[row] += damping;
    }
  }

  /// Factorizes a tile of the diagonal; false where a pivot is too small.
  bool factorize(int64_t matrix, int64_t number) const {
    TileView tileOfFactor = factor(matrix, number, number);
    if (!factorizeTile(tileOfFactor, rowsOf(number),
                       tileInverse(matrix, number)))
      return false;
    for (int64_t i = 0; i < rowsOf(number); ++i) {
      int64_t row = begin(number) + i;
      float root = *tileOfFactor.at(i, i);
      if (!isLarge(root * root, weights[matrix] * matrixRow(matrix, row)[row]))
        return false;
    }
    return true;
  }

  /// Whether what is left of `element` of the diagonal is a pivot.
  bool isLarge(float pivot, float element) const {
    double diagonal = element + damping;
    double least = std::max({BOOSTC_INVERSE_MIN_PART_OF_DAMPING * damping,
                             BOOSTC_INVERSE_MIN_PART_OF_DIAGONAL * diagonal,
                             BOOSTC_INVERSE_MIN_PIVOT});
    return pivot >= least;
  }

  /// multiply(), whose failure is that of the call.
  template <typename... Arguments> void write(Arguments... arguments) const {
    if (!multiply(arguments...))
      status = BOOSTC_CALL_LIBRARY_FAILED;
  }

  /// Solves for tile (row, column) of the factor, below the diagonal.
  void solve(int64_t matrix, int64_t row, int64_t column) const {
    TileView x = factor(matrix, row, column);
    TileView sum = small(scratchTiles, matrix, row);
    write(rowsOf(row), rowsOf(column), rowsOf(column), 1, x, Plain,
          tileInverse(matrix, column), Transposed, 0, sum);
    for (int64_t i = 0; i < rowsOf(row); ++i)
      std::copy_n(sum.at(i, 0), rowsOf(column), x.at(i, 0));
  }

  /// Subtracts from tile (row, column) what tiles of column `solved` give.
  void subtract(int64_t matrix, int64_t row, int64_t column,
                int64_t solved) const {
    write(rowsOf(row), rowsOf(column), rowsOf(solved), -1,
          factor(matrix, row, solved), Plain, factor(matrix, column, solved),
          Transposed, 1, factor(matrix, row, column));
  }

  /// A panel of columns of the inverse, from the diagonal down: what is above
  /// neither substitution needs. First L Y = I, then L^t X = Y.
  void invert(int64_t matrix, int64_t panel) const {
    int64_t columns = rowsOf(panel), first = begin(panel);
    TileView x = view(inverses, matrix).part(0, first);
    TileView sum = small(scratchTiles, matrix, panel);
    TileView own = tileInverse(matrix, panel);
    for (int64_t i = 0; i < columns; ++i)
      std::copy_n(own.at(i, 0), columns, x.at(first + i, 0));
    for (int64_t row = panel + 1; row < tiles; ++row) {
      write(rowsOf(row), columns, begin(row) - first, -1,
            factor(matrix, row, panel), Plain, x.part(first, 0), Plain, 0, sum);
      write(rowsOf(row), columns, rowsOf(row), 1, tileInverse(matrix, row),
            Plain, sum, Plain, 0, x.part(begin(row), 0));
    }
    for (int64_t row = tiles; row-- > panel;) {
      int64_t end = begin(row) + rowsOf(row);
      TileView to = x.part(begin(row), 0);
      if (end < extent)
        write(rowsOf(row), columns, extent - end, -1,
              factor(matrix, row + 1, row), Transposed, x.part(end, 0), Plain,
              1, to);
      write(rowsOf(row), columns, rowsOf(row), 1, tileInverse(matrix, row),
            Transposed, to, Plain, 0, sum);
      for (int64_t i = 0; i < rowsOf(row); ++i)
        std::copy_n(sum.at(i, 0), columns, to.at(i, 0));
    }
  }

  /// The rows of a tile, from the diagonal on, from the columns below it.
  void mirror(int64_t matrix, int64_t number) const {
    constexpr int64_t kBlock = 16; // floats of a cache line
    TileView x = view(inverses, matrix);
    int64_t end = begin(number) + rowsOf(number);
    for (int64_t top = begin(number); top < end; top += kBlock)
      for (int64_t left = top; left < extent; left += kBlock)
        for (int64_t row = top; row < std::min(top + kBlock, end); ++row)
          for (int64_t column = std::max(left, row + 1);
               column < std::min(left + kBlock, extent); ++column)
            *x.at(row, column) = *x.at(column, row);
  }
};

Result<std::unique_ptr<CpuOperation>>
DampedInverse::create(const BoostDampedInverse &call) {
  if (call.matrices < 1 || call.extent < 1)
    return Status(ExitCode::Input,
                  fmt::format("expected matrices to invert, found {} of {} "
                              "rows",
                              call.matrices, call.extent));
  return std::unique_ptr<CpuOperation>(new DampedInverse(call));
}

DampedInverse::DampedInverse(const BoostDampedInverse &call)
    : matrices_(call.matrices), extent_(call.extent),
      tile_(chooseTile(extent_)), tiles_((extent_ + tile_ - 1) / tile_),
      isFactorized_(static_cast<size_t>(matrices_)) {
  open_.reserve(isFactorized_.size());
}

uint64_t DampedInverse::scratchBytes() const {
  int64_t elements = extent_ * extent_ + 2 * tiles_ * tile_ * tile_;
  return static_cast<uint64_t>(matrices_ * elements) * sizeof(float);
}

int32_t DampedInverse::execute(ThreadPool &pool, void *const *operands) {
  auto *scratch = static_cast<float *>(operands[5]);
  int64_t whole = matrices_ * extent_ * extent_;
  int64_t diagonal = matrices_ * tiles_ * tile_ * tile_;
  std::atomic<int32_t> status = BOOSTC_CALL_OK;
  Work work{static_cast<const float *>(operands[0]),
            static_cast<const float *>(operands[1]),
            *static_cast<const float *>(operands[2]),
            static_cast<float *>(operands[3]),
            scratch,
            scratch + whole,
            scratch + whole + diagonal,
            extent_,
            tile_,
            tiles_,
            status};
  auto *failed = static_cast<int32_t *>(operands[4]);
  std::ranges::fill(isFactorized_, 0);
  for (int i = 0; i < BOOSTC_INVERSE_TRIES; ++i) {
    factorize(pool, work);
    work.damping *= static_cast<float>(BOOSTC_INVERSE_GROWTH);
  }
  // Threads have equal shares of the work where a part has inverses.
  open_.clear();
  for (int64_t matrix = 0; matrix < matrices_; ++matrix)
    if (isFactorized(matrix))
      open_.push_back(matrix);
  auto inverted = static_cast<int64_t>(open_.size());
  forEachTask(pool, inverted * tiles_, [&](int64_t task) {
    // Large panels and small ones in turns.
    int64_t number = task / inverted;
    int64_t panel = number % 2 ? tiles_ - 1 - number / 2 : number / 2;
    work.invert(open_[static_cast<size_t>(task % inverted)], panel);
  });
  forEachTask(pool, matrices_ * tiles_, [&](int64_t task) {
    int64_t tile = task / matrices_, matrix = task % matrices_;
    if (isFactorized(matrix))
      work.mirror(matrix, tile);
    else
      std::fill_n(work.view(work.inverses, matrix).at(work.begin(tile), 0),
                  work.rowsOf(tile) * extent_, 0.0f);
  });
  for (int64_t matrix = 0; matrix < matrices_; ++matrix)
    failed[matrix] = isFactorized(matrix) ? 0 : 1;
  return status;
}

void DampedInverse::factorize(ThreadPool &pool, const Work &work) {
  open_.clear();
  // What has no weight, as where there are no samples, has no inverse.
  for (int64_t matrix = 0; matrix < matrices_; ++matrix)
    if (!isFactorized(matrix) && std::isfinite(work.weights[matrix]))
      open_.push_back(matrix);
  auto forEachTile = [&](int64_t tiles, auto &&act) {
    forEachTask(pool, tiles * static_cast<int64_t>(open_.size()),
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
    forEachTile(below * below, [&](int64_t matrix, int64_t index) {
      int64_t row = index / below, other = index % below;
      if (other <= row)
        work.subtract(matrix, column + 1 + row, column + 1 + other, column);
    });
  }
}

} // namespace boostrt
