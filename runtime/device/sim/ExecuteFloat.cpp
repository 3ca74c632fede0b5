// ExecuteFloat.cpp - IEEE arithmetic rounded to nearest even. The compiler of
// this file must neither contract nor reorder (see CMakeLists.txt).
#include "runtime/device/sim/Floats.h"
#include "runtime/device/sim/Opcodes.h"
#include "runtime/device/sim/Warp.h"

#include <type_traits>

namespace boostrt::sim {

namespace {
struct Add {
  template <class T> static T apply(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T apply(T a, T b) { return a / b; }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double apply(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};
struct Rcp {
  template <class T> static T apply(T a) { return T(1) / a; }
};
struct Sqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};

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

/// F with `.ftz` around it, and `.sat` behind.
template <class F, bool kFtz, bool kSat> struct Around {
  template <class T> static T in(T value) {
    if constexpr (kFtz)
      return flush(value);
    else
      return value;
  }
  template <class T> static T out(T value) {
    if constexpr (kSat)
      return saturate(in(value));
    else
      return canonical(in(value));
  }
  template <class... T> static auto apply(T... values) {
    return out(F::apply(in(values)...));
  }
};
/// Moves of bits and choices: a NaN operand passes as it is.
template <class F> struct AroundExact {
  template <class... T> static auto apply(T... values) {
    return F::apply(flush(values)...);
  }
};

template <class F, class T, bool kFtz, bool kSat>
Handler handlerOf(size_t operands) {
  using A = Around<F, kFtz, kSat>;
  if constexpr (requires { F::apply(T(), T(), T()); })
    return ternary<A, T>;
  else if constexpr (requires { F::apply(T(), T()); })
    return binary<A, T>;
  else
    return unary<A, T>;
  (void)operands;
}

/// NAME[.rn][.ftz][.sat].f32 and NAME[.rn].f64
template <class F>
void addRounded(OpcodeTable &table, const std::string &name, size_t sources,
                bool plainToo, bool saturates) {
  auto add = [&](const std::string &modifiers, Type t, Handler run) {
    std::vector<Rule> rules(1 + sources, Rule{Role::Use, t});
    rules[0].role = Role::Def;
    for (const char *rounding : {".rn", ""})
      if (*rounding || plainToo)
        table
            .add(name + rounding + modifiers + "." + std::string(nameOf(t)),
                 run, {})
            .rules = rules;
  };
  add("", Type::F32, handlerOf<F, float, false, false>(sources));
  add(".ftz", Type::F32, handlerOf<F, float, true, false>(sources));
  if (saturates) {
    add(".sat", Type::F32, handlerOf<F, float, false, true>(sources));
    add(".ftz.sat", Type::F32, handlerOf<F, float, true, true>(sources));
  }
  add("", Type::F64, handlerOf<F, double, false, false>(sources));
}

template <class F> void addMinMax(OpcodeTable &table, const std::string &name) {
  auto add = [&](const std::string &text, Type t, Handler run) {
    table.add(text, run, {{Role::Def, t}, {Role::Use, t}, {Role::Use, t}});
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
  addRounded<Add>(table, "add", 2, true, true);
  addRounded<Sub>(table, "sub", 2, true, true);
  addRounded<Mul>(table, "mul", 2, true, true);
  addRounded<Fma>(table, "fma", 3, false, true);
  addRounded<Fma>(table, "mad", 3, false, true);
  addRounded<Div>(table, "div", 2, false, false);
  addRounded<Rcp>(table, "rcp", 1, false, false);
  addRounded<Sqrt>(table, "sqrt", 1, false, false);
  addMinMax<MinMax<false, false>>(table, "min");
  addMinMax<MinMax<true, false>>(table, "max");
  addMinMax<MinMax<false, true>>(table, "min.NaN");
  addMinMax<MinMax<true, true>>(table, "max.NaN");
  auto one = [&](const char *text, Type t, Handler run) {
    table.add(text, run, {{Role::Def, t}, {Role::Use, t}});
  };
  one("neg.f32", Type::F32, unary<Neg, float>);
  one("neg.ftz.f32", Type::F32, unary<AroundExact<Neg>, float>);
  one("neg.f64", Type::F64, unary<Neg, double>);
  one("abs.f32", Type::F32, unary<Abs, float>);
  one("abs.ftz.f32", Type::F32, unary<AroundExact<Abs>, float>);
  one("abs.f64", Type::F64, unary<Abs, double>);
  table.add(
      "copysign.f32", binary<Copysign, float>,
      {{Role::Def, Type::F32}, {Role::Use, Type::F32}, {Role::Use, Type::F32}});
  table.add(
      "copysign.f64", binary<Copysign, double>,
      {{Role::Def, Type::F64}, {Role::Use, Type::F64}, {Role::Use, Type::F64}});
  constexpr const char *tests[] = {"finite",     "infinite", "number",
                                   "notanumber", "normal",   "subnormal"};
  for (uint8_t i = 0; i < 6; ++i) {
    table
        .add(std::string("testp.") + tests[i] + ".f32", testp<float>,
             {{Role::Def, Type::Pred}, {Role::Use, Type::F32}})
        .selector = i;
    table
        .add(std::string("testp.") + tests[i] + ".f64", testp<double>,
             {{Role::Def, Type::Pred}, {Role::Use, Type::F64}})
        .selector = i;
  }
}

} // namespace boostrt::sim
