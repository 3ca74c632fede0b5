// Operations.h - what a lane computes, shared by the families that do it on
// other types, in another rounding mode or in memory.
//
// Files with different floating-point flags include this, and a linker keeps
// one copy of a function: hence everything is always_inline, and a handler's
// template arguments contain a type of the file's own where flags matter.
#pragma once

#include "sim/Floats.h"
#include "sim/Warp.h"

#include <type_traits>

namespace boostrt::sim {

/// What T is computed in: everything wraps, and unsigned types do the work,
/// because signed overflow is undefined in C++; wide enough that no promotion
/// to int brings it back.
template <class T>
using Work =
    std::conditional_t<std::is_floating_point_v<T>, T,
                       std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

struct Add {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return static_cast<T>(Work<T>(a) + Work<T>(b));
  }
};
struct Sub {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return static_cast<T>(Work<T>(a) - Work<T>(b));
  }
};
/// The low half, for integers.
struct Mul {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return static_cast<T>(Work<T>(a) * Work<T>(b));
  }
};

// Integers.
struct Min {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct And {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return a ^ b;
  }
};

// Floats.
struct Div {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return a / b;
  }
};
struct Fma {
  [[gnu::always_inline]] static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  [[gnu::always_inline]] static double apply(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};
struct Rcp {
  template <class T> [[gnu::always_inline]] static T apply(T a) {
    return T(1) / a;
  }
};
struct Sqrt {
  [[gnu::always_inline]] static float apply(float a) {
    return __builtin_sqrtf(a);
  }
  [[gnu::always_inline]] static double apply(double a) {
    return __builtin_sqrt(a);
  }
};

/// F with `.ftz` around it, and `.sat` after.
template <class F, bool kFtz, bool kSat = false> struct Around {
  template <class T> [[gnu::always_inline]] static T in(T value) {
    if constexpr (kFtz)
      return flush(value);
    else
      return value;
  }
  template <class... T> [[gnu::always_inline]] static auto apply(T... values) {
    auto result = in(F::apply(in(values)...));
    if constexpr (kSat)
      return saturate(result);
    else
      return canonical(result);
  }
};

/// How many values of T the operation F takes.
template <class F, class T>
constexpr size_t kSources = requires { F::apply(T(), T(), T()); } ? 3
                            : requires { F::apply(T(), T()); }    ? 2
                                                                  : 1;

/// The handler of G, which takes as many values of T as F does.
template <class F, class G, class T> constexpr Handler handlerOf() {
  if constexpr (kSources<F, T> == 3)
    return ternary<G, T>;
  else if constexpr (kSources<F, T> == 2)
    return binary<G, T>;
  else
    return unary<G, T>;
}

/// For instructions that something else than a handler gives a meaning, or that
/// mean nothing here.
inline void nothing(Warp &, const Op &) {}

} // namespace boostrt::sim
