// The bounds of Approximate.h and of lines of softmax hold whatever numbers the
// operands stand for.
#include "dialects/interfaces/Approximate.h"
#include "dialects/nn/Softmax.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <gtest/gtest.h>

using namespace boostc;

namespace {

/// Exact numbers, small and large errors, and intervals that reach zero.
const Approximate kNumbers[] = {
    {3.0, 0.0},  {1.0, 0x1p-20}, {-2.0, 0.5},      {1.0, 15.0},
    {0.0, 0.25}, {1e-9, 1e-12},  {3.5e-18, 1e-17}, {-1e-9, 2e-9},
    {1e6, 1.0},  {0.0625, 1e-9}, {-0.0625, 0.01},  {0.06, 0.01},
};

/// What `a` may stand for: both ends and some numbers between them.
std::vector<double> getSamples(Approximate a, double least = -INFINITY) {
  std::vector<double> samples;
  for (int i = -4; i <= 4; ++i)
    samples.push_back(std::max(a.value + a.error * i / 4.0, least));
  return samples;
}

/// `value` as single precision rounds it, with the bound of `expected`.
void expectCovered(Approximate expected, double value, const char *what,
                   Approximate a, Approximate b) {
  double rounded = static_cast<float>(value);
  // A relative 1e-15 is the rounding of the analysis itself.
  EXPECT_LE(std::abs(rounded - expected.value),
            expected.error * (1.0 + 1e-15) + 1e-15 * std::abs(expected.value))
      << what << " of " << a.value << " +- " << a.error << " and " << b.value
      << " +- " << b.error;
}

void expectCovers(
    const char *what,
    llvm::function_ref<Approximate(Approximate, Approximate)> bounded,
    llvm::function_ref<double(double, double)> exact) {
  for (Approximate a : kNumbers)
    for (Approximate b : kNumbers)
      for (double x : getSamples(a))
        for (double y : getSamples(b))
          expectCovered(bounded(a, b), exact(x, y), what, a, b);
}

TEST(Approximate, ArithmeticIsCovered) {
  expectCovers(
      "sum", [](Approximate a, Approximate b) { return a + b; },
      [](double x, double y) { return x + y; });
  expectCovers(
      "difference", [](Approximate a, Approximate b) { return a - b; },
      [](double x, double y) { return x - y; });
  expectCovers(
      "product", [](Approximate a, Approximate b) { return a * b; },
      [](double x, double y) { return x * y; });
}

TEST(Approximate, QuotientsAreCovered) {
  for (Approximate a : kNumbers)
    for (Approximate b : kNumbers) {
      if (b.value == 0.0)
        continue; // a divisor away from zero is asked for
      Approximate quotient = a / b;
      if (std::abs(b.value) <= b.error) {
        EXPECT_EQ(quotient.error, INFINITY) << b.value << " +- " << b.error;
        continue;
      }
      for (double x : getSamples(a))
        for (double y : getSamples(b))
          expectCovered(quotient, x / y, "quotient", a, b);
    }
}

// A variance whose bound reaches below zero is none below it: the constant that
// is added to it bounds what is divided by.
TEST(Approximate, ReciprocalRootsAreCovered) {
  for (Approximate a : kNumbers)
    for (double least : {1e-12, 1e-5, 0.5}) {
      Approximate sum(std::max(a.value, least), a.error);
      Approximate root = reciprocalRoot(sum, least);
      EXPECT_TRUE(std::isfinite(root.error));
      for (double x : getSamples(sum, least))
        expectCovered(root, 1.0 / std::sqrt(x), "reciprocal root", sum, least);
    }
}

// Also where the relative distance of the powers has no number.
TEST(Approximate, ExponentialsAreCovered) {
  for (Approximate a : {Approximate(0.0, 0.25), Approximate(3.0, 2.0),
                        Approximate(-2.5e11, 3e4), Approximate(-800.0, 801.0),
                        Approximate(-1000.0, 10.0)}) {
    EXPECT_TRUE(std::isfinite(exp(a).error));
    for (double x : getSamples(a))
      expectCovered(exp(a), std::exp(x), "exponential", a, {});
  }
}

// A divisor that is known to stay above something, though its bound does not.
TEST(Approximate, GuardedQuotientsAreCovered) {
  for (Approximate a : kNumbers)
    for (Approximate b : kNumbers)
      for (double least : {1e-8, 1e-3}) {
        Approximate divisor(std::max(b.value, least), b.error);
        Approximate quotient =
            divide(a, divisor, std::max(divisor.low(), least));
        EXPECT_TRUE(std::isfinite(quotient.error));
        for (double x : getSamples(a))
          for (double y : getSamples(divisor, least))
            expectCovered(quotient, x / y, "guarded quotient", a, divisor);
      }
}

TEST(Approximate, RootsAreCovered) {
  for (Approximate a : kNumbers)
    if (a.value >= 0.0)
      for (double x : getSamples(a, 0.0))
        expectCovered(sqrt(a), std::sqrt(x), "root", a, {});
}

// Also where exp(-x) has no number, in single or in double precision.
TEST(Approximate, LogisticIsCovered) {
  for (Approximate a : {Approximate(0.0, 0.25), Approximate(-3.0, 1e-6),
                        Approximate(-90.0, 1.0), Approximate(-800.0, 1.0),
                        Approximate(800.0, 1.0), Approximate(2.0, 20.0)}) {
    EXPECT_LT(logistic(a).error, 6.0);
    for (double x : getSamples(a))
      expectCovered(logistic(a), 1.0 / (1.0 + std::exp(-x)), "logistic", a, {});
  }
  EXPECT_LE(logistic(-800.0).error, kUnderflow);
}

/// Every corner and middle of a line of three numbers.
TEST(Approximate, LinesOfSoftmaxAreCovered) {
  const std::vector<Approximate> lines[] = {
      {{0.5, 0.0}, {-1.0, 0.0}, {2.0, 0.0}},
      {{0.5, 1e-3}, {-1.0, 1e-5}, {2.0, 1e-3}},
      {{0.5, 3.0}, {-1.0, 0.25}, {2.0, 1.0}},
      {{90.0, 40.0}, {-90.0, 40.0}, {80.0, 1.0}},
      {{0.0, 1000.0}, {1.0, 0.0}, {-500.0, 300.0}},
      {{4e8, 576.0}, {0.0, 512.0}, {-4e8, 0.0}},
      {{-6e8, 0.0}, {-6e8, 0.0}, {6e8, 1024.0}}};
  for (const std::vector<Approximate> &line : lines) {
    std::vector<Approximate> log = line, powers = line;
    nn::boundLogSoftmax(log);
    nn::boundSoftmax(powers);
    for (double x : getSamples(line[0]))
      for (double y : getSamples(line[1]))
        for (double z : getSamples(line[2])) {
          double maximum = std::max({x, y, z}), sum = 0.0;
          for (double element : {x, y, z})
            sum += std::exp(element - maximum);
          size_t i = 0;
          for (double element : {x, y, z}) {
            double exact = element - maximum - std::log(sum);
            expectCovered(log[i], exact, "log_softmax", line[i], line[0]);
            expectCovered(powers[i], std::exp(exact), "softmax", line[i],
                          line[0]);
            ++i;
          }
          // And step by step in single precision.
          auto single = [](double value) { return static_cast<float>(value); };
          float top = std::max({single(x), single(y), single(z)}), total = 0;
          for (double element : {x, y, z})
            total += std::exp(single(element) - top);
          i = 0;
          for (double element : {x, y, z}) {
            float shifted = single(element) - top;
            // What rounding the sample itself does belongs to no bound.
            Approximate log1 = log[i], power = powers[i];
            double own = 2 * kUnitRoundoff * line[i].magnitude() +
                         2 * kUnitRoundoff * std::abs(top);
            log1.error += own;
            power.error += std::min(own, 1.0);
            expectCovered(log1, shifted - std::log(total),
                          "log_softmax by steps", line[i], line[0]);
            expectCovered(power, std::exp(shifted) / total, "softmax by steps",
                          line[i], line[0]);
            ++i;
          }
        }
  }
}

TEST(Approximate, ClampsAreCovered) {
  for (Approximate limit : {Approximate::constant(0.0625), Approximate(0.0625),
                            Approximate(1.0, 0.25), Approximate(1e-9, 1e-15)})
    for (Approximate a : kNumbers)
      for (double x : getSamples(a))
        for (double l : getSamples(limit)) {
          // No rounding: the result is one of three numbers.
          double cut = std::min(std::max(x, -l), l);
          Approximate expected = clamp(a, limit);
          EXPECT_LE(std::abs(cut - expected.value),
                    expected.error + 1e-15 * std::abs(expected.value))
              << a.value << " +- " << a.error << " at " << limit.value;
        }
}

// A gradient far below the limit keeps its own error, however large the
// limit's is next to it.
TEST(Approximate, LimitThatIsNotReachedBringsNothing) {
  Approximate limit = Approximate::constant(0.02);
  ASSERT_GT(limit.error, 1e-9);
  EXPECT_EQ(clamp({1e-9, 1e-16}, limit).error, 1e-16);
  EXPECT_EQ(clamp({-1e-9, 1e-16}, limit).error, 1e-16);
  EXPECT_EQ(clamp({3.0, 1e-3}, limit).error, limit.error);
  EXPECT_EQ(clamp({-3.0, 1e-3}, limit).value, -0.02);
}

} // namespace
