// ExecuteHalf.cpp - arithmetic on f16 and bf16, one number or two in a
// register.
//
// Each result is the exact one rounded once. It is computed in double precision
// with what the rounding left over, rounded to odd in f32, which keeps whether
// it lies above or below, and then to nearest even.
#include "sim/Floats.h"
#include "sim/Opcodes.h"
#include "sim/Warp.h"

#include <bit>
#include <cmath>

namespace boostrt::sim {

namespace {
struct Half {
  static constexpr const char *kName = "f16";
  static constexpr Type kType = Type::F16;
  static float load(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t round(float value) { return floatToHalf(value); }
};
struct Brain {
  static constexpr const char *kName = "bf16";
  static constexpr Type kType = Type::BF16;
  static float load(uint16_t bits) { return bfloatToFloat(bits); }
  static uint16_t round(float value) { return floatToBfloat(value); }
};

/// `value + rest`, |rest| being at most half a place of `value`, in f32:
/// itself, or of its two neighbours the one whose last bit is 1.
float roundToOdd(double value, double rest) {
  auto nearest = static_cast<float>(value);
  if (!std::isfinite(nearest))
    return nearest;
  double off = value - nearest;
  if (off == 0.0)
    off = rest;
  if (off == 0.0)
    return nearest;
  if (nearest == 0.0f)
    return std::copysign(std::bit_cast<float>(1u), static_cast<float>(off));
  auto bits = std::bit_cast<uint32_t>(nearest);
  if ((off > 0.0) != (nearest > 0.0f)) // the exact number is nearer to zero
    --bits;
  return std::bit_cast<float>(bits | 1u);
}

/// a + b, with what double precision leaves over (Knuth's two-sum).
float addToOdd(double a, double b) {
  double sum = a + b, second = sum - a;
  double rest = (a - (sum - second)) + (b - second);
  return roundToOdd(sum, std::isfinite(sum) ? rest : 0.0);
}

struct Add {
  static float apply(float a, float b) { return addToOdd(a, b); }
};
struct Sub {
  static float apply(float a, float b) { return addToOdd(a, -double(b)); }
};
struct Mul {
  static float apply(float a, float b) {
    return roundToOdd(double(a) * b, 0.0); // 22 bits at most
  }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return addToOdd(double(a) * b, c);
  }
};
/// -0 is below +0. One NaN gives the other operand, unless kNaN.
template <bool kMax, bool kNaN> struct MinMax {
  static float apply(float a, float b) {
    if (a != a || b != b)
      return kNaN || (a != a && b != b) ? NAN : a != a ? b : a;
    bool isFirst = a == b ? std::signbit(a) != kMax : (a < b) != kMax;
    return isFirst ? a : b;
  }
};
/// A NaN is any one; a sign changes as a bit.
struct Neg {
  static float apply(float a) { return -a; }
};
struct Abs {
  static float apply(float a) { return std::fabs(a); }
};

template <class Number, class F> struct One {
  template <class... T> static uint16_t apply(T... bits) {
    return Number::round(F::apply(Number::load(bits)...));
  }
};
template <class Number, class F> struct Two {
  template <class... T> static uint32_t apply(T... bits) {
    uint32_t lower = One<Number, F>::apply(static_cast<uint16_t>(bits)...);
    uint32_t upper =
        One<Number, F>::apply(static_cast<uint16_t>(bits >> 16)...);
    return upper << 16 | lower;
  }
};

/// NAMES.f16 and NAMES.f16x2, or those of bf16, for F of `kSources` numbers.
template <class Number, class F, uint32_t kSources>
void add(OpcodeTable &table, std::initializer_list<const char *> names) {
  Handler one, two;
  if constexpr (kSources == 1) {
    one = unary<One<Number, F>, uint16_t>;
    two = unary<Two<Number, F>, uint32_t>;
  } else if constexpr (kSources == 2) {
    one = binary<One<Number, F>, uint16_t>;
    two = binary<Two<Number, F>, uint32_t>;
  } else {
    one = ternary<One<Number, F>, uint16_t>;
    two = ternary<Two<Number, F>, uint32_t>;
  }
  for (const char *name : names) {
    std::string text = std::string(name) + "." + Number::kName;
    table.add(text, one, sameType(Number::kType, kSources));
    table.add(text + "x2", two, sameType(Type::B32, kSources));
  }
}

template <class Number> void addAll(OpcodeTable &table) {
  add<Number, Add, 2>(table, {"add", "add.rn"});
  add<Number, Sub, 2>(table, {"sub", "sub.rn"});
  add<Number, Mul, 2>(table, {"mul", "mul.rn"});
  add<Number, Fma, 3>(table, {"fma.rn"});
  add<Number, MinMax<false, false>, 2>(table, {"min"});
  add<Number, MinMax<true, false>, 2>(table, {"max"});
  add<Number, MinMax<false, true>, 2>(table, {"min.NaN"});
  add<Number, MinMax<true, true>, 2>(table, {"max.NaN"});
  add<Number, Neg, 1>(table, {"neg"});
  add<Number, Abs, 1>(table, {"abs"});
}
} // namespace

void addHalfOpcodes(OpcodeTable &table) {
  addAll<Half>(table);
  addAll<Brain>(table);
}

} // namespace boostrt::sim
