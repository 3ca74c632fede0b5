// FloatOpcodeTest.cpp - floats against the host's IEEE arithmetic.
#include "OpcodeFixture.h"

#include <cfenv>

using namespace boostrt;
using namespace boostrt::sim;

namespace {
template <class T> T host(T value) { // keeps the host from folding
  volatile T kept = value;
  return kept;
}

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

template <class T, class F> auto inMode(int mode, F function) {
  return [=](auto... values) {
    std::fesetround(mode);
    volatile T result = function(values...);
    std::fesetround(FE_TONEAREST);
    return static_cast<T>(result);
  };
}

template <class T> void checkDirected(const std::string &type) {
  struct Mode {
    const char *name;
    int mode;
  };
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

//===--- cvt --------------------------------------------------------------===//

template <class D, class S> D saturated(S value) {
  if (value != value)
    return 0;
  // Bounds that are exact in double.
  double low = static_cast<double>(std::numeric_limits<D>::min());
  double high = std::ldexp(1.0, std::numeric_limits<D>::digits);
  if (double(value) < low)
    return std::numeric_limits<D>::min();
  if (double(value) >= high)
    return std::numeric_limits<D>::max();
  return static_cast<D>(value);
}

template <class D, class S>
void checkToInteger(const std::string &d, const std::string &s) {
  auto v = values<S>();
  std::string types = "." + d + "." + s + " D, A;";
  checkOpcode<D>(
      "cvt.rzi" + types, [](S a) { return saturated<D>(std::trunc(a)); }, v);
  checkOpcode<D>(
      "cvt.rni" + types, [](S a) { return saturated<D>(std::nearbyint(a)); },
      v);
  checkOpcode<D>(
      "cvt.rmi" + types, [](S a) { return saturated<D>(std::floor(a)); }, v);
  checkOpcode<D>(
      "cvt.rpi" + types, [](S a) { return saturated<D>(std::ceil(a)); }, v);
}

TEST(SimConvert, FloatsToIntegersSaturate) {
  checkToInteger<int32_t, float>("s32", "f32");
  checkToInteger<uint32_t, float>("u32", "f32");
  checkToInteger<int64_t, float>("s64", "f32");
  checkToInteger<uint64_t, float>("u64", "f32");
  checkToInteger<int16_t, float>("s16", "f32");
  checkToInteger<int32_t, double>("s32", "f64");
  checkToInteger<uint64_t, double>("u64", "f64");
}

template <class D, class S>
void checkFromInteger(const std::string &d, const std::string &s) {
  auto v = values<S>();
  struct Mode {
    const char *name;
    int mode;
  };
  for (Mode mode : {Mode{"rn", FE_TONEAREST},
                    {"rz", FE_TOWARDZERO},
                    {"rm", FE_DOWNWARD},
                    {"rp", FE_UPWARD}})
    checkOpcode<D>(
        std::string("cvt.") + mode.name + "." + d + "." + s + " D, A;",
        inMode<D>(mode.mode, [](S a) { return static_cast<D>(host(a)); }), v);
}

TEST(SimConvert, IntegersToFloatsRoundOnce) {
  checkFromInteger<float, int32_t>("f32", "s32");
  checkFromInteger<float, uint32_t>("f32", "u32");
  checkFromInteger<float, int64_t>("f32", "s64");
  checkFromInteger<float, uint64_t>("f32", "u64");
  checkFromInteger<double, int64_t>("f64", "s64");
  checkFromInteger<double, uint64_t>("f64", "u64");
  checkFromInteger<float, int16_t>("f32", "s16");
}

TEST(SimConvert, BetweenFloats) {
  auto d = values<double>();
  auto f = values<float>();
  struct Mode {
    const char *name;
    int mode;
  };
  for (Mode mode : {Mode{"rn", FE_TONEAREST},
                    {"rz", FE_TOWARDZERO},
                    {"rm", FE_DOWNWARD},
                    {"rp", FE_UPWARD}})
    checkOpcode<float>(
        std::string("cvt.") + mode.name + ".f32.f64 D, A;",
        inMode<float>(mode.mode,
                      [](double a) { return static_cast<float>(host(a)); }),
        d);
  checkOpcode<double>(
      "cvt.f64.f32 D, A;", [](float a) { return double(a); }, f);
  checkOpcode<float>(
      "cvt.rni.f32.f32 D, A;", [](float a) { return std::nearbyint(a); }, f);
  checkOpcode<float>(
      "cvt.rmi.f32.f32 D, A;", [](float a) { return std::floor(a); }, f);
  checkOpcode<float>(
      "cvt.rpi.f32.f32 D, A;", [](float a) { return std::ceil(a); }, f);
  checkOpcode<double>(
      "cvt.rzi.f64.f64 D, A;", [](double a) { return std::trunc(a); }, d);
}

/// The nearest value of a format with `fraction` bits, even at ties, by its
/// grid.
double nearestOf(double value, int fraction, int lowest, double largest) {
  if (value != value || std::isinf(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value), lowest);
  double unit = std::ldexp(1.0, exponent - fraction);
  double rounded = std::nearbyint(value / unit) * unit;
  return std::fabs(rounded) > largest ? std::copysign(INFINITY, value)
                                      : rounded;
}

TEST(SimConvert, HalfPrecision) {
  auto f = values<float>();
  for (float more : {1.0009765625f, 1.00048828125f, 6.1e-5f, 5.96e-8f, 2.98e-8f,
                     2.99e-8f, 6.0e-5f, 65519.9f, 3.1415927f})
    f.push_back(more);
  checkOpcode<float>(
      "cvt.rn.f16.f32 %H1, A; cvt.f32.f16 D, %H1;",
      [](float a) { return nearestOf(a, 10, -14, 65504); }, f);
  checkOpcode<float>(
      "cvt.rn.bf16.f32 %H1, A; cvt.f32.bf16 D, %H1;",
      [](float a) { return nearestOf(a, 7, -126, 3.3895313892515355e38); }, f);
}

TEST(SimConvert, BetweenIntegersWithRegistersOfAnyWidth) {
  auto l = values<uint64_t>();
  checkOpcode<uint64_t>(
      "cvt.s64.s8 D, A;", [](uint64_t a) { return int64_t(int8_t(a)); }, l);
  checkOpcode<uint64_t>(
      "cvt.u64.u16 D, A;", [](uint64_t a) { return uint64_t(uint16_t(a)); }, l);
  checkOpcode<uint64_t>(
      "cvt.s64.s32 D, A;", [](uint32_t a) { return int64_t(int32_t(a)); },
      values<uint32_t>());
  checkOpcode<uint32_t>(
      "cvt.u32.u64 D, A;", [](uint64_t a) { return uint32_t(a); }, l);
  checkOpcode<uint32_t>(
      "cvt.s8.s32 D, A;", [](uint32_t a) { return int32_t(int8_t(a)); },
      values<uint32_t>());
  checkOpcode<uint32_t>(
      "cvt.sat.u8.s32 D, A;", [](int32_t a) { return std::clamp(a, 0, 255); },
      values<int32_t>());
  checkOpcode<int32_t>(
      "cvt.sat.s32.s64 D, A;",
      [](int64_t a) { return std::clamp<int64_t>(a, INT32_MIN, INT32_MAX); },
      values<int64_t>());
}

} // namespace
