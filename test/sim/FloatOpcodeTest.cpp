// FloatOpcodeTest.cpp - floats against the host's IEEE arithmetic.
#include "FloatFixture.h"

using namespace boostrt;
using namespace boostrt::sim;

namespace {
template <class T> void checkArithmetic(const std::string &type) {
  auto v = values<T>();
  checkOpcode<T>(
      "add.rn." + type + " D, A, B;",
      [](T a, T b) { return host(a) + host(b); }, v, v);
  checkOpcode<T>(
      "sub." + type + " D, A, B;", [](T a, T b) { return host(a) - host(b); },
      v, v);
  checkOpcode<T>(
      "mul.rn." + type + " D, A, B;",
      [](T a, T b) { return host(a) * host(b); }, v, v);
  checkOpcode<T>(
      "div.rn." + type + " D, A, B;",
      [](T a, T b) { return host(a) / host(b); }, v, v);
  checkOpcode<T>(
      "fma.rn." + type + " D, A, B, C;",
      [](T a, T b, T c) { return std::fma(a, b, c); }, v, v, v);
  checkOpcode<T>(
      "rcp.rn." + type + " D, A;", [](T a) { return 1 / host(a); }, v);
  checkOpcode<T>(
      "sqrt.rn." + type + " D, A;", [](T a) { return std::sqrt(a); }, v);
  checkOpcode<T>("neg." + type + " D, A;", [](T a) { return -a; }, v);
  checkOpcode<T>("abs." + type + " D, A;", [](T a) { return std::fabs(a); }, v);
  checkOpcode<T>(
      "copysign." + type + " D, A, B;",
      [](T a, T b) { return std::copysign(b, a); }, v, v);
}

TEST(SimFloat, Arithmetic) {
  checkArithmetic<float>("f32");
  checkArithmetic<double>("f64");
}

TEST(SimFloat, NothingIsContracted) {
  // A fused multiply and add would not give 0.
  float a = 1 + 0x1p-12f;
  checkOpcode<float>(
      "mul.rn.f32 D, A, A; sub.rn.f32 D, D, B;",
      [](float, float) { return 0.0f; }, std::vector<float>{a},
      std::vector<float>{a * a});
}

template <class T> void checkDirected(const std::string &type) {
  auto v = values<T>();
  for (Mode mode :
       {Mode{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
    std::string end = std::string(".") + mode.name + "." + type;
    checkOpcode<T>(
        "add" + end + " D, A, B;",
        inMode<T>(mode.mode, [](T a, T b) { return host(a) + host(b); }), v, v);
    checkOpcode<T>(
        "mul" + end + " D, A, B;",
        inMode<T>(mode.mode, [](T a, T b) { return host(a) * host(b); }), v, v);
    checkOpcode<T>(
        "div" + end + " D, A, B;",
        inMode<T>(mode.mode, [](T a, T b) { return host(a) / host(b); }), v, v);
    checkOpcode<T>("fma" + end + " D, A, B, C;",
                   inMode<T>(mode.mode,
                             [](T a, T b, T c) {
                               return std::fma(host(a), host(b), host(c));
                             }),
                   v, v, std::vector<T>{0, 1, T(-0.1), T(1e10)});
    checkOpcode<T>("sqrt" + end + " D, A;",
                   inMode<T>(mode.mode, [](T a) { return std::sqrt(host(a)); }),
                   v);
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(SimFloat, DirectedRounding) {
  checkDirected<float>("f32");
  checkDirected<double>("f64");
}

float flushed(float a) {
  return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a;
}

TEST(SimFloat, FlushAndSaturateOnlyWhereWritten) {
  auto v = values<float>();
  checkOpcode<float>(
      "add.ftz.f32 D, A, B;",
      [](float a, float b) {
        return flushed(host(flushed(a)) + host(flushed(b)));
      },
      v, v);
  checkOpcode<float>(
      "mul.rn.ftz.f32 D, A, B;",
      [](float a, float b) {
        return flushed(host(flushed(a)) * host(flushed(b)));
      },
      v, v);
  checkOpcode<float>(
      "add.sat.f32 D, A, B;",
      [](float a, float b) {
        float sum = host(a) + host(b);
        return sum > 0 ? std::fmin(sum, 1.0f) : 0.0f;
      },
      v, v);
  checkOpcode<float>(
      "cvt.ftz.sat.f32.f32 D, A;",
      [](float a) {
        a = flushed(a);
        return a > 0 ? std::fmin(a, 1.0f) : 0.0f;
      },
      v);
}

TEST(SimFloat, NansOfF32AreCanonical) {
  std::vector<uint32_t> nans = {0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345};
  auto canonical = [](uint32_t, uint32_t) { return 0x7fffffffu; };
  for (const char *op :
       {"add.rn.f32", "mul.rn.f32", "div.rn.f32", "min.f32", "max.NaN.f32"})
    checkOpcode<uint32_t>(std::string(op) + " D, A, B;", canonical, nans, nans);
  // Moves of bits leave them as they are.
  checkOpcode<uint32_t>(
      "neg.f32 D, A;", [](uint32_t a) { return a ^ 0x80000000u; }, nans);
}

template <class T> T minimum(T a, T b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T> T maximum(T a, T b) { return -minimum<T>(-a, -b); }

TEST(SimFloat, MinimaAndMaxima) {
  auto f = values<float>();
  auto d = values<double>();
  checkOpcode<float>("min.f32 D, A, B;", minimum<float>, f, f);
  checkOpcode<float>("max.f32 D, A, B;", maximum<float>, f, f);
  checkOpcode<double>("min.f64 D, A, B;", minimum<double>, d, d);
  checkOpcode<double>("max.f64 D, A, B;", maximum<double>, d, d);
  auto orNan = [](auto choose) {
    return
        [=](float a, float b) { return a != a || b != b ? NAN : choose(a, b); };
  };
  checkOpcode<float>("min.NaN.f32 D, A, B;", orNan(minimum<float>), f, f);
  checkOpcode<float>("max.NaN.f32 D, A, B;", orNan(maximum<float>), f, f);
  checkOpcode<float>(
      "max.ftz.f32 D, A, B;",
      [](float a, float b) { return maximum(flushed(a), flushed(b)); }, f, f);
}

template <class T> void checkComparisons(const std::string &type) {
  auto v = values<T>();
  auto check = [&](const std::string &cmp, auto reference) {
    auto unordered = [=](T a, T b) {
      return a != a || b != b || reference(a, b);
    };
    checkOpcode<uint32_t>("setp." + cmp + "." + type +
                              " %P1, A, B; selp.b32 D, 1, 0, %P1;",
                          reference, v, v);
    checkOpcode<uint32_t>("setp." + cmp + "u." + type +
                              " %P1, A, B; selp.b32 D, 1, 0, %P1;",
                          unordered, v, v);
  };
  check("eq", [](T a, T b) { return a == b; });
  check("ne", [](T a, T b) { return a < b || a > b; });
  check("lt", [](T a, T b) { return a < b; });
  check("le", [](T a, T b) { return a <= b; });
  check("gt", [](T a, T b) { return a > b; });
  check("ge", [](T a, T b) { return a >= b; });
  checkOpcode<uint32_t>(
      "setp.nan." + type + " %P1, A, B; selp.b32 D, 1, 0, %P1;",
      [](T a, T b) { return a != a || b != b; }, v, v);
  checkOpcode<uint32_t>(
      "setp.num." + type + " %P1, A, B; selp.b32 D, 1, 0, %P1;",
      [](T a, T b) { return a == a && b == b; }, v, v);
  for (auto [name, reference] :
       {std::pair<const char *, bool (*)(T)>{
            "finite", [](T a) { return bool(std::isfinite(a)); }},
        {"infinite", [](T a) { return bool(std::isinf(a)); }},
        {"number", [](T a) { return !std::isnan(a); }},
        {"notanumber", [](T a) { return bool(std::isnan(a)); }},
        {"normal", [](T a) { return bool(std::isnormal(a)); }},
        {"subnormal", [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; }}})
    checkOpcode<uint32_t>(std::string("testp.") + name + "." + type +
                              " %P1, A; selp.b32 D, 1, 0, %P1;",
                          reference, v);
}

TEST(SimFloat, ComparisonsOrderedAndNot) {
  checkComparisons<float>("f32");
  checkComparisons<double>("f64");
}

TEST(SimFloat, ApproximationsAreTheRoundedTruth) {
  auto v = values<float>();
  auto check = [&](const char *op, double (*truth)(double)) {
    checkOpcode<float>(
        std::string(op) + ".approx.f32 D, A;",
        [=](float a) { return static_cast<float>(truth(a)); }, v);
  };
  check("ex2", [](double a) { return std::exp2(a); });
  check("lg2", [](double a) { return std::log2(a); });
  check("sin", [](double a) { return std::sin(a); });
  check("cos", [](double a) { return std::cos(a); });
  check("tanh", [](double a) { return std::tanh(a); });
  check("rcp", [](double a) { return 1 / a; });
  check("sqrt", [](double a) { return std::sqrt(a); });
  check("rsqrt", [](double a) { return 1 / std::sqrt(a); });
  checkOpcode<float>(
      "div.approx.f32 D, A, B;",
      [](float a, float b) {
        return static_cast<float>(host(double(a)) / host(double(b)));
      },
      v, v);
}

} // namespace
