// ExecuteInteger.cpp - arithmetic on integers.
#include "sim/Opcodes.h"
#include "sim/Operations.h"

namespace boostrt::sim {

namespace {
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
template <class T>
using Double = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

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
    return Add::apply(Mul::apply(a, b), c);
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
struct Quotient {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~Work<T>(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return Sub::apply(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~Work<T>(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
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

/// Sum or difference with the lanes' carry flags, which have a place of their
/// own in the register file.
template <bool kIn, bool kOut, bool kSub, class T>
void addCarry(Warp &warp, const T *a, const T *b, T *d) {
  uint32_t *flag = warp.at<uint32_t>(kCarrySlot);
  alignas(64) T sum[kLanes];
  alignas(64) uint32_t carry[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) {
    // A borrow is kept as a carry of a + ~b + 1 inverted.
    T right = kSub ? ~b[i] : b[i];
    T in = kIn ? (flag[i] & 1) ^ uint32_t(kSub) : kSub;
    Double<T> all = Double<T>(a[i]) + right + in;
    sum[i] = static_cast<T>(all);
    carry[i] = static_cast<uint32_t>(all >> (8 * sizeof(T))) ^ uint32_t(kSub);
  }
  if (kOut)
    forLanes(warp, flag, [&](uint32_t i) { return carry[i]; });
  forLanes(warp, d, [&](uint32_t i) { return sum[i]; });
}

template <bool kIn, bool kOut, bool kSub, class T>
void carryOf(Warp &warp, const Op &op) {
  addCarry<kIn, kOut, kSub>(warp, warp.at<T>(op.operand[1]),
                            warp.at<T>(op.operand[2]),
                            warp.at<T>(op.operand[0]));
}

template <bool kIn, bool kOut, bool kHigh, class T>
void madCarry(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[1]);
  const T *b = warp.at<T>(op.operand[2]);
  alignas(64) uint32_t product[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i)
    product[i] = static_cast<uint32_t>(kHigh ? MulHi::apply(a[i], b[i])
                                             : Mul::apply(a[i], b[i]));
  addCarry<kIn, kOut, false, uint32_t>(warp, product,
                                       warp.at<uint32_t>(op.operand[3]),
                                       warp.at<uint32_t>(op.operand[0]));
}

template <class T> void addFor(OpcodeTable &table) {
  constexpr Type t = kTypeOf<T>;
  std::string type(nameOf(t));
  auto two = [&](const char *name, Handler run) {
    table.add(std::string(name) + "." + type, run, sameType(t, 2));
  };
  auto three = [&](const char *name, Handler run) {
    table.add(std::string(name) + "." + type, run, sameType(t, 3));
  };
  two("add", binary<Add, T>);
  two("sub", binary<Sub, T>);
  two("mul.lo", binary<Mul, T>);
  two("mul.hi", binary<MulHi, T>);
  two("div", binary<Quotient, T>);
  two("rem", binary<Remainder, T>);
  two("min", binary<Min, T>);
  two("max", binary<Max, T>);
  three("mad.lo", ternary<MadLo, T>);
  three("mad.hi", ternary<MadHi, T>);
  three("sad", ternary<Sad, T>);
  if constexpr (std::is_signed_v<T>) {
    table.add("neg." + type, unary<Neg, T>, sameType(t, 1));
    table.add("abs." + type, unary<Abs, T>, sameType(t, 1));
  }
  if constexpr (sizeof(T) < 8) {
    constexpr Type w = kTypeOf<Wide<T>>;
    table.add("mul.wide." + type, binary<MulWide, Wide<T>, T, T>,
              {{Role::Def, w}, {Role::Use, t}, {Role::Use, t}});
    table.add("mad.wide." + type, ternary<MadWide, Wide<T>, T, T, Wide<T>>,
              {{Role::Def, w}, {Role::Use, t}, {Role::Use, t}, {Role::Use, w}});
  }
}

/// T is unsigned for sums, which do not depend on the sign.
template <class T> void addCarries(OpcodeTable &table, Type t) {
  auto two = [&](const char *name, Handler run) {
    table.add(std::string(name) + "." + std::string(nameOf(t)), run,
              sameType(t, 2));
  };
  two("add.cc", carryOf<false, true, false, T>);
  two("addc", carryOf<true, false, false, T>);
  two("addc.cc", carryOf<true, true, false, T>);
  two("sub.cc", carryOf<false, true, true, T>);
  two("subc", carryOf<true, false, true, T>);
  two("subc.cc", carryOf<true, true, true, T>);
}

template <class T> void addMadCarries(OpcodeTable &table) {
  constexpr Type t = kTypeOf<T>;
  auto three = [&](const char *name, Handler run) {
    table.add(std::string(name) + "." + std::string(nameOf(t)), run,
              sameType(t, 3));
  };
  three("mad.lo.cc", madCarry<false, true, false, T>);
  three("mad.hi.cc", madCarry<false, true, true, T>);
  three("madc.lo", madCarry<true, false, false, T>);
  three("madc.hi", madCarry<true, false, true, T>);
  three("madc.lo.cc", madCarry<true, true, false, T>);
  three("madc.hi.cc", madCarry<true, true, true, T>);
}
} // namespace

void addIntegerOpcodes(OpcodeTable &table) {
  forIntegerTypes([&]<class T>(Type t) {
    if (kindOf(t) == TypeKind::Bits)
      return;
    addFor<T>(table);
    if constexpr (sizeof(T) > 2)
      addCarries<std::make_unsigned_t<T>>(table, t);
    if constexpr (sizeof(T) == 4)
      addMadCarries<T>(table);
  });
}

} // namespace boostrt::sim
