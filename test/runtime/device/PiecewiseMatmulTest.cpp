#include "runtime/device/cpu/PiecewiseMatmul.h"

#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cpu/ThreadPool.h"
#include "test/runtime/device/Draws.h"
#include "test/runtime/device/Requirements.h"

#include <gtest/gtest.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <set>

using namespace boostrt;

namespace {

/// C as computed on `threads` threads, in pieces for `shares`.
std::vector<float> multiply(const BoostMatmul &call, uint32_t threads,
                            uint32_t shares, size_t *pieces = nullptr) {
  auto pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool.ok());
  auto context = DnnlContext::create();
  auto product = PiecewiseMatmul::create(**context, call, shares);
  EXPECT_TRUE(product.ok()) << product.status().message();
  EXPECT_EQ((*product)->scratchBytes(), *PiecewiseMatmul::queryScratchBytes(
                                            **context, call, shares, shares));
  if (pieces)
    *pieces = (*product)->pieceCount();
  auto a = draws("a", call.m * call.k), b = draws("b", call.k * call.n);
  auto bias = draws("bias", call.n);
  std::vector<float> c(call.m * call.n, NAN);
  std::vector<std::byte> memory((*product)->scratchBytes() + BOOSTC_ALIGNMENT);
  void *scratch = memory.data();
  size_t space = memory.size();
  std::align(BOOSTC_ALIGNMENT, (*product)->scratchBytes(), scratch, space);
  void *operands[] = {a.data(), b.data(), call.has_bias ? bias.data() : nullptr,
                      c.data(), scratch};
  EXPECT_EQ((*product)->execute(**pool, operands), BOOSTC_CALL_OK);
  return c;
}

/// A sum of k products and the bias in any order: c sqrt(k + 1) u sum|ab|, with
/// c = 4.
void expectNear(const BoostMatmul &call, const std::vector<float> &c) {
  auto a = draws("a", call.m * call.k), b = draws("b", call.k * call.n);
  auto bias = draws("bias", call.n);
  for (int64_t i = 0; i < call.m; ++i)
    for (int64_t j = 0; j < call.n; ++j) {
      double sum = call.has_bias ? bias[j] : 0, magnitude = std::fabs(sum);
      for (int64_t l = 0; l < call.k; ++l) {
        double product =
            double(a[i * call.a_strides[0] + l * call.a_strides[1]]) *
            double(b[l * call.b_strides[0] + j * call.b_strides[1]]);
        sum += product;
        magnitude += std::fabs(product);
      }
      ASSERT_NEAR(c[i * call.n + j], sum,
                  4 * std::sqrt(double(call.k + 1)) * FLT_EPSILON / 2 *
                      magnitude)
          << "at " << i << "," << j;
    }
}

class PiecewiseMatmulShape
    : public testing::TestWithParam<std::array<int64_t, 3>> {};

TEST_P(PiecewiseMatmulShape, HasTheSameBitsOnAnyNumberOfThreads) {
  auto [m, n, k] = GetParam();
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (uint32_t bias : {0u, 1u}) {
        BoostMatmul call{m,
                         n,
                         k,
                         {transposeA ? 1 : k, transposeA ? m : 1},
                         {transposeB ? 1 : n, transposeB ? k : 1},
                         bias,
                         0};
        for (uint32_t shares : {1u, 2u, 3u, kStrictShares}) {
          std::vector<float> one = multiply(call, 1, shares);
          expectNear(call, one);
          for (uint32_t threads : {2u, 3u}) {
            std::vector<float> more = multiply(call, threads, shares);
            ASSERT_EQ(std::memcmp(one.data(), more.data(),
                                  one.size() * sizeof(float)),
                      0)
                << threads << " threads, " << shares << " shares";
          }
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PiecewiseMatmulShape,
                         testing::Values(std::array<int64_t, 3>{1, 1, 1},
                                         std::array<int64_t, 3>{32, 84, 120},
                                         std::array<int64_t, 3>{120, 400, 32},
                                         std::array<int64_t, 3>{97, 513, 129},
                                         std::array<int64_t, 3>{257, 300, 129},
                                         std::array<int64_t, 3>{513, 97, 129},
                                         std::array<int64_t, 3>{128, 512,
                                                                784}));

TEST(PiecewiseMatmul, LargeProductsAreCutAndSmallOnesAreNot) {
  auto count = [](int64_t m, int64_t n, int64_t k,
                  uint32_t shares = kStrictShares) {
    size_t pieces = 0;
    multiply({m, n, k, {k, 1}, {n, 1}, 0, 0}, 2, shares, &pieces);
    return pieces;
  };
  EXPECT_EQ(count(32, 10, 84), 1u);
  EXPECT_EQ(count(256, 256, 3), 1u) << "large, and no work";
  EXPECT_EQ(count(128, 512, 784), 4u);
  EXPECT_EQ(count(512, 128, 784), 4u);
  EXPECT_EQ(count(512, 784, 128), 12u);
  EXPECT_EQ(count(257, 300, 129), 4u);
  EXPECT_EQ(count(128, 512, 784, 2), 2u);
  EXPECT_EQ(count(128, 512, 784, 3), 3u);
  EXPECT_EQ(count(512, 90, 64, 2), 2u) << "two pieces of rows";
  EXPECT_EQ(count(128, 512, 784, 1), 1u);
  EXPECT_EQ(count(1, 512, 784, 2), 2u) << "little work, and much memory";
  EXPECT_EQ(count(32, 10, 84, 2), 1u);
}

TEST(PiecewiseMatmul, MemoryForManySharesIsEnoughForFewer) {
  auto context = DnnlContext::create();
  bool isNeeded = false;
  for (auto [m, n, k] : {std::array<int64_t, 3>{128, 512, 784},
                         {512, 97, 784},
                         {1, 2048, 784},
                         {10, 784, 512}}) {
    BoostMatmul call{m, n, k, {k, 1}, {1, k}, 1, 0};
    uint64_t most = *PiecewiseMatmul::queryScratchBytes(**context, call, 1, 9);
    isNeeded |= most > 0;
    for (uint32_t shares = 1; shares <= 9; ++shares)
      EXPECT_LE(
          (*PiecewiseMatmul::create(**context, call, shares))->scratchBytes(),
          most)
          << m << "x" << n << "x" << k << " for " << shares;
  }
  EXPECT_EQ(isNeeded, __builtin_cpu_supports("avx512f") != 0);
}

TEST(PiecewiseMatmul, WhatTheLibraryRefusesIsAMessage) {
  auto context = DnnlContext::create();
  BoostMatmul call{-4, 4, 4, {4, 1}, {4, 1}, 0, 0};
  EXPECT_EQ(
      PiecewiseMatmul::create(**context, call, kStrictShares).status().code(),
      ExitCode::Input);
  EXPECT_EQ(
      PiecewiseMatmul::queryScratchBytes(**context, call, 1, 2).status().code(),
      ExitCode::Input);
}

/// Where loops of a strictly reproducible program are cut.
std::set<std::pair<int64_t, int64_t>> cutsOf(uint32_t threads, uint32_t level) {
  BoostTarget target{};
  target.requirements = getRequirements();
  target.library_version = "";
  auto device = CpuDevice::create(threads, target, level);
  EXPECT_TRUE(device.ok());
  const BoostEnv &env = (*device)->env();
  std::vector<std::pair<int64_t, int64_t>> cuts(1000, {-1, -1});
  void *operands[] = {cuts.data()};
  env.parallel_for(
      &env, 0,
      [](void *const *operands, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          static_cast<std::pair<int64_t, int64_t> *>(operands[0])[i] = {begin,
                                                                        end};
      },
      operands, 1000, 10);
  EXPECT_EQ(
      std::count(cuts.begin(), cuts.end(), std::pair<int64_t, int64_t>(-1, -1)),
      0);
  return {cuts.begin(), cuts.end()};
}

TEST(StrictDevice, CutsLoopsWithoutRegardToThreads) {
  auto one = cutsOf(1, BOOSTC_REPRODUCIBLE_STRICT);
  EXPECT_EQ(one.size(), kStrictShares);
  for (uint32_t threads : {2u, 3u, 16u})
    EXPECT_EQ(cutsOf(threads, BOOSTC_REPRODUCIBLE_STRICT), one);
  EXPECT_NE(cutsOf(1, BOOSTC_REPRODUCIBLE_ON),
            cutsOf(2, BOOSTC_REPRODUCIBLE_ON));
}

} // namespace
