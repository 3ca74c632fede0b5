// ConvertOpcodeTest.cpp - cvt against the host's conversions.
#include "FloatFixture.h"

#include <bit>

using namespace boostrt;
using namespace boostrt::sim;

namespace {
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
  for (Mode mode : kModes)
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
  for (Mode mode : kModes)
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

// The first operand is the upper half; by the compiler's own f16.
TEST(SimConvert, TwoHalvesInARegister) {
  auto f = values<float>();
  auto round = [](float a) -> uint32_t {
    return a != a ? 0x7fff : std::bit_cast<uint16_t>(static_cast<_Float16>(a));
  };
  checkOpcode<uint32_t>(
      "cvt.rn.f16x2.f32 D, A, B;",
      [=](float a, float b) { return round(a) << 16 | round(b); }, f, f);
  checkOpcode<float>(
      "cvt.rn.bf16x2.f32 %r1, A, B; and.b32 D, %r1, 0xffff0000;",
      [](float a, float) {
        return a != a ? std::bit_cast<float>(0x7fff0000u)
                      : nearestOf(a, 7, -126, 3.3895313892515355e38);
      },
      f, f);
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
