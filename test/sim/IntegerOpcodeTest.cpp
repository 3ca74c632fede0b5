// IntegerOpcodeTest.cpp - integer arithmetic and bits against plain C++.
#include "OpcodeFixture.h"

using namespace boostrt;
using namespace boostrt::sim;

namespace {
using i128 = __int128;
using u128 = unsigned __int128;

/// Division as the hardware defines what C++ does not.
template <class T> T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  return static_cast<T>(static_cast<i128>(a) / static_cast<i128>(b));
}
template <class T> T remainder(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  return static_cast<T>(static_cast<i128>(a) % static_cast<i128>(b));
}

template <class T> void checkArithmetic(const std::string &type) {
  auto v = values<T>();
  checkOpcode<T>(
      "add." + type + " D, A, B;", [](T a, T b) { return i128(a) + b; }, v, v);
  checkOpcode<T>(
      "sub." + type + " D, A, B;", [](T a, T b) { return i128(a) - b; }, v, v);
  checkOpcode<T>(
      "mul.lo." + type + " D, A, B;",
      [](T a, T b) { return u128(i128(a)) * u128(i128(b)); }, v, v);
  checkOpcode<T>(
      "mul.hi." + type + " D, A, B;",
      [](T a, T b) {
        if constexpr (std::is_signed_v<T>)
          return (i128(a) * b) >> (8 * sizeof(T));
        else
          return (u128(a) * b) >> (8 * sizeof(T));
      },
      v, v);
  checkOpcode<T>(
      "mad.lo." + type + " D, A, B, C;",
      [](T a, T b, T c) {
        return u128(i128(a)) * u128(i128(b)) + u128(i128(c));
      },
      v, v, std::vector<T>{0, 1, T(-1), std::numeric_limits<T>::max()});
  checkOpcode<T>("div." + type + " D, A, B;", divide<T>, v, v);
  checkOpcode<T>("rem." + type + " D, A, B;", remainder<T>, v, v);
  checkOpcode<T>(
      "min." + type + " D, A, B;", [](T a, T b) { return a < b ? a : b; }, v,
      v);
  checkOpcode<T>(
      "max." + type + " D, A, B;", [](T a, T b) { return a < b ? b : a; }, v,
      v);
  if constexpr (std::is_signed_v<T>) {
    checkOpcode<T>("neg." + type + " D, A;", [](T a) { return -i128(a); }, v);
    checkOpcode<T>(
        "abs." + type + " D, A;",
        [](T a) { return a < 0 ? -i128(a) : i128(a); }, v);
  }
}

TEST(SimInteger, Arithmetic) {
  checkArithmetic<int16_t>("s16");
  checkArithmetic<uint16_t>("u16");
  checkArithmetic<int32_t>("s32");
  checkArithmetic<uint32_t>("u32");
  checkArithmetic<int64_t>("s64");
  checkArithmetic<uint64_t>("u64");
}

TEST(SimInteger, WideProducts) {
  auto s = values<int32_t>();
  auto u = values<uint32_t>();
  checkOpcode<int64_t>(
      "mul.wide.s32 D, A, B;",
      [](int32_t a, int32_t b) { return int64_t(a) * b; }, s, s);
  checkOpcode<uint64_t>(
      "mul.wide.u32 D, A, B;",
      [](uint32_t a, uint32_t b) { return uint64_t(a) * b; }, u, u);
  checkOpcode<int32_t>(
      "mul.wide.s16 D, A, B;",
      [](int16_t a, int16_t b) { return int32_t(a) * b; }, values<int16_t>(),
      values<int16_t>());
  checkOpcode<int64_t>(
      "mad.wide.s32 D, A, B, C;",
      [](int32_t a, int32_t b, int64_t c) {
        return uint64_t(int64_t(a) * b) + c;
      },
      s, s, std::vector<int64_t>{0, -1, INT64_MAX});
}

TEST(SimInteger, CarriesRunThroughLanesOfTheirOwn) {
  auto v = values<uint64_t>();
  checkOpcode<uint64_t>(
      "mov.b64 {%R0, %R1}, A; mov.b64 {%R2, %R3}, B; add.cc.u32 %R0, %R0, %R2; "
      "addc.u32 %R1, %R1, %R3; mov.b64 D, {%R0, %R1};",
      [](uint64_t a, uint64_t b) { return a + b; }, v, v);
  checkOpcode<uint64_t>(
      "mov.b64 {%R0, %R1}, A; mov.b64 {%R2, %R3}, B; sub.cc.u32 %R0, %R0, %R2; "
      "subc.cc.u32 %R1, %R1, %R3; mov.b64 D, {%R0, %R1};",
      [](uint64_t a, uint64_t b) { return a - b; }, v, v);
  // The borrow of the upper half.
  checkOpcode<uint32_t>(
      "mov.b64 {%R0, %R1}, A; mov.b64 {%R2, %R3}, B; sub.cc.u32 %R0, %R0, %R2; "
      "subc.cc.u32 %R1, %R1, %R3; subc.u32 D, 0, 0;",
      [](uint64_t a, uint64_t b) { return a < b ? ~0u : 0u; }, v, v);
  checkOpcode<uint64_t>(
      "add.cc.u64 %Q0, A, B; addc.u64 D, 0, 0;",
      [](uint64_t a, uint64_t b) { return a + b < a; }, v, v);
  // 64 x 64 -> low 64 bits by parts, as libdevice writes it.
  checkOpcode<uint64_t>(
      "mov.b64 {%R0, %R1}, A; mov.b64 {%R2, %R3}, B; mul.lo.u32 %r6, %R0, %R2; "
      "mad.lo.cc.u32 %r7, %R0, %R3, 0; madc.hi.u32 %r7, %R0, %R2, %r7; "
      "mad.lo.u32 %r7, %R1, %R2, %r7; mov.b64 D, {%r6, %r7};",
      [](uint64_t a, uint64_t b) { return a * b; }, v, v);
}

template <class T> void checkBits(const std::string &type) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t width = 8 * sizeof(T);
  auto v = values<U>();
  std::vector<uint32_t> counts = {0,  1,  5,  15, 16, 17, 31,
                                  32, 33, 63, 64, 65, 300};
  checkOpcode<U>(
      "and.b" + type + " D, A, B;", [](U a, U b) { return a & b; }, v, v);
  checkOpcode<U>(
      "or.b" + type + " D, A, B;", [](U a, U b) { return a | b; }, v, v);
  checkOpcode<U>(
      "xor.b" + type + " D, A, B;", [](U a, U b) { return a ^ b; }, v, v);
  checkOpcode<U>("not.b" + type + " D, A;", [](U a) { return ~a; }, v);
  checkOpcode<U>("cnot.b" + type + " D, A;", [](U a) { return a == 0; }, v);
  checkOpcode<U>(
      "shl.b" + type + " D, A, B;",
      [](U a, uint32_t n) { return n >= width ? U(0) : U(u128(a) << n); }, v,
      counts);
  checkOpcode<U>(
      "shr.u" + type + " D, A, B;",
      [](U a, uint32_t n) { return n >= width ? U(0) : U(a >> n); }, v, counts);
  checkOpcode<T>(
      "shr.s" + type + " D, A, B;",
      [](T a, uint32_t n) { return a >> (n >= width ? width - 1 : n); },
      values<T>(), counts);
}

TEST(SimBits, LogicAndShifts) {
  checkBits<int16_t>("16");
  checkBits<int32_t>("32");
  checkBits<int64_t>("64");
}

/// The definition, bit by bit.
template <class T> T extractField(T a, uint32_t b, uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr int msb = 8 * sizeof(T) - 1;
  int pos = b & 0xff, len = c & 0xff;
  bool sbit = std::is_signed_v<T> && len != 0 &&
              (U(a) >> std::min(pos + len - 1, msb) & 1);
  U d = 0;
  for (int i = 0; i <= msb; ++i) {
    bool bit = i < len && pos + i <= msb ? U(a) >> (pos + i) & 1 : sbit;
    d |= U(bit) << i;
  }
  return static_cast<T>(d);
}

TEST(SimBits, FieldsAndCounts) {
  auto u = values<uint32_t>();
  auto l = values<uint64_t>();
  std::vector<uint32_t> at = {0, 1, 7, 31, 32, 33, 63, 64, 255, 256};
  checkOpcode<uint32_t>("bfe.u32 D, A, B, C;", extractField<uint32_t>, u, at,
                        at);
  checkOpcode<int32_t>("bfe.s32 D, A, B, C;", extractField<int32_t>,
                       values<int32_t>(), at, at);
  checkOpcode<int64_t>("bfe.s64 D, A, B, C;", extractField<int64_t>,
                       values<int64_t>(), at, at);
  checkOpcode<uint32_t>(
      "bfi.b32 D, A, 0x5a5a5a5a, B, C;",
      [](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t d = 0x5a5a5a5a;
        for (uint32_t i = 0; i < (c & 0xff) && (b & 0xff) + i < 32; ++i) {
          uint32_t bit = i < 32 ? a >> i & 1 : 0, place = (b & 0xff) + i;
          d = (d & ~(1u << place)) | bit << place;
        }
        return d;
      },
      u, at, at);
  checkOpcode<uint32_t>(
      "popc.b64 D, A;", [](uint64_t a) { return std::popcount(a); }, l);
  checkOpcode<uint32_t>(
      "clz.b32 D, A;", [](uint32_t a) { return std::countl_zero(a); }, u);
  checkOpcode<uint32_t>(
      "clz.b64 D, A;", [](uint64_t a) { return std::countl_zero(a); }, l);
  checkOpcode<uint32_t>(
      "brev.b32 D, A;",
      [](uint32_t a) {
        uint32_t d = 0;
        for (int i = 0; i < 32; ++i)
          d |= (a >> i & 1) << (31 - i);
        return d;
      },
      u);
  checkOpcode<uint32_t>(
      "bfind.u32 D, A;",
      [](uint32_t a) { return a ? 31 - std::countl_zero(a) : ~0u; }, u);
  checkOpcode<uint32_t>(
      "bfind.shiftamt.s32 D, A;",
      [](int32_t a) {
        uint32_t b = a < 0 ? ~uint32_t(a) : uint32_t(a);
        return b ? static_cast<uint32_t>(std::countl_zero(b)) : ~0u;
      },
      values<int32_t>());
}

TEST(SimBits, PermutationsAndTables) {
  auto u = values<uint32_t>();
  checkOpcode<uint32_t>(
      "prmt.b32 D, A, B, C;",
      [](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t d = 0;
        for (int i = 0; i < 4; ++i) {
          uint32_t s = c >> 4 * i & 15;
          uint32_t byte = (s & 4 ? b : a) >> 8 * (s & 3) & 0xff;
          if (s & 8)
            byte = byte >> 7 ? 0xff : 0;
          d |= byte << 8 * i;
        }
        return d;
      },
      u, u,
      std::vector<uint32_t>{0x3210, 0x7654, 0x5410, 0x0123, 0xfedc, 0x8b1a});
  checkOpcode<uint32_t>(
      "lop3.b32 D, A, B, C, 0xe8;",
      [](uint32_t a, uint32_t b, uint32_t c) {
        return (a & b) | (a & c) | (b & c);
      },
      u, u, std::vector<uint32_t>{0, ~0u, 0x0f0f1234});
  checkOpcode<uint32_t>(
      "lop3.b32 D, A, B, C, 0x1b;",
      [](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t d = 0;
        for (int i = 0; i < 32; ++i) {
          uint32_t at = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
          d |= (0x1bu >> at & 1) << i;
        }
        return d;
      },
      u, u, std::vector<uint32_t>{0, ~0u, 0x0f0f1234});
  std::vector<uint32_t> n = {0, 1, 7, 31, 32, 33, 64};
  checkOpcode<uint32_t>(
      "shf.l.wrap.b32 D, A, B, C;",
      [](uint32_t a, uint32_t b, uint32_t c) {
        return (uint64_t(b) << 32 | a) << (c & 31) >> 32;
      },
      u, u, n);
  checkOpcode<uint32_t>(
      "shf.r.clamp.b32 D, A, B, C;",
      [](uint32_t a, uint32_t b, uint32_t c) {
        return (uint64_t(b) << 32 | a) >> std::min(c, 32u);
      },
      u, u, n);
}

template <class T> void checkComparisons(const std::string &type) {
  auto v = values<T>();
  auto check = [&](const std::string &cmp, auto reference) {
    checkOpcode<uint32_t>("setp." + cmp + "." + type +
                              " %P1, A, B; selp.b32 D, 1, 0, %P1;",
                          reference, v, v);
  };
  check("eq", [](T a, T b) { return a == b; });
  check("ne", [](T a, T b) { return a != b; });
  check("lt", [](T a, T b) { return a < b; });
  check("le", [](T a, T b) { return a <= b; });
  check("gt", [](T a, T b) { return a > b; });
  check("ge", [](T a, T b) { return a >= b; });
}

TEST(SimCompare, Integers) {
  checkComparisons<int16_t>("s16");
  checkComparisons<uint16_t>("u16");
  checkComparisons<int32_t>("s32");
  checkComparisons<uint32_t>("u32");
  checkComparisons<int64_t>("s64");
  checkComparisons<uint64_t>("u64");
}

TEST(SimCompare, CombinedAndPairedPredicates) {
  auto v = values<int32_t>();
  checkOpcode<uint32_t>(
      "setp.lt.s32 %P0, A, 5; setp.gt.and.s32 %P1|%P2, B, 3, %P0; "
      "selp.b32 %R0, 1, 0, %P1; selp.b32 %R1, 2, 0, %P2; or.b32 D, %R0, %R1;",
      [](int32_t a, int32_t b) {
        return (b > 3 && a < 5) | (!(b > 3) && a < 5) << 1;
      },
      v, v);
  checkOpcode<uint32_t>(
      "setp.lt.s32 %P0, A, 5; setp.gt.or.s32 %P1, B, 3, !%P0; "
      "selp.b32 D, 1, 0, %P1;",
      [](int32_t a, int32_t b) { return b > 3 || !(a < 5); }, v, v);
  checkOpcode<uint32_t>(
      "setp.lt.s32 %P0, A, 5; setp.gt.s32 %P1, B, 3; xor.pred %P2, %P0, %P1; "
      "not.pred %P2, %P2; @%P2 mov.b32 D, 7; @!%P2 mov.b32 D, 9;",
      [](int32_t a, int32_t b) { return (a < 5) == (b > 3) ? 7 : 9; }, v, v);
  checkOpcode<uint32_t>(
      "set.lt.u32.s32 D, A, B;",
      [](int32_t a, int32_t b) { return a < b ? ~0u : 0u; }, v, v);
  checkOpcode<int32_t>(
      "slct.s32.s32 D, A, B, C;",
      [](int32_t a, int32_t b, int32_t c) { return c >= 0 ? a : b; }, v, v,
      std::vector<int32_t>{-1, 0, 1});
}

} // namespace
