#include "test/e2e/WinogradBound.h"
#include "dialects/interfaces/Approximate.h"
#include "dialects/nn/NnDialect.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace mlir;
using namespace boostc;

namespace {

/// Magnitudes of the entries of B', G and A'.
constexpr std::array<std::array<double, 4>, 4> kSource{
    {{1, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}}};
constexpr std::array<std::array<double, 3>, 4> kTaps{
    {{1, 0, 0}, {.5, .5, .5}, {.5, .5, .5}, {0, 0, 1}}};
constexpr std::array<std::array<double, 4>, 2> kResult{
    {{1, 1, 1, 0}, {0, 1, 1, 1}}};

template <size_t Rows, size_t Columns>
using Matrix = std::array<std::array<double, Columns>, Rows>;
using Positions = Matrix<4, 4>;

template <size_t Rows, size_t Columns>
Matrix<Columns, Rows> transpose(const Matrix<Rows, Columns> &matrix) {
  Matrix<Columns, Rows> turned;
  for (size_t row = 0; row < Rows; ++row)
    for (size_t column = 0; column < Columns; ++column)
      turned[column][row] = matrix[row][column];
  return turned;
}

/// `matrix` x `matrix`'.
template <size_t Rows, size_t Columns>
Matrix<Rows, Rows> transform(const Matrix<Rows, Columns> &matrix,
                             const Matrix<Columns, Columns> &x) {
  Matrix<Rows, Rows> result{};
  for (size_t row = 0; row < Rows; ++row)
    for (size_t column = 0; column < Rows; ++column)
      for (size_t i = 0; i < Columns; ++i)
        for (size_t j = 0; j < Columns; ++j)
          result[row][column] += matrix[row][i] * x[i][j] * matrix[column][j];
  return result;
}

void addProducts(Positions &sum, const Positions &a, const Positions &b) {
  for (size_t row = 0; row < 4; ++row)
    for (size_t column = 0; column < 4; ++column)
      sum[row][column] += a[row][column] * b[row][column];
}

/// Magnitudes of an image, in squares.
struct Image {
  const Bounded &image;

  int64_t extent(int64_t axis) const { return image.value.dim(axis); }
  /// `Extent` pixels each way from (row, column) on; zeros outside.
  template <size_t Extent>
  Matrix<Extent, Extent> cut(int64_t sample, int64_t channel, int64_t row,
                             int64_t column) const {
    Matrix<Extent, Extent> square{};
    for (size_t i = 0; i < Extent; ++i)
      for (size_t j = 0; j < Extent; ++j) {
        int64_t y = row + static_cast<int64_t>(i);
        int64_t x = column + static_cast<int64_t>(j);
        if (y >= 0 && y < extent(2) && x >= 0 && x < extent(3))
          square[i][j] =
              image
                  .at(((sample * extent(1) + channel) * extent(2) + y) *
                          extent(3) +
                      x)
                  .magnitude();
      }
    return square;
  }
};

/// The pixels that the first tile of a source sees first.
struct Corner {
  int64_t row, column;
};

/// Element (sample, channel, row, column) of an image of `shape`.
int64_t at(ArrayRef<int64_t> shape, int64_t sample, int64_t channel,
           int64_t row, int64_t column) {
  return ((sample * shape[1] + channel) * shape[2] + row) * shape[3] + column;
}

/// A convolution of `source` whose taps from a term to a channel `getTaps`
/// gives.
void addGather(Image source, Corner corner, ArrayRef<int64_t> result,
               llvm::function_ref<Matrix<3, 3>(int64_t, int64_t)> getTaps,
               std::vector<double> &errors) {
  int64_t terms = source.extent(1);
  double gamma = gammaOf(static_cast<double>(terms + 11));
  for (int64_t channel = 0; channel < result[1]; ++channel) {
    std::vector<Positions> taps;
    for (int64_t term = 0; term < terms; ++term)
      taps.push_back(transform(kTaps, getTaps(term, channel)));
    for (int64_t n = 0; n < result[0]; ++n)
      for (int64_t row = 0; row < result[2]; row += 2)
        for (int64_t column = 0; column < result[3]; column += 2) {
          Positions sum{};
          for (int64_t term = 0; term < terms; ++term)
            addProducts(
                sum, taps[term],
                transform(kSource, source.cut<4>(n, term, row + corner.row,
                                                 column + corner.column)));
          Matrix<2, 2> pixels = transform(kResult, sum);
          for (int64_t i = 0; i < 2 && row + i < result[2]; ++i)
            for (int64_t j = 0; j < 2 && column + j < result[3]; ++j)
              errors[at(result, n, channel, row + i, column + j)] +=
                  gamma * pixels[i][j];
        }
  }
}

void addGradient(Image pixels, Image source, Corner corner,
                 std::vector<double> &errors) {
  int64_t filters = pixels.extent(1), channels = source.extent(1);
  int64_t tiles = pixels.extent(0) * llvm::divideCeil(pixels.extent(2), 2) *
                  llvm::divideCeil(pixels.extent(3), 2);
  double gamma = gammaOf(static_cast<double>(tiles + 8));
  for (int64_t filter = 0; filter < filters; ++filter)
    for (int64_t channel = 0; channel < channels; ++channel) {
      Positions sum{};
      for (int64_t n = 0; n < pixels.extent(0); ++n)
        for (int64_t row = 0; row < pixels.extent(2); row += 2)
          for (int64_t column = 0; column < pixels.extent(3); column += 2)
            addProducts(
                sum,
                transform(transpose(kResult),
                          pixels.cut<2>(n, filter, row, column)),
                transform(kSource, source.cut<4>(n, channel, row + corner.row,
                                                 column + corner.column)));
      Matrix<3, 3> taps = transform(transpose(kTaps), sum);
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 3; ++j)
          errors[((filter * channels + channel) * 3 + i) * 3 + j] +=
              gamma * taps[i][j];
    }
}

/// Taps in the same order as in `weight`, or turned round.
Matrix<3, 3> getTaps(const Bounded &weight, int64_t filter, int64_t channel,
                     bool isReversed) {
  Matrix<3, 3> taps;
  int64_t first = (filter * weight.value.dim(1) + channel) * 9;
  for (int64_t tap = 0; tap < 9; ++tap)
    taps[tap / 3][tap % 3] =
        weight.at(first + (isReversed ? 8 - tap : tap)).magnitude();
  return taps;
}

template <typename OpTy> bool canTransform(OpTy op, ArrayRef<int64_t> weight) {
  auto isOne = [](int64_t step) { return step == 1; };
  return weight[2] == 3 && weight[3] == 3 && op.getGroups() == 1 &&
         llvm::all_of(op.getStrides(), isOne) &&
         llvm::all_of(op.getDilations(), isOne);
}

} // namespace

void e2e::addWinogradErrors(Operation &op, ArrayRef<Bounded> operands,
                            ErrorBounds &errors) {
  if (auto forward = dyn_cast<nn::Conv2dOp>(op)) {
    const Bounded &weight = operands[1];
    if (!canTransform(forward, weight.value.shape))
      return;
    ArrayRef<int64_t> padding = forward.getPadding();
    addGather(
        {operands[0]}, {-padding[0], -padding[1]}, forward.getType().getShape(),
        [&](int64_t term, int64_t channel) {
          return getTaps(weight, channel, term, /*isReversed=*/false);
        },
        errors.front());
  } else if (auto data = dyn_cast<nn::Conv2dGradInputOp>(op)) {
    const Bounded &weight = operands[1];
    if (!canTransform(data, weight.value.shape))
      return;
    ArrayRef<int64_t> padding = data.getPadding();
    addGather(
        {operands[0]}, {padding[0] - 2, padding[1] - 2},
        data.getType().getShape(),
        [&](int64_t term, int64_t channel) {
          return getTaps(weight, term, channel, /*isReversed=*/true);
        },
        errors.front());
  } else if (auto taps = dyn_cast<nn::Conv2dGradWeightOp>(op)) {
    if (!canTransform(taps, taps.getType().getShape()))
      return;
    ArrayRef<int64_t> padding = taps.getPadding();
    addGradient({operands[0]}, {operands[1]}, {-padding[0], -padding[1]},
                errors.front());
  }
}
