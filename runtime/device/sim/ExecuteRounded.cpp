// ExecuteRounded.cpp - arithmetic in the other three rounding modes: the
// processor's own mode is switched around one loop over the lanes. Compiled
// with -frounding-math (see CMakeLists.txt).
#include "runtime/device/sim/Floats.h"
#include "runtime/device/sim/Opcodes.h"
#include "runtime/device/sim/Warp.h"

#include <immintrin.h>

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
  static float apply(float a) {
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a)));
  }
  static double apply(double a) {
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(a)));
  }
};

template <class F, class T, bool kFtz> struct Op3 {
  static T in(T value) {
    if constexpr (kFtz)
      return flush(value);
    else
      return value;
  }
  // Nothing of it may be computed outside the switched mode.
  [[gnu::noinline]] static void loop(Warp &warp, const Op &op) {
    T *d = warp.at<T>(op.operand[0]);
    const T *a = warp.at<T>(op.operand[1]);
    if constexpr (requires { F::apply(T(), T(), T()); }) {
      const T *b = warp.at<T>(op.operand[2]), *c = warp.at<T>(op.operand[3]);
      forLanes(warp, d, [=](uint32_t i) {
        return canonical(in(F::apply(in(a[i]), in(b[i]), in(c[i]))));
      });
    } else if constexpr (requires { F::apply(T(), T()); }) {
      const T *b = warp.at<T>(op.operand[2]);
      forLanes(warp, d, [=](uint32_t i) {
        return canonical(in(F::apply(in(a[i]), in(b[i]))));
      });
    } else {
      forLanes(warp, d,
               [=](uint32_t i) { return canonical(in(F::apply(in(a[i])))); });
    }
  }
  static void run(Warp &warp, const Op &op) {
    unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~_MM_ROUND_MASK) |
               (op.selector == 0   ? _MM_ROUND_TOWARD_ZERO
                : op.selector == 1 ? _MM_ROUND_DOWN
                                   : _MM_ROUND_UP));
    loop(warp, op);
    _mm_setcsr(before);
  }
};

template <class F>
void addDirected(OpcodeTable &table, const std::string &name, size_t sources) {
  constexpr const char *modes[] = {".rz", ".rm", ".rp"};
  auto add = [&](uint8_t mode, const char *ftz, Type t, Handler run) {
    std::vector<Rule> rules(1 + sources, Rule{Role::Use, t});
    rules[0].role = Role::Def;
    Opcode &opcode = table.add(
        name + modes[mode] + ftz + "." + std::string(nameOf(t)), run, {});
    opcode.rules = rules;
    opcode.selector = mode;
  };
  for (uint8_t mode = 0; mode < 3; ++mode) {
    add(mode, "", Type::F32, Op3<F, float, false>::run);
    add(mode, ".ftz", Type::F32, Op3<F, float, true>::run);
    add(mode, "", Type::F64, Op3<F, double, false>::run);
  }
}
} // namespace

void addRoundedOpcodes(OpcodeTable &table) {
  addDirected<Add>(table, "add", 2);
  addDirected<Sub>(table, "sub", 2);
  addDirected<Mul>(table, "mul", 2);
  addDirected<Div>(table, "div", 2);
  addDirected<Fma>(table, "fma", 3);
  addDirected<Rcp>(table, "rcp", 1);
  addDirected<Sqrt>(table, "sqrt", 1);
}

} // namespace boostrt::sim
