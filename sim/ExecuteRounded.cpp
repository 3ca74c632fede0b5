// ExecuteRounded.cpp - arithmetic in the other three rounding modes: the
// processor's own mode is switched around one loop over the lanes. Compiled
// with -frounding-math (see CMakeLists.txt).
#include "sim/Opcodes.h"
#include "sim/Operations.h"

#include <immintrin.h>

namespace boostrt::sim {

namespace {
/// In the mode that run() sets: this file's own type, see Operations.h.
template <class F, bool kFtz> struct InMode : Around<F, kFtz> {};

template <class F, class T, bool kFtz> struct Directed {
  // Nothing of it may be computed outside the switched mode.
  [[gnu::noinline]] static void loop(Warp &warp, const Op &op) {
    handlerOf<F, InMode<F, kFtz>, T>()(warp, op);
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
void addDirected(OpcodeTable &table, const std::string &name) {
  constexpr const char *modes[] = {".rz", ".rm", ".rp"};
  for (uint8_t mode = 0; mode < 3; ++mode) {
    auto add = [&](const char *type, Type t, Handler run) {
      table.add(name + modes[mode] + type, run, sameType(t, kSources<F, float>))
          .selector = mode;
    };
    add(".f32", Type::F32, Directed<F, float, false>::run);
    add(".ftz.f32", Type::F32, Directed<F, float, true>::run);
    add(".f64", Type::F64, Directed<F, double, false>::run);
  }
}
} // namespace

void addRoundedOpcodes(OpcodeTable &table) {
  addDirected<Add>(table, "add");
  addDirected<Sub>(table, "sub");
  addDirected<Mul>(table, "mul");
  addDirected<Div>(table, "div");
  addDirected<Fma>(table, "fma");
  addDirected<Rcp>(table, "rcp");
  addDirected<Sqrt>(table, "sqrt");
}

} // namespace boostrt::sim
