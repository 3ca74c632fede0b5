// ExecuteFloat.cpp - IEEE arithmetic rounded to nearest even. The compiler of
// this file must neither contract nor reorder (see CMakeLists.txt).
#include "sim/Opcodes.h"
#include "sim/Operations.h"

namespace boostrt::sim {

namespace {
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <class T>
constexpr BitsOf<T> kSign = BitsOf<T>(1) << (8 * sizeof(T) - 1);

struct Neg {
  template <class T> static T apply(T a) {
    return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) ^ kSign<T>);
  }
};
struct Abs {
  template <class T> static T apply(T a) {
    return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) & ~kSign<T>);
  }
};
/// The sign of a on the magnitude of b.
struct Copysign {
  template <class T> static T apply(T a, T b) {
    return std::bit_cast<T>((std::bit_cast<BitsOf<T>>(a) & kSign<T>) |
                            (std::bit_cast<BitsOf<T>>(b) & ~kSign<T>));
  }
};
/// -0 is below +0. One NaN gives the other operand, unless kNaN.
template <bool kMax, bool kNaN> struct MinMax {
  template <class T> static T apply(T a, T b) {
    auto x = std::bit_cast<BitsOf<T>>(a), y = std::bit_cast<BitsOf<T>>(b);
    T zero = std::bit_cast<T>(kMax ? x & y : x | y); // right where a == b
    T chosen = (kMax ? a > b : a < b) ? a : b;
    T ordered = a == b ? zero : chosen;
    T nan = std::bit_cast<T>(sizeof(T) == 4 ? BitsOf<T>(0x7fffffff)
                                            : BitsOf<T>(0x7fffffffffffffffull));
    T left = a != a ? (b != b || kNaN ? nan : b) : ordered;
    return b != b ? (a != a || kNaN ? nan : a) : left;
  }
};

/// In the mode of this file.
template <class F, bool kFtz, bool kSat>
struct Nearest : Around<F, kFtz, kSat> {};
/// Moves of bits and choices: a NaN operand passes as it is.
template <class F> struct AroundExact {
  template <class... T> static auto apply(T... values) {
    return F::apply(flush(values)...);
  }
};

/// NAME[.rn][.ftz][.sat].f32 and NAME[.rn].f64
template <class F>
void addRounded(OpcodeTable &table, const std::string &name, bool plainToo,
                bool saturates) {
  auto add = [&](const char *modifiers, Type t, Handler run) {
    for (const char *rounding : {".rn", ""})
      if (*rounding || plainToo)
        table.add(name + rounding + modifiers + "." + std::string(nameOf(t)),
                  run, sameType(t, kSources<F, float>));
  };
  add("", Type::F32, handlerOf<F, Nearest<F, false, false>, float>());
  add(".ftz", Type::F32, handlerOf<F, Nearest<F, true, false>, float>());
  if (saturates) {
    add(".sat", Type::F32, handlerOf<F, Nearest<F, false, true>, float>());
    add(".ftz.sat", Type::F32, handlerOf<F, Nearest<F, true, true>, float>());
  }
  add("", Type::F64, handlerOf<F, Nearest<F, false, false>, double>());
}

template <class F> void addMinMax(OpcodeTable &table, const std::string &name) {
  auto add = [&](const std::string &text, Type t, Handler run) {
    table.add(text, run, sameType(t, 2));
  };
  add(name + ".f32", Type::F32, binary<F, float>);
  add(name.substr(0, 3) + ".ftz" + name.substr(3) + ".f32", Type::F32,
      binary<AroundExact<F>, float>);
  if (name.size() == 3)
    add(name + ".f64", Type::F64, binary<F, double>);
}

enum TestOf : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

template <class T> void testp(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[1]);
  uint8_t test = op.selector;
  forLanes(warp, warp.at<uint32_t>(op.operand[0]), [=](uint32_t i) -> uint32_t {
    switch (std::fpclassify(a[i])) {
    case FP_NAN:
      return test == NotANumber;
    case FP_INFINITE:
      return test == Infinite || test == Number;
    case FP_SUBNORMAL:
      return test == Subnormal || test == Finite || test == Number;
    case FP_ZERO: // neither normal nor subnormal
      return test == Finite || test == Number;
    default:
      return test == Normal || test == Finite || test == Number;
    }
  });
}
} // namespace

void addFloatOpcodes(OpcodeTable &table) {
  addRounded<Add>(table, "add", true, true);
  addRounded<Sub>(table, "sub", true, true);
  addRounded<Mul>(table, "mul", true, true);
  addRounded<Fma>(table, "fma", false, true);
  addRounded<Fma>(table, "mad", false, true);
  addRounded<Div>(table, "div", false, false);
  addRounded<Rcp>(table, "rcp", false, false);
  addRounded<Sqrt>(table, "sqrt", false, false);
  addMinMax<MinMax<false, false>>(table, "min");
  addMinMax<MinMax<true, false>>(table, "max");
  addMinMax<MinMax<false, true>>(table, "min.NaN");
  addMinMax<MinMax<true, true>>(table, "max.NaN");
  auto one = [&](const char *text, Type t, Handler run) {
    table.add(text, run, sameType(t, 1));
  };
  one("neg.f32", Type::F32, unary<Neg, float>);
  one("neg.ftz.f32", Type::F32, unary<AroundExact<Neg>, float>);
  one("neg.f64", Type::F64, unary<Neg, double>);
  one("abs.f32", Type::F32, unary<Abs, float>);
  one("abs.ftz.f32", Type::F32, unary<AroundExact<Abs>, float>);
  one("abs.f64", Type::F64, unary<Abs, double>);
  table.add("copysign.f32", binary<Copysign, float>, sameType(Type::F32, 2));
  table.add("copysign.f64", binary<Copysign, double>, sameType(Type::F64, 2));
  constexpr const char *tests[] = {"finite",     "infinite", "number",
                                   "notanumber", "normal",   "subnormal"};
  for (uint8_t i = 0; i < 6; ++i) {
    auto add = [&](const char *type, Type t, Handler run) {
      table
          .add(std::string("testp.") + tests[i] + type, run,
               {{Role::Def, Type::Pred}, {Role::Use, t}})
          .selector = i;
    };
    add(".f32", Type::F32, testp<float>);
    add(".f64", Type::F64, testp<double>);
  }
}

} // namespace boostrt::sim
