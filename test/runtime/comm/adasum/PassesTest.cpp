// The loops over elements, on every kind of CPU this one can be.
#include "runtime/comm/vectors/ElementLoops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace boostrt::adasum;

namespace {

/// n vectors of `count` elements, each from an odd place on.
struct Vectors {
  Vectors(size_t n, size_t count) : memory(n * (count + 17)) {
    std::mt19937 generator(static_cast<uint32_t>(n * 1000 + count));
    std::normal_distribution<float> normal;
    for (float &x : memory)
      x = normal(generator);
    for (size_t i = 0; i < n; ++i)
      x.push_back(memory.data() + i * (count + 17) + 1 + i % 3);
  }
  std::vector<float> memory;
  std::vector<const float *> x;
};

constexpr size_t counts[] = {0, 1, 7, 8, 9, 31, 32, 33, 1000, kChunk};

/// Sum k mod 8 is element k's; then eight become one, halves first.
double dotAsDefined(const float *a, const float *b, size_t count) {
  double lanes[8] = {};
  for (size_t k = 0; k < count; ++k)
    lanes[k % 8] += double(a[k]) * double(b[k]);
  for (size_t width = 4; width; width /= 2)
    for (size_t k = 0; k < width; ++k)
      lanes[k] += lanes[k + width];
  return lanes[0];
}

TEST(AdasumPasses, ProductsAreTheirDefinitionBitForBit) {
  for (const ElementLoops &passes : supportedLoops())
    for (size_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16})
      for (size_t count : counts) {
        Vectors vectors(n, count);
        std::vector<double> sums(pairCount(n), -1), row(n, -1);
        passes.gram(vectors.x.data(), n, count, sums.data());
        passes.dots(vectors.x[n / 2], vectors.x.data(), n, count, row.data());
        for (size_t i = 0; i < n; ++i) {
          for (size_t j = 0; j <= i; ++j)
            EXPECT_EQ(sums[pairIndex(i, j)],
                      dotAsDefined(vectors.x[i], vectors.x[j], count))
                << passes.name << " " << n << " " << count;
          EXPECT_EQ(row[i],
                    dotAsDefined(vectors.x[n / 2], vectors.x[i], count));
        }
      }
}

TEST(AdasumPasses, CombinationsAreRoundedOnce) {
  for (const ElementLoops &passes : supportedLoops())
    for (size_t n : {1, 2, 3, 4, 7, 16})
      for (size_t count : counts) {
        Vectors vectors(n, count);
        std::vector<double> c;
        for (size_t i = 0; i < n; ++i)
          c.push_back(std::sin(i + 1.0));
        std::vector<float> out(count + 1, 42), expected(count);
        for (size_t k = 0; k < count; ++k) {
          double sum = c[0] * vectors.x[0][k];
          for (size_t i = 1; i < n; ++i) {
            volatile double product = c[i] * vectors.x[i][k]; // not fused
            sum += product;
          }
          expected[k] = static_cast<float>(sum);
        }
        passes.combine(vectors.x.data(), c.data(), n, count, out.data());
        EXPECT_FALSE(
            std::memcmp(out.data(), expected.data(), count * sizeof(float)))
            << passes.name << " " << n << " " << count;
        EXPECT_EQ(out[count], 42);
        // In place.
        float *last = const_cast<float *>(vectors.x[n - 1]);
        passes.combine(vectors.x.data(), c.data(), n, count, last);
        EXPECT_FALSE(std::memcmp(last, expected.data(), count * sizeof(float)));
      }
}

TEST(AdasumPasses, SquaresOfAllFloatsFit) {
  std::vector<float> values = {3e38f, 1e20f, std::numeric_limits<float>::min(),
                               std::numeric_limits<float>::denorm_min()};
  for (const ElementLoops &passes : supportedLoops())
    for (float value : values) {
      std::vector<float> x(9, value);
      const float *pointer = x.data();
      double sum = 0;
      passes.gram(&pointer, 1, 9, &sum);
      EXPECT_EQ(sum, 9 * (double(value) * value)) << passes.name;
    }
}

} // namespace
