#include "runtime/device/cpu/DampedInverse.h"

#include "runtime/device/cpu/ThreadPool.h"
#include "test/runtime/device/Draws.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace boostrt;

namespace {

using Matrices = std::vector<float>; ///< [count, extent, extent]

struct Inverses {
  Matrices values;
  std::vector<int32_t> failed;
};

Inverses invert(int64_t count, int64_t extent, const Matrices &matrices,
                std::vector<float> weights, float damping,
                uint32_t threads = 2) {
  auto pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool.ok());
  auto operation = DampedInverse::create({count, extent});
  EXPECT_TRUE(operation.ok());
  Inverses inverses{Matrices(matrices.size(), NAN),
                    std::vector<int32_t>(count, -1)};
  std::vector<std::byte> scratch((*operation)->scratchBytes());
  Matrices copy = matrices;
  void *operands[] = {copy.data(),
                      weights.data(),
                      &damping,
                      inverses.values.data(),
                      inverses.failed.data(),
                      scratch.data()};
  EXPECT_EQ((*operation)->execute(**pool, operands), BOOSTC_CALL_OK);
  EXPECT_EQ(
      std::memcmp(copy.data(), matrices.data(), copy.size() * sizeof(float)), 0)
      << "what is inverted is not written";
  return inverses;
}

/// With one weight for all.
Inverses invert(int64_t count, int64_t extent, const Matrices &matrices,
                float weight, float damping, uint32_t threads = 2) {
  return invert(count, extent, matrices, std::vector<float>(count, weight),
                damping, threads);
}

/// Sums of outer squares of random rows, as factors are.
Matrices randomFactors(int64_t count, int64_t extent) {
  const int64_t rows = 24;
  std::vector<float> values = draws("factors", count * rows * extent);
  Matrices factors(count * extent * extent);
  for (int64_t m = 0; m < count; ++m)
    for (int64_t i = 0; i < extent; ++i)
      for (int64_t j = 0; j < extent; ++j) {
        double sum = 0;
        for (int64_t row = 0; row < rows; ++row)
          sum += double(values[(m * rows + row) * extent + i]) *
                 values[(m * rows + row) * extent + j];
        factors[(m * extent + i) * extent + j] = static_cast<float>(sum);
      }
  return factors;
}

/// The magnitudes of the rows of a matrix, the largest sum of one.
double normOf(const std::function<double(int64_t, int64_t)> &at,
              int64_t extent) {
  double norm = 0;
  for (int64_t i = 0; i < extent; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < extent; ++j)
      sum += std::fabs(at(i, j));
    norm = std::max(norm, sum);
  }
  return norm;
}

/// That x (weight m + damping I) is I, but for rounding: the backward error of
/// a Cholesky factorization and both substitutions, 8 d u sqrt(m_ii m_jj) of
/// each element (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// theorems 10.3 and 14.5).
void expectInverse(const float *m, const float *x, int64_t extent, float weight,
                   double damping) {
  auto element = [&](int64_t i, int64_t j) {
    return double(weight) * m[i * extent + j] + (i == j ? damping : 0);
  };
  double largest = 0;
  for (int64_t i = 0; i < extent; ++i)
    largest = std::max(largest, element(i, i));
  double bound =
      8 * double(extent) * FLT_EPSILON / 2 * largest *
      normOf([&](int64_t i, int64_t j) { return x[i * extent + j]; }, extent);
  int64_t step = extent < 600 ? 1 : 13; // of a large one not every row
  for (int64_t i = 0; i < extent; i += step)
    for (int64_t j = 0; j < extent; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < extent; ++k)
        sum += double(x[i * extent + k]) * element(k, j);
      ASSERT_NEAR(sum, i == j ? 1 : 0, bound) << "at " << i << "," << j;
      ASSERT_EQ(x[i * extent + j], x[j * extent + i]);
    }
}

/// What fills tiles, what leaves a small one, and what has both sizes of tiles.
class DampedInverseExtent : public testing::TestWithParam<int64_t> {};

TEST_P(DampedInverseExtent, IsOneAndHasTheSameBitsOnAnyNumberOfThreads) {
  int64_t extent = GetParam(), count = extent > 600 ? 1 : 3;
  Matrices factors = randomFactors(count, extent);
  Inverses inverses = invert(count, extent, factors, 0.25f, 0.5f);
  for (int64_t m = 0; m < count; ++m) {
    EXPECT_EQ(inverses.failed[m], 0);
    expectInverse(&factors[m * extent * extent],
                  &inverses.values[m * extent * extent], extent, 0.25f, 0.5);
  }
  for (uint32_t threads : {1, 3})
    EXPECT_EQ(invert(count, extent, factors, 0.25f, 0.5f, threads).values,
              inverses.values)
        << threads;
}

INSTANTIATE_TEST_SUITE_P(Extents, DampedInverseExtent,
                         testing::Values(1, 2, 127, 128, 129, 300, 1025));

/// A diagonal with `last` at its end, in a matrix of two tiles; the others 1.
Matrices diagonal(int64_t extent, float last) {
  Matrices matrix(extent * extent, 0);
  for (int64_t i = 0; i < extent; ++i)
    matrix[i * extent + i] = i + 1 < extent ? 1.0f : last;
  return matrix;
}

TEST(DampedInverse, AMatrixThatIsNotDefiniteGetsMoreDamping) {
  const int64_t extent = 200;
  Matrices matrices = diagonal(extent, 1.0f), other = diagonal(extent, -5.0f);
  matrices.insert(matrices.end(), other.begin(), other.end());
  Inverses inverses = invert(2, extent, matrices, 1.0f, 0.125f);
  EXPECT_EQ(inverses.failed, std::vector<int32_t>({0, 0}));
  EXPECT_FLOAT_EQ(inverses.values[0], 1 / 1.125f) << "the first try had one";
  // 0.125 and 1.25 are not enough for -5.
  const float *second = &inverses.values[extent * extent];
  EXPECT_FLOAT_EQ(second[0], 1 / 13.5f);
  EXPECT_FLOAT_EQ(second[extent * extent - 1], 1 / 7.5f);
}

TEST(DampedInverse, WhatIsNotDefiniteWithAnyDampingHasZeros) {
  const int64_t extent = 200;
  for (float last : {-1e6f, std::numeric_limits<float>::infinity(),
                     std::numeric_limits<float>::quiet_NaN()}) {
    // Between two that have inverses.
    Matrices matrices = diagonal(extent, 1.0f), other = diagonal(extent, last);
    matrices.insert(matrices.end(), other.begin(), other.end());
    Matrices definite = diagonal(extent, 1.0f);
    matrices.insert(matrices.end(), definite.begin(), definite.end());
    Inverses inverses = invert(3, extent, matrices, 1.0f, 0.125f);
    EXPECT_EQ(inverses.failed, std::vector<int32_t>({0, 1, 0}));
    auto second = inverses.values.begin() + extent * extent;
    EXPECT_EQ(Matrices(second, second + extent * extent),
              Matrices(extent * extent, 0.0f));
    EXPECT_FLOAT_EQ(inverses.values.front(), 1 / 1.125f);
    EXPECT_FLOAT_EQ(inverses.values.back(), 1 / 1.125f);
  }
}

TEST(DampedInverse, APivotThatIsRoundingHasNoInverse) {
  // What is left of the last pivot is below a few units in its last place.
  Matrices matrix = {1.0f, 1.0f, 1.0f, 1.0f};
  EXPECT_EQ(invert(1, 2, matrix, 1.0f, 0.0f).failed.front(), 1);
  EXPECT_EQ(invert(1, 2, matrix, 1.0f, 0x1p-10f).failed.front(), 0);
}

TEST(DampedInverse, WithoutSamplesThereIsNoWeightAndNoInverse) {
  Matrices zeros(300 * 300, 0.0f);
  Inverses inverses =
      invert(1, 300, zeros, std::numeric_limits<float>::infinity(), 0.5f);
  EXPECT_EQ(inverses.failed.front(), 1);
  EXPECT_EQ(inverses.values, zeros);
}

// As where a rank has a part of the matrices.
TEST(DampedInverse, OfSomeMatricesAreTheSameBitsAsOfAll) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  const int64_t count = 5, extent = 300;
  Matrices factors = randomFactors(count, extent);
  std::vector<float> weights = {0.25f, 1.0f, 2.0f, 0.5f, 4.0f};
  Inverses all = invert(count, extent, factors, weights, 0.5f);
  EXPECT_EQ(all.failed, std::vector<int32_t>(count, 0));
  for (int64_t first = 0; first < count; ++first) {
    std::vector<float> some(count, kNone);
    for (int64_t m = first; m < std::min(first + 2, count); ++m)
      some[m] = weights[m];
    Inverses inverses = invert(count, extent, factors, some, 0.5f);
    for (int64_t m = 0; m < count; ++m) {
      bool hasOne = some[m] != kNone;
      EXPECT_EQ(inverses.failed[m], hasOne ? 0 : 1);
      for (int64_t i = m * extent * extent; i < (m + 1) * extent * extent; ++i)
        ASSERT_EQ(inverses.values[i], hasOne ? all.values[i] : 0.0f);
    }
  }
}

} // namespace
