// ExecuteInteger.cpp - arithmetic on integers. Everything wraps; unsigned types
// do the work, because signed overflow is undefined in C++.
#include "runtime/device/sim/Opcodes.h"
#include "runtime/device/sim/Warp.h"

#include <limits>
#include <type_traits>

namespace boostrt::sim {

namespace {
template <class T> struct TypeOf;
#define BOOST_SIM_TYPE(C, P)                                                   \
  template <> struct TypeOf<C> {                                               \
    static constexpr Type type = Type::P;                                      \
  };
BOOST_SIM_TYPE(uint16_t, U16)
BOOST_SIM_TYPE(uint32_t, U32)
BOOST_SIM_TYPE(uint64_t, U64)
BOOST_SIM_TYPE(int16_t, S16)
BOOST_SIM_TYPE(int32_t, S32)
BOOST_SIM_TYPE(int64_t, S64)
#undef BOOST_SIM_TYPE

/// Wide enough that no operation on T overflows by promotion to int.
template <class T>
using Work = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
template <class T>
using Double = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

struct Add {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(Work<T>(a) + Work<T>(b));
  }
};
struct Sub {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(Work<T>(a) - Work<T>(b));
  }
};
struct MulLo {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(Work<T>(a) * Work<T>(b));
  }
};
struct MulHi {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>((Double<T>(a) * Double<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T> static Wide<T> apply(T a, T b) {
    return static_cast<Wide<T>>(Wide<T>(a) * Wide<T>(b));
  }
};
struct MadLo {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(MulLo::apply(a, b), c);
  }
};
struct MadHi {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(MulHi::apply(a, b), c);
  }
};
struct MadWide {
  template <class T> static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
// What the hardware's sequences give: all ones for a division by zero, of the
// remainder too; the smallest integer by -1 wraps.
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~Work<T>(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return Sub::apply(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~Work<T>(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct Neg {
  template <class T> static T apply(T a) { return Sub::apply(T(0), a); }
};
struct Abs {
  template <class T> static T apply(T a) {
    return a < 0 ? Sub::apply(T(0), a) : a;
  }
};
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};

// The carry flag is a register of its own behind the written one (operand 4):
// decoded as a hidden operand so that a warp keeps one flag a lane.
template <bool kIn, bool kOut, bool kSub>
void addCarry(Warp &warp, const Op &op, const uint32_t *a, const uint32_t *b,
              uint32_t *d, uint32_t *flag) {
  alignas(64) uint32_t sum[kLanes], carry[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) {
    // A borrow is kept as a carry of a + ~b + 1 inverted.
    uint64_t right = kSub ? uint32_t(~b[i]) : b[i];
    uint64_t in = kIn ? (kSub ? 1 - (flag[i] & 1) : (flag[i] & 1)) : kSub;
    uint64_t all = uint64_t(a[i]) + right + in;
    sum[i] = static_cast<uint32_t>(all);
    carry[i] = static_cast<uint32_t>(all >> 32) ^ uint32_t(kSub);
  }
  if (kOut)
    forLanes(warp, flag, [&](uint32_t i) { return carry[i]; });
  forLanes(warp, d, [&](uint32_t i) { return sum[i]; });
  (void)op;
}

template <bool kIn, bool kOut, bool kSub>
void carryOf(Warp &warp, const Op &op) {
  addCarry<kIn, kOut, kSub>(warp, op, warp.at<uint32_t>(op.operand[1]),
                            warp.at<uint32_t>(op.operand[2]),
                            warp.at<uint32_t>(op.operand[0]),
                            warp.at<uint32_t>(0));
}

template <bool kIn, bool kOut, bool kHigh, class T>
void madCarry(Warp &warp, const Op &op) {
  const uint32_t *a = warp.at<uint32_t>(op.operand[1]);
  const uint32_t *b = warp.at<uint32_t>(op.operand[2]);
  alignas(64) uint32_t product[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i)
    product[i] = kHigh ? static_cast<uint32_t>(MulHi::apply(T(a[i]), T(b[i])))
                       : a[i] * b[i];
  addCarry<kIn, kOut, false>(
      warp, op, product, warp.at<uint32_t>(op.operand[3]),
      warp.at<uint32_t>(op.operand[0]), warp.at<uint32_t>(0));
}

template <bool kIn, bool kOut, bool kSub>
void carry64Of(Warp &warp, const Op &op) {
  const uint64_t *a = warp.at<uint64_t>(op.operand[1]);
  const uint64_t *b = warp.at<uint64_t>(op.operand[2]);
  uint32_t *flag = warp.at<uint32_t>(0);
  alignas(64) uint64_t sum[kLanes];
  alignas(64) uint32_t carry[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) {
    unsigned __int128 right = kSub ? uint64_t(~b[i]) : b[i];
    uint64_t in = kIn ? (kSub ? 1 - (flag[i] & 1) : (flag[i] & 1)) : kSub;
    unsigned __int128 all = right + a[i] + in;
    sum[i] = static_cast<uint64_t>(all);
    carry[i] = static_cast<uint32_t>(all >> 64) ^ uint32_t(kSub);
  }
  if (kOut)
    forLanes(warp, flag, [&](uint32_t i) { return carry[i]; });
  forLanes(warp, warp.at<uint64_t>(op.operand[0]),
           [&](uint32_t i) { return sum[i]; });
}

template <class T> void addFor(OpcodeTable &table) {
  constexpr Type t = TypeOf<T>::type;
  std::string type(nameOf(t));
  auto two = [&](const char *name, Handler run) {
    table.add(std::string(name) + "." + type, run,
              {{Role::Def, t}, {Role::Use, t}, {Role::Use, t}});
  };
  auto three = [&](const char *name, Handler run) {
    table.add(std::string(name) + "." + type, run,
              {{Role::Def, t}, {Role::Use, t}, {Role::Use, t}, {Role::Use, t}});
  };
  two("add", binary<Add, T>);
  two("sub", binary<Sub, T>);
  two("mul.lo", binary<MulLo, T>);
  two("mul.hi", binary<MulHi, T>);
  two("div", binary<Div, T>);
  two("rem", binary<Rem, T>);
  two("min", binary<Min, T>);
  two("max", binary<Max, T>);
  three("mad.lo", ternary<MadLo, T>);
  three("mad.hi", ternary<MadHi, T>);
  three("sad", ternary<Sad, T>);
  if constexpr (std::is_signed_v<T>) {
    table.add("neg." + type, unary<Neg, T>, {{Role::Def, t}, {Role::Use, t}});
    table.add("abs." + type, unary<Abs, T>, {{Role::Def, t}, {Role::Use, t}});
  }
  if constexpr (sizeof(T) < 8) {
    constexpr Type w = TypeOf<Wide<T>>::type;
    table.add("mul.wide." + type, binary<MulWide, Wide<T>, T, T>,
              {{Role::Def, w}, {Role::Use, t}, {Role::Use, t}});
    table.add("mad.wide." + type, ternary<MadWide, Wide<T>, T, T, Wide<T>>,
              {{Role::Def, w}, {Role::Use, t}, {Role::Use, t}, {Role::Use, w}});
  }
}

void addCarries(OpcodeTable &table, Type t) {
  std::string type(nameOf(t));
  bool wide = bytesOf(t) == 8;
  auto two = [&](const char *name, Handler run, Handler run64) {
    table.add(std::string(name) + "." + type, wide ? run64 : run,
              {{Role::Def, t}, {Role::Use, t}, {Role::Use, t}});
  };
  two("add.cc", carryOf<false, true, false>, carry64Of<false, true, false>);
  two("addc", carryOf<true, false, false>, carry64Of<true, false, false>);
  two("addc.cc", carryOf<true, true, false>, carry64Of<true, true, false>);
  two("sub.cc", carryOf<false, true, true>, carry64Of<false, true, true>);
  two("subc", carryOf<true, false, true>, carry64Of<true, false, true>);
  two("subc.cc", carryOf<true, true, true>, carry64Of<true, true, true>);
  if (wide)
    return;
  auto mad = [&](const char *name, Handler low, Handler high,
                 Handler highSigned) {
    for (const char *half : {"lo", "hi"}) {
      std::string text(name);
      text.replace(text.find('#'), 1, half);
      table.add(
          text + "." + type,
          half[0] == 'l'                  ? low
          : kindOf(t) == TypeKind::Signed ? highSigned
                                          : high,
          {{Role::Def, t}, {Role::Use, t}, {Role::Use, t}, {Role::Use, t}});
    }
  };
  mad("mad.#.cc", madCarry<false, true, false, uint32_t>,
      madCarry<false, true, true, uint32_t>,
      madCarry<false, true, true, int32_t>);
  mad("madc.#", madCarry<true, false, false, uint32_t>,
      madCarry<true, false, true, uint32_t>,
      madCarry<true, false, true, int32_t>);
  mad("madc.#.cc", madCarry<true, true, false, uint32_t>,
      madCarry<true, true, true, uint32_t>,
      madCarry<true, true, true, int32_t>);
}
} // namespace

void addIntegerOpcodes(OpcodeTable &table) {
  addFor<uint16_t>(table);
  addFor<uint32_t>(table);
  addFor<uint64_t>(table);
  addFor<int16_t>(table);
  addFor<int32_t>(table);
  addFor<int64_t>(table);
  for (Type t : {Type::U32, Type::S32, Type::U64, Type::S64})
    addCarries(table, t);
}

} // namespace boostrt::sim
