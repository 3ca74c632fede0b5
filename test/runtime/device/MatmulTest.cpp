#include "runtime/device/cpu/Matmul.h"

#include "runtime/device/FloatTypes.h"
#include "runtime/device/cpu/ThreadPool.h"
#include "test/runtime/device/Draws.h"
#include "test/runtime/device/Elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <new>
#include <string>
#include <vector>

using namespace boostrt;

namespace {

/// Elements up to the last one reached.
int64_t extentOf(int64_t rows, int64_t columns, const int64_t *strides) {
  return (rows - 1) * strides[0] + (columns - 1) * strides[1] + 1;
}

struct Scratch {
  explicit Scratch(uint64_t bytes)
      : data(::operator new(bytes + 1, std::align_val_t(BOOSTC_ALIGNMENT))) {}
  ~Scratch() { ::operator delete(data, std::align_val_t(BOOSTC_ALIGNMENT)); }
  void *data;
};

/// `values` rounded to a type.
struct Matrix {
  Matrix(const std::vector<float> &values, uint32_t type)
      : bytes(values.size() * bytesOfElement(type)), type(type) {
    for (size_t i = 0; i < values.size(); ++i)
      Elements(bytes.data(), type).set(i, values[i]);
  }
  double operator[](int64_t i) const {
    return Elements(bytes.data(), type)[static_cast<size_t>(i)];
  }
  std::vector<std::byte> bytes;
  uint32_t type;
};

/// Runs `call` and compares with loops in double. The bound is that of a sum of
/// k + 1 products in any order, c sqrt(k) u sum|ab|, with c = 4, and of
/// rounding the result to 8 bits.
void checkAgainstLoops(const BoostMatmul &call, MatmulTypes types = {}) {
  SCOPED_TRACE(testing::Message()
               << call.m << "x" << call.n << "x" << call.k << " strides "
               << call.a_strides[0] << "," << call.a_strides[1] << " "
               << call.b_strides[0] << "," << call.b_strides[1] << " bias "
               << call.has_bias << " types " << types.factor << ","
               << types.result);
  auto context = DnnlContext::create();
  ASSERT_TRUE(context.ok());
  auto matmul = Matmul::create(**context, call, types);
  ASSERT_TRUE(matmul.ok()) << matmul.status().message();

  Matrix a(draws("a", extentOf(call.m, call.k, call.a_strides)), types.factor);
  Matrix b(draws("b", extentOf(call.k, call.n, call.b_strides)), types.factor);
  Matrix bias(draws("bias", call.n), types.result);
  Matrix c(std::vector<float>(call.m * call.n, 77), types.result);
  Scratch scratch((*matmul)->scratchBytes());
  void *operands[] = {a.bytes.data(), b.bytes.data(),
                      call.has_bias ? bias.bytes.data() : nullptr,
                      c.bytes.data(), scratch.data};
  ASSERT_EQ((*matmul)->execute(operands), BOOSTC_CALL_OK);

  for (int64_t i = 0; i < call.m; ++i)
    for (int64_t j = 0; j < call.n; ++j) {
      double sum = call.has_bias ? bias[j] : 0, magnitude = std::fabs(sum);
      for (int64_t l = 0; l < call.k; ++l) {
        double product = a[i * call.a_strides[0] + l * call.a_strides[1]] *
                         b[l * call.b_strides[0] + j * call.b_strides[1]];
        sum += product;
        magnitude += std::fabs(product);
      }
      double bound =
          4 * std::sqrt(double(call.k + 1)) * FLT_EPSILON / 2 * magnitude +
          (types.result == BOOSTC_FLOAT_BF16 ? 0x1.01p-8 * std::fabs(sum) : 0);
      ASSERT_NEAR(c[i * call.n + j], sum, bound) << "at " << i << "," << j;
    }
}

class MatmulShape : public testing::TestWithParam<std::array<int64_t, 3>> {};

TEST_P(MatmulShape, AgreesWithLoopsForAllStridesAndBiases) {
  auto [m, n, k] = GetParam();
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (uint32_t bias : {0u, 1u})
        checkAgainstLoops({m,
                           n,
                           k,
                           {transposeA ? 1 : k, transposeA ? m : 1},
                           {transposeB ? 1 : n, transposeB ? k : 1},
                           bias,
                           0});
}

// In software where the CPU does not multiply bf16.
TEST_P(MatmulShape, AgreesWithLoopsInBf16) {
  if (!__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "oneDNN has no matmul in bf16 without AVX-512";
  auto [m, n, k] = GetParam();
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (uint32_t result : {BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_F32})
        for (uint32_t bias : {0u, 1u})
          checkAgainstLoops({m,
                             n,
                             k,
                             {transposeA ? 1 : k, transposeA ? m : 1},
                             {transposeB ? 1 : n, transposeB ? k : 1},
                             bias,
                             0},
                            {BOOSTC_FLOAT_BF16, result});
}

INSTANTIATE_TEST_SUITE_P(Sizes, MatmulShape,
                         testing::Values(std::array<int64_t, 3>{1, 1, 1},
                                         std::array<int64_t, 3>{1, 10, 7},
                                         std::array<int64_t, 3>{10, 1, 7},
                                         std::array<int64_t, 3>{10, 7, 1},
                                         std::array<int64_t, 3>{1, 1, 513},
                                         std::array<int64_t, 3>{3, 5, 7},
                                         std::array<int64_t, 3>{31, 17, 129},
                                         std::array<int64_t, 3>{32, 10, 784},
                                         std::array<int64_t, 3>{65, 127, 33}));

TEST(Matmul, ReadsRowsOfAWiderBuffer) {
  checkAgainstLoops({5, 6, 7, {11, 1}, {13, 1}, 1, 0});
  checkAgainstLoops({5, 6, 7, {1, 9}, {1, 12}, 0, 0});
}

// boostc asks before any matmul exists, and boost-run when others do.
TEST(Matmul, ScratchDoesNotDependOnTheMatmulsBefore) {
  auto context = DnnlContext::create();
  ASSERT_TRUE(context.ok());
  for (int64_t m : {1, 3})
    for (int64_t n : {1, 2})
      for (int64_t k : {1, 5}) {
        SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
        const BoostMatmul dense{m, n, k, {k, 1}, {1, k}, 1, 0};
        BoostMatmul wide = dense;
        wide.a_strides[0] = m == 1 ? 55 : k;
        wide.a_strides[1] = k == 1 ? 77 : 1;
        wide.b_strides[0] = k == 1 ? 33 : 1;
        wide.b_strides[1] = n == 1 ? 99 : k;
        int64_t rowStride = m == 1 ? 44 : n;
        auto asked = Matmul::queryScratchBytes(**context, wide, {}, rowStride);
        ASSERT_TRUE(asked.ok()) << asked.status().message();
        auto first = Matmul::create(**context, dense, {});
        auto second = Matmul::create(**context, wide, {}, rowStride);
        ASSERT_TRUE(first.ok() && second.ok());
        EXPECT_EQ((*second)->scratchBytes(), *asked);
      }
}

TEST(Matmul, TheSamePrimitiveTakesOtherBuffersAtEachCall) {
  auto context = DnnlContext::create();
  ASSERT_TRUE(context.ok());
  auto matmul = Matmul::create(**context, {2, 2, 2, {2, 1}, {2, 1}, 0, 0});
  ASSERT_TRUE(matmul.ok());
  Scratch scratch((*matmul)->scratchBytes());
  float one[] = {1, 0, 0, 1}, two[] = {2, 0, 0, 2}, b[] = {1, 2, 3, 4}, c[4];
  void *first[] = {one, b, nullptr, c, scratch.data};
  ASSERT_EQ((*matmul)->execute(first), BOOSTC_CALL_OK);
  EXPECT_THAT(c, testing::ElementsAre(1, 2, 3, 4));
  void *second[] = {two, b, nullptr, c, scratch.data};
  ASSERT_EQ((*matmul)->execute(second), BOOSTC_CALL_OK);
  EXPECT_THAT(c, testing::ElementsAre(2, 4, 6, 8));
}

TEST(Matmul, NaNPassesThrough) {
  // A product that is not finite must reach the check in `update`.
  auto context = DnnlContext::create();
  ASSERT_TRUE(context.ok());
  auto matmul = Matmul::create(**context, {1, 1, 1, {1, 1}, {1, 1}, 0, 0});
  ASSERT_TRUE(matmul.ok());
  Scratch scratch((*matmul)->scratchBytes());
  float a = NAN, b = 1, c = 0;
  void *operands[] = {&a, &b, nullptr, &c, scratch.data};
  ASSERT_EQ((*matmul)->execute(operands), BOOSTC_CALL_OK);
  EXPECT_TRUE(std::isnan(c));
}

TEST(Matmul, WhatTheLibraryRefusesIsAMessage) {
  auto context = DnnlContext::create();
  ASSERT_TRUE(context.ok());
  auto matmul = Matmul::create(**context, {-4, 4, 4, {4, 1}, {4, 1}, 0, 0});
  ASSERT_FALSE(matmul.ok());
  EXPECT_EQ(matmul.status().code(), ExitCode::Input);
  EXPECT_THAT(matmul.status().message(),
              testing::HasSubstr("has no f32 matmul of -4x4 by 4x4 with "
                                 "strides [4, 1] and [4, 1] on this CPU"));
}

TEST(Matmul, HalfPrecisionIsRefused) {
  auto context = DnnlContext::create();
  ASSERT_TRUE(context.ok());
  auto matmul = Matmul::create(**context, {4, 4, 4, {4, 1}, {4, 1}, 0, 0},
                               {BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F32});
  ASSERT_FALSE(matmul.ok());
  EXPECT_EQ(matmul.status().code(), ExitCode::Input);
  EXPECT_THAT(matmul.status().message(),
              testing::HasSubstr("has no f16 matmul of 4x4 by 4x4"));
}

} // namespace
