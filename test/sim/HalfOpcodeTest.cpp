// HalfOpcodeTest.cpp - f16 and bf16 against the compiler's own f16 and against
// f32, in which an exact bf16 result is rounded by hand.
#include "FloatFixture.h"

#include <bit>

using namespace boostrt::sim;

namespace {
/// A few hundred of all numbers, and what is special.
std::vector<uint16_t> getHalves() {
  std::vector<uint16_t> v = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400,
                             0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                             0x7fff, 0x3f80, 0x7f7f, 0x7f80, 0xff80, 0x0080};
  for (uint32_t bits = 0; bits < 0x10000; bits += 0x3fd)
    v.push_back(static_cast<uint16_t>(bits));
  return v;
}

_Float16 half(uint16_t bits) { return std::bit_cast<_Float16>(bits); }
uint16_t bitsOf(_Float16 value) {
  return value != value ? 0x7fff : std::bit_cast<uint16_t>(value);
}
float brain(uint16_t bits) { return std::bit_cast<float>(bits << 16); }
/// To nearest even, from a number that is exact in long double.
uint16_t brainBitsOf(long double value) {
  if (value != value)
    return 0x7fff;
  // 64 bits of mantissa: f32 by truncation, with what is cut off in the last
  // bit.
  auto nearest = static_cast<float>(value);
  if (!std::isfinite(nearest))
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(nearest) >> 16);
  if (std::fabs(static_cast<long double>(nearest)) > std::fabs(value))
    nearest = std::nextafter(nearest, 0.0f);
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (static_cast<long double>(nearest) != value)
    bits |= 1;
  uint32_t rest = bits & 0xffff;
  bits >>= 16;
  if (rest > 0x8000 || (rest == 0x8000 && (bits & 1)))
    ++bits;
  if (value < 0)
    bits |= 0x8000;
  return static_cast<uint16_t>(bits);
}

/// NAME.f16 and NAME.f16x2, whose upper numbers are the operands exchanged.
template <typename Reference>
void checkHalves(const std::string &name, const std::string &type,
                 Reference reference) {
  std::vector<uint16_t> v = getHalves();
  checkOpcode<uint16_t>(name + "." + type + " D, A, B;", reference, v, v);
  std::vector<uint32_t> pairs;
  for (size_t i = 0; i < v.size(); ++i)
    pairs.push_back(uint32_t(v[v.size() - 1 - i]) << 16 | v[i]);
  auto both = [=](uint32_t a, uint32_t b) {
    auto upper = [](uint32_t bits) {
      return static_cast<uint16_t>(bits >> 16);
    };
    return uint32_t(reference(upper(a), upper(b))) << 16 |
           reference(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
  };
  checkOpcode<uint32_t>(name + "." + type + "x2 D, A, B;", both, pairs, pairs);
}

TEST(SimHalf, SumsAndProducts) {
  checkHalves("add.rn", "f16",
              [](uint16_t a, uint16_t b) { return bitsOf(half(a) + half(b)); });
  checkHalves("sub", "f16",
              [](uint16_t a, uint16_t b) { return bitsOf(half(a) - half(b)); });
  checkHalves("mul.rn", "f16",
              [](uint16_t a, uint16_t b) { return bitsOf(half(a) * half(b)); });
  checkHalves("mul", "bf16", [](uint16_t a, uint16_t b) {
    return brainBitsOf(static_cast<long double>(brain(a)) * brain(b));
  });
}

// LLVM adds two numbers in bf16 by a multiplication with 1.
TEST(SimHalf, FusedSums) {
  std::vector<uint16_t> v = getHalves();
  checkOpcode<uint16_t>(
      "fma.rn.f16 D, A, B, A;",
      [](uint16_t a, uint16_t b) {
        return bitsOf(static_cast<_Float16>(
            static_cast<long double>(half(a)) * half(b) + half(a)));
      },
      v, v);
  checkOpcode<uint16_t>(
      "mov.b16 %H1, 0x3f80; fma.rn.bf16 D, A, %H1, B;",
      [](uint16_t a, uint16_t b) -> uint16_t {
        float x = brain(a), y = brain(b);
        // Beyond the 64 bits of long double the smaller one decides ties alone.
        if (std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0 &&
            std::abs(std::ilogb(x) - std::ilogb(y)) > 40)
          return std::fabs(x) > std::fabs(y) ? a : b;
        return brainBitsOf(static_cast<long double>(x) + y);
      },
      v, v);
}

TEST(SimHalf, SignsAndChoices) {
  std::vector<uint16_t> v = getHalves();
  auto number = [](uint16_t bits) { return half(bits) == half(bits); };
  checkOpcode<uint16_t>(
      "neg.f16 D, A;",
      [=](uint16_t a) -> uint16_t { return number(a) ? a ^ 0x8000 : 0x7fff; },
      v);
  checkOpcode<uint16_t>(
      "abs.f16 D, A;",
      [=](uint16_t a) -> uint16_t { return number(a) ? a & 0x7fff : 0x7fff; },
      v);
  checkOpcode<uint16_t>(
      "max.f16 D, A, B;",
      [=](uint16_t a, uint16_t b) -> uint16_t {
        if (!number(a) || !number(b))
          return number(a) ? a : number(b) ? b : 0x7fff;
        if (half(a) == half(b))
          return a & b; // +0 is above -0
        return half(a) > half(b) ? a : b;
      },
      v, v);
}

TEST(SimHalf, Comparisons) {
  std::vector<uint16_t> v = getHalves();
  auto check = [&](const std::string &cmp, auto reference) {
    checkOpcode<uint32_t>(
        "setp." + cmp + ".f16 %P1, A, B; selp.b32 D, 1, 0, %P1;",
        [=](uint16_t a, uint16_t b) { return reference(half(a), half(b)); }, v,
        v);
    std::vector<uint32_t> pairs;
    for (size_t i = 0; i < v.size(); ++i)
      pairs.push_back(uint32_t(v[v.size() - 1 - i]) << 16 | v[i]);
    auto of = [=](uint32_t a, uint32_t b, unsigned shift) {
      return reference(half(static_cast<uint16_t>(a >> shift)),
                       half(static_cast<uint16_t>(b >> shift)));
    };
    checkOpcode<uint32_t>(
        "setp." + cmp + ".f16x2 %P1|%P2, A, B; selp.b32 D, 1, 0, %P1;",
        [=](uint32_t a, uint32_t b) { return of(a, b, 0); }, pairs, pairs);
    checkOpcode<uint32_t>(
        "setp." + cmp + ".f16x2 %P1|%P2, A, B; selp.b32 D, 1, 0, %P2;",
        [=](uint32_t a, uint32_t b) { return of(a, b, 16); }, pairs, pairs);
  };
  check("eq", [](_Float16 a, _Float16 b) { return a == b; });
  check("neu", [](_Float16 a, _Float16 b) { return a != b; });
  check("gt", [](_Float16 a, _Float16 b) { return a > b; });
  check("leu", [](_Float16 a, _Float16 b) { return !(a > b); });
  check("nan", [](_Float16 a, _Float16 b) { return a != a || b != b; });
}
} // namespace
