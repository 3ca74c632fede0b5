// SamplesTest.cpp - PTX as nvcc and LLVM write it (Inputs/make.sh), compared
// with double precision. A kernel may differ from it by the rounding of its own
// sums, c * sqrt(n) * unit round-off * sum of magnitudes, and by that of the
// functions it calls (the CUDA maths documentation gives them in units of the
// last place).
#include "SimFixture.h"

#include "runtime/abi/boost_random.h"

#include <cmath>

using namespace boostrt;
using namespace boostrt::sim;

namespace {
constexpr double kUnit = 0x1p-24; // of f32

std::vector<float> draws(const char *name, size_t count, double low = -1,
                         double high = 1) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(boost_initial_value(
        BOOSTC_INIT_UNIFORM, low, high, 5, boost_random_stream(name),
        static_cast<int64_t>(i)));
  return values;
}

class Samples : public testing::TestWithParam<uint32_t> {
protected:
  MachineOptions options() const {
    MachineOptions options;
    options.threads = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, Samples, testing::Values(1u, 3u));

TEST_P(Samples, Softmax) {
  Sim sim(inputText("samples.ptx"), options());
  const int rows = 5, n = 300;
  std::vector<float> x = draws("x", rows * n, -8, 8);
  uint64_t from = sim.upload(x, "x"), to = sim.reserve<float>(x.size(), "y");
  sim.run("softmax", {rows}, {128}, Parameters().add(from).add(to).add(n));
  std::vector<float> y = sim.download<float>(to, x.size());
  for (int row = 0; row < rows; ++row) {
    double highest = -INFINITY, sum = 0;
    for (int i = 0; i < n; ++i)
      highest = std::fmax(highest, x[row * n + i]);
    for (int i = 0; i < n; ++i)
      sum += std::exp(x[row * n + i] - highest);
    for (int i = 0; i < n; ++i) {
      double expected = std::exp(x[row * n + i] - highest) / sum;
      // The argument's rounding (|x| <= 16), expf's 2 ulp twice, the sum.
      EXPECT_NEAR(y[row * n + i], expected,
                  expected * kUnit * (16 + 4 + 4 + 4 * std::sqrt(n)));
    }
  }
}

TEST_P(Samples, LayerNorm) {
  Sim sim(inputText("samples.ptx"), options());
  const int rows = 7, n = 90;
  std::vector<float> x = draws("x", rows * n), scale = draws("scale", n),
                     shift = draws("shift", n);
  uint64_t from = sim.upload(x, "x"), to = sim.reserve<float>(x.size(), "y");
  sim.run("layerNorm", {2}, {32, 4},
          Parameters()
              .add(from)
              .add(sim.upload(scale, "scale"))
              .add(sim.upload(shift, "shift"))
              .add(to)
              .add(rows)
              .add(n));
  std::vector<float> y = sim.download<float>(to, x.size());
  for (int row = 0; row < rows; ++row) {
    double mean = 0, square = 0;
    for (int i = 0; i < n; ++i)
      mean += x[row * n + i] / double(n);
    for (int i = 0; i < n; ++i)
      square += std::pow(x[row * n + i] - mean, 2) / n;
    for (int i = 0; i < n; ++i) {
      double expected =
          (x[row * n + i] - mean) / std::sqrt(square + 1e-5) * scale[i] +
          shift[i];
      EXPECT_NEAR(y[row * n + i], expected, 4 * std::sqrt(n) * kUnit * 4);
    }
  }
}

TEST_P(Samples, TiledMatmul) {
  Sim sim(inputText("samples.ptx"), options());
  const int m = 37, n = 50, k = 70;
  std::vector<float> a = draws("a", m * k), b = draws("b", k * n);
  uint64_t to = sim.reserve<float>(m * n, "c");
  sim.run("matmul", {4, 3}, {16, 16},
          Parameters()
              .add(sim.upload(a, "a"))
              .add(sim.upload(b, "b"))
              .add(to)
              .add(m)
              .add(n)
              .add(k));
  std::vector<float> c = sim.download<float>(to, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, magnitudes = 0;
      for (int l = 0; l < k; ++l) {
        sum += double(a[i * k + l]) * b[l * n + j];
        magnitudes += std::fabs(double(a[i * k + l]) * b[l * n + j]);
      }
      EXPECT_NEAR(c[i * n + j], sum, 4 * std::sqrt(k) * kUnit * magnitudes);
    }
}

TEST_P(Samples, TransposeThroughDynamicSharedMemory) {
  Sim sim(inputText("samples.ptx"), options());
  const int m = 45, n = 70;
  std::vector<float> x = draws("x", m * n);
  uint64_t to = sim.reserve<float>(m * n, "y");
  sim.run("transpose", {3, 2}, {32, 8},
          Parameters().add(sim.upload(x, "x")).add(to).add(m).add(n),
          32 * 33 * 4);
  std::vector<float> y = sim.download<float>(to, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      ASSERT_EQ(y[j * m + i], x[i * n + j]);
}

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

TEST_P(Samples, DropoutByCounters) {
  Sim sim(inputText("samples.ptx"), options());
  const int vectors = 333;
  std::vector<float> x = draws("x", 4 * vectors);
  uint64_t to = sim.reserve<float>(x.size(), "y"), seed = 0x123456789abcdefull;
  sim.run("dropout", {3}, {128},
          Parameters()
              .add(sim.upload(x, "x"))
              .add(to)
              .add(seed)
              .add(0.75f)
              .add(vectors));
  std::vector<float> y = sim.download<float>(to, x.size());
  size_t kept = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    float u = static_cast<float>(mix(seed + i) >> 40) * 0x1p-24f;
    ASSERT_EQ(y[i], u < 0.75f ? x[i] / 0.75f : 0.0f) << i;
    kept += y[i] != 0;
  }
  EXPECT_GT(kept, x.size() / 2);
  EXPECT_LT(kept, x.size());
}

TEST_P(Samples, DirectConvolution) {
  Sim sim(inputText("samples.ptx"), options());
  const int channels = 3, height = 9, width = 40, filters = 4;
  std::vector<float> x = draws("x", channels * height * width),
                     w = draws("w", filters * channels * 9);
  uint64_t to = sim.reserve<float>(filters * height * width, "y");
  sim.run("conv3x3", {2, height, filters}, {32},
          Parameters()
              .add(sim.upload(x, "x"))
              .add(sim.upload(w, "w"))
              .add(to)
              .add(channels)
              .add(height)
              .add(width));
  std::vector<float> y = sim.download<float>(to, filters * height * width);
  for (int f = 0; f < filters; ++f)
    for (int i = 0; i < height; ++i)
      for (int j = 0; j < width; ++j) {
        double sum = 0, magnitudes = 0;
        for (int c = 0; c < channels; ++c)
          for (int r = -1; r <= 1; ++r)
            for (int s = -1; s <= 1; ++s) {
              if (i + r < 0 || i + r >= height || j + s < 0 || j + s >= width)
                continue;
              double product = double(x[(c * height + i + r) * width + j + s]) *
                               w[((f * channels + c) * 3 + r + 1) * 3 + s + 1];
              sum += product;
              magnitudes += std::fabs(product);
            }
        EXPECT_NEAR(y[(f * height + i) * width + j], sum,
                    4 * std::sqrt(27.0) * kUnit * magnitudes);
      }
}

TEST_P(Samples, LanesThatPartMeetAgain) {
  Sim sim(inputText("samples.ptx"), options());
  const int n = 200;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = i * 37 % 911;
  uint64_t to = sim.reserve<int>(n, "y");
  sim.run("collatz", {4}, {64},
          Parameters().add(sim.upload(x, "x")).add(to).add(n));
  std::vector<int> y = sim.download<int>(to, n);
  for (int i = 0; i < n; ++i) {
    int steps = 0;
    for (long long v = x[i]; v > 1; ++steps)
      v = v % 2 ? 3 * v + 1 : v / 2;
    int expected = steps % 5 == 0   ? steps + 100
                   : steps % 5 == 1 ? steps * 3 - 7
                   : steps % 5 == 2 ? steps ^ 0x55
                   : steps % 5 == 3 ? -steps
                                    : steps;
    ASSERT_EQ(y[i], expected) << x[i];
  }
}

TEST_P(Samples, HistogramByAtomics) {
  Sim sim(inputText("samples.ptx"), options());
  const int n = 1000;
  std::vector<int> x(n);
  std::vector<unsigned> expected(16);
  for (int i = 0; i < n; ++i)
    ++expected[(x[i] = i * i % 97) & 15];
  uint64_t bins = sim.upload(std::vector<unsigned>(16), "bins");
  sim.run("histogram", {8}, {128},
          Parameters().add(sim.upload(x, "x")).add(bins).add(n));
  EXPECT_EQ(sim.download<unsigned>(bins, 16), expected);
}

TEST_P(Samples, RowSumsFromMlir) {
  Sim sim(inputText("rows.ptx"), options());
  std::vector<float> x = draws("x", 8 * 512);
  uint64_t to = sim.reserve<float>(8, "y");
  sim.run("row_sums", {8}, {128}, Parameters().add(sim.upload(x, "x")).add(to));
  std::vector<float> y = sim.download<float>(to, 8);
  for (int row = 0; row < 8; ++row) {
    double sum = 0, magnitudes = 0;
    for (int i = 0; i < 512; ++i) {
      sum += x[row * 512 + i];
      magnitudes += std::fabs(x[row * 512 + i]);
    }
    EXPECT_NEAR(y[row], sum, 4 * std::sqrt(512.0) * kUnit * magnitudes);
  }
}

double ulpOf(float value) {
  value = std::fabs(value);
  return double(std::nextafter(value, INFINITY)) - value;
}
double ulpOf(double value) {
  value = std::fabs(value);
  return std::nextafter(value, double(INFINITY)) - value;
}

template <class T>
void checkFunction(Sim &sim, const char *name, double (*reference)(double),
                   double low, double high, double ulps) {
  SCOPED_TRACE(name);
  std::vector<T> x(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<T>(low + (high - low) * double(i) / double(x.size()));
  uint64_t to = sim.reserve<T>(x.size(), "y");
  sim.run(std::string("k_") + name, {1}, {256},
          Parameters().add(sim.upload(x, "x")).add(to));
  std::vector<T> y = sim.download<T>(to, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    double expected = reference(x[i]);
    EXPECT_NEAR(y[i], expected, ulps * ulpOf(static_cast<T>(expected))) << x[i];
  }
}

// The slow paths of sin, cos and tan (arguments beyond 105615) work in local
// memory and multiply with carries.
TEST(SimLibdevice, FunctionsAreAsAccurateAsDocumented) {
  Sim sim(inputText("libdevice.ptx"));
  checkFunction<float>(sim, "expf", std::exp, -80, 80, 3);
  checkFunction<float>(sim, "exp2f", std::exp2, -100, 100, 3);
  checkFunction<float>(sim, "expm1f", std::expm1, -5, 20, 2);
  checkFunction<float>(sim, "logf", std::log, 1e-3, 50, 2);
  checkFunction<float>(sim, "log2f", std::log2, 1e-3, 50, 2);
  checkFunction<float>(sim, "log1pf", std::log1p, -0.99, 30, 2);
  checkFunction<float>(sim, "tanhf", std::tanh, -6, 6, 3);
  checkFunction<float>(sim, "erff", std::erf, -4, 4, 3);
  checkFunction<float>(sim, "sqrtf", std::sqrt, 0, 1e6, 1);
  checkFunction<float>(sim, "atanf", std::atan, -20, 20, 3);
  checkFunction<float>(sim, "cbrtf", std::cbrt, -20, 20, 2);
  checkFunction<float>(sim, "sinf", std::sin, -30, 30, 3);
  checkFunction<float>(sim, "cosf", std::cos, -30, 30, 3);
  checkFunction<float>(sim, "tanf", std::tan, -30, 30, 5);
  checkFunction<float>(sim, "sinf", std::sin, 1e6, 1e30, 3);
  checkFunction<float>(sim, "cosf", std::cos, 1e6, 1e30, 3);
  checkFunction<double>(sim, "exp", std::exp, -700, 700, 2);
  checkFunction<double>(sim, "log", std::log, 1e-3, 1e9, 2);
  checkFunction<double>(sim, "cos", std::cos, -1e3, 1e3, 2);
  checkFunction<double>(sim, "sin", std::sin, 1e10, 1e200, 2);
}

TEST(SimLibdevice, PowersAndRemainders) {
  Sim sim(inputText("libdevice.ptx"));
  std::vector<float> x = draws("x", 256, 0.1, 9), e = draws("e", 256, -3, 3);
  uint64_t to = sim.upload(e, "y");
  sim.run("k_powf", {1}, {256}, Parameters().add(sim.upload(x, "x")).add(to));
  std::vector<float> y = sim.download<float>(to, 256);
  for (int i = 0; i < 256; ++i) {
    double expected = std::pow(double(x[i]), double(e[i]));
    EXPECT_NEAR(y[i], expected, 5 * ulpOf(static_cast<float>(expected)));
  }
  std::vector<float> big = draws("big", 256, -1e6, 1e6);
  to = sim.upload(e, "y");
  sim.run("k_fmodf", {1}, {256},
          Parameters().add(sim.upload(big, "x")).add(to));
  y = sim.download<float>(to, 256);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(y[i], std::fmod(big[i], e[i]));
}

TEST(SimLibdevice, TheProbeOfLlvmLoads) {
  Sim sim(inputText("probe.ptx"));
  ASSERT_TRUE(sim.module.has_value());
  const Kernel *kernel = sim.module->findKernel("k1");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->parameters.size(), 5u);
  EXPECT_TRUE(kernel->ordered); // it uses what an atomic returns
}

} // namespace
