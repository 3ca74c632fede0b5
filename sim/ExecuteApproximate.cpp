// ExecuteApproximate.cpp - the hardware's approximations (ex2.approx, ...).
// They are computed in double and rounded once, so they are closer to the truth
// than the hardware, whose stated errors are 1 to 2 units in the last place
// (2^-20.5 absolute for sin and cos in [-pi, pi], 2^-11 relative for tanh).
#include "sim/Opcodes.h"
#include "sim/Operations.h"

namespace boostrt::sim {

namespace {
struct Ex2 {
  static double apply(double a) { return std::exp2(a); }
};
struct Lg2 {
  static double apply(double a) { return std::log2(a); }
};
struct Sin {
  static double apply(double a) { return std::sin(a); }
};
struct Cos {
  static double apply(double a) { return std::cos(a); }
};
struct Tanh {
  static double apply(double a) { return std::tanh(a); }
};
struct Rsqrt {
  // rsqrt(-0) is -infinity: 1 / sqrt(-0).
  static double apply(double a) { return 1 / std::sqrt(a); }
};
/// F in double, rounded once.
template <class F> struct InDouble {
  template <class... T> static float apply(T... values) {
    return static_cast<float>(F::apply(double(values)...));
  }
};
template <class F, bool kFtz> struct Single : Around<InDouble<F>, kFtz> {};

// Only where a lane takes part: the library's functions are slow.
template <class F> void unaryActive(Warp &warp, const Op &op) {
  const float *a = warp.at<float>(op.operand[1]);
  float *d = warp.at<float>(op.operand[0]);
  for (uint32_t i = 0; i < kLanes; ++i)
    if (warp.lane[i])
      d[i] = F::apply(a[i]);
}

template <class F>
void addUnary(OpcodeTable &table, const std::string &name, bool ftzToo = true) {
  std::vector<Rule> rules = sameType(Type::F32, 1);
  table.add(name + ".approx.f32", unaryActive<Single<F, false>>, rules);
  if (ftzToo)
    table.add(name + ".approx.ftz.f32", unaryActive<Single<F, true>>, rules);
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper 32 bits
/// alone: 20 bits of fraction.
template <class F> struct Upper {
  static double apply(double a) {
    auto cut = [](double value) {
      uint64_t bits = std::bit_cast<uint64_t>(value) & 0xffffffff00000000ull;
      if ((bits & 0x7ff0000000000000ull) == 0)
        bits &= 0x8000000000000000ull;
      return std::bit_cast<double>(bits);
    };
    if (a != a)
      return std::bit_cast<double>(0x7fffffff00000000ull);
    return cut(F::apply(cut(a)));
  }
};
} // namespace

void addApproximateOpcodes(OpcodeTable &table) {
  addUnary<Ex2>(table, "ex2");
  addUnary<Lg2>(table, "lg2");
  addUnary<Sin>(table, "sin");
  addUnary<Cos>(table, "cos");
  addUnary<Tanh>(table, "tanh", false);
  addUnary<Rcp>(table, "rcp");
  addUnary<Rsqrt>(table, "rsqrt");
  addUnary<Sqrt>(table, "sqrt");
  std::vector<Rule> rules = sameType(Type::F32, 2);
  for (const char *kind : {"approx", "full"}) {
    std::string name = std::string("div.") + kind;
    table.add(name + ".f32", binary<Single<Div, false>, float>, rules);
    table.add(name + ".ftz.f32", binary<Single<Div, true>, float>, rules);
  }
  table.add("rcp.approx.ftz.f64", unary<Upper<Rcp>, double>,
            sameType(Type::F64, 1));
  table.add("rsqrt.approx.ftz.f64", unary<Upper<Rsqrt>, double>,
            sameType(Type::F64, 1));
}

} // namespace boostrt::sim
