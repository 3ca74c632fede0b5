// ExecuteBits.cpp - operations on bits: logic, shifts, fields, counts.
#include "sim/Opcodes.h"
#include "sim/Operations.h"

#include <algorithm>
#include <bit>

namespace boostrt::sim {

namespace {
struct Not {
  template <class T> static T apply(T a) { return ~a; }
};
struct NotPred {
  static uint32_t apply(uint32_t a) { return a ^ 1; }
};
struct Cnot {
  template <class T> static T apply(T a) { return a == 0; }
};
struct Shl {
  template <class T> static T apply(T a, uint32_t n) {
    return n >= 8 * sizeof(T) ? T(0) : static_cast<T>(uint64_t(a) << n);
  }
};
/// Arithmetic for signed types: beyond the width the sign fills all.
struct Shr {
  template <class T> static T apply(T a, uint32_t n) {
    constexpr uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> std::min(n, width - 1));
    else
      return n >= width ? T(0) : static_cast<T>(a >> n);
  }
};
template <bool kLeft, bool kWrap> struct Funnel {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = kWrap ? c & 31 : std::min(c, 32u);
    uint64_t both = uint64_t(b) << 32 | a;
    return static_cast<uint32_t>(kLeft ? both << n >> 32 : both >> n);
  }
};
struct Popc {
  template <class T> static uint32_t apply(T a) { return std::popcount(a); }
};
struct Clz {
  template <class T> static uint32_t apply(T a) { return std::countl_zero(a); }
};
struct Brev {
  template <class T> static T apply(T a) {
    uint64_t v = a;
    v = (v & 0x5555555555555555) << 1 | (v >> 1 & 0x5555555555555555);
    v = (v & 0x3333333333333333) << 2 | (v >> 2 & 0x3333333333333333);
    v = (v & 0x0f0f0f0f0f0f0f0f) << 4 | (v >> 4 & 0x0f0f0f0f0f0f0f0f);
    return static_cast<T>(__builtin_bswap64(v) >> (64 - 8 * sizeof(T)));
  }
};
/// The place of the highest bit that differs from the sign, or all ones.
template <bool kShiftAmount> struct Bfind {
  template <class T> static uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0)
      return 0xffffffff;
    uint32_t place = 8 * sizeof(T) - 1 - std::countl_zero(bits);
    return kShiftAmount ? 8 * sizeof(T) - 1 - place : place;
  }
};
/// Field of c bits from bit b, both taken modulo 256.
struct Bfe {
  template <class T> static T apply(T a, uint32_t b, uint32_t c) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t msb = 8 * sizeof(T) - 1;
    uint32_t pos = b & 0xff, len = c & 0xff;
    bool negative = std::is_signed_v<T> && len != 0 &&
                    (static_cast<U>(a) >> std::min(pos + len - 1, msb) & 1);
    U fill = negative ? ~U(0) : U(0);
    U field = pos > msb ? fill : static_cast<U>(static_cast<U>(a) >> pos);
    if (pos && pos <= msb && negative)
      field |= ~U(0) << (msb + 1 - pos);
    if (len > msb)
      return static_cast<T>(field);
    U keep = (U(1) << len) - 1;
    return static_cast<T>((field & keep) | (fill & ~keep));
  }
};
/// Low d bits of a into b at bit c.
template <class T> struct Bfi {
  static T apply(T a, T b, uint32_t c, uint32_t d) {
    constexpr uint32_t width = 8 * sizeof(T);
    uint32_t pos = c & 0xff, len = std::min(d & 0xff, width);
    if (pos >= width)
      return b;
    T keep = len == width ? ~T(0) : (T(1) << len) - 1;
    return (b & ~static_cast<T>(keep << pos)) |
           static_cast<T>((a & keep) << pos);
  }
};
struct Prmt {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t select = c >> (4 * i) & 0xf;
      uint32_t byte = bytes >> (8 * (select & 7)) & 0xff;
      if (select & 8) // the sign of the byte, eight times
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};

template <class T> void bfi(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[1]);
  const T *b = warp.at<T>(op.operand[2]);
  const uint32_t *c = warp.at<uint32_t>(op.operand[3]);
  const uint32_t *d = warp.at<uint32_t>(op.operand[4]);
  forLanes(warp, warp.at<T>(op.operand[0]),
           [=](uint32_t i) { return Bfi<T>::apply(a[i], b[i], c[i], d[i]); });
}

/// Any function of three bits: bit (a,b,c) of the immediate.
void lop3(Warp &warp, const Op &op) {
  const uint32_t *a = warp.at<uint32_t>(op.operand[1]);
  const uint32_t *b = warp.at<uint32_t>(op.operand[2]);
  const uint32_t *c = warp.at<uint32_t>(op.operand[3]);
  alignas(64) uint32_t all[kLanes] = {};
  for (uint32_t term = 0; term < 8; ++term) {
    if (!(op.offset >> term & 1))
      continue;
    uint32_t na = term & 4 ? 0 : kFullMask, nb = term & 2 ? 0 : kFullMask,
             nc = term & 1 ? 0 : kFullMask;
    for (uint32_t i = 0; i < kLanes; ++i)
      all[i] |= (a[i] ^ na) & (b[i] ^ nb) & (c[i] ^ nc);
  }
  forLanes(warp, warp.at<uint32_t>(op.operand[0]),
           [&](uint32_t i) { return all[i]; });
}

template <class T> void addLogic(OpcodeTable &table, Type t) {
  std::string type(nameOf(t));
  auto two = [&](const char *name, Handler run) {
    table.add(std::string(name) + type, run, sameType(t, 2));
  };
  two("and.", binary<And, T>);
  two("or.", binary<Or, T>);
  two("xor.", binary<Xor, T>);
  if (t == Type::Pred) {
    table.add("not.pred", unary<NotPred, uint32_t>, sameType(t, 1));
    return;
  }
  table.add("not." + type, unary<Not, T>, sameType(t, 1));
  table.add("cnot." + type, unary<Cnot, T>, sameType(t, 1));
  table.add("shl." + type, binary<Shl, T, T, uint32_t>,
            {{Role::Def, t}, {Role::Use, t}, {Role::Use, Type::U32}});
}

template <class T> void addShr(OpcodeTable &table, Type t) {
  table.add("shr." + std::string(nameOf(t)), binary<Shr, T, T, uint32_t>,
            {{Role::Def, t}, {Role::Use, t}, {Role::Use, Type::U32}});
}

template <class T> void addCounts(OpcodeTable &table, Type t) {
  std::string type(nameOf(t));
  table.add("popc." + type, unary<Popc, uint32_t, T>,
            {{Role::Def, Type::U32}, {Role::Use, t}});
  table.add("clz." + type, unary<Clz, uint32_t, T>,
            {{Role::Def, Type::U32}, {Role::Use, t}});
  table.add("brev." + type, unary<Brev, T>, sameType(t, 1));
  table.add("bfi." + type, bfi<T>,
            {{Role::Def, t},
             {Role::Use, t},
             {Role::Use, t},
             {Role::Use, Type::U32},
             {Role::Use, Type::U32}});
}

template <class T> void addFields(OpcodeTable &table, Type t) {
  std::string type(nameOf(t));
  table.add("bfe." + type, ternary<Bfe, T, T, uint32_t, uint32_t>,
            {{Role::Def, t},
             {Role::Use, t},
             {Role::Use, Type::U32},
             {Role::Use, Type::U32}});
  table.add("bfind." + type, unary<Bfind<false>, uint32_t, T>,
            {{Role::Def, Type::U32}, {Role::Use, t}});
  table.add("bfind.shiftamt." + type, unary<Bfind<true>, uint32_t, T>,
            {{Role::Def, Type::U32}, {Role::Use, t}});
}
} // namespace

void addBitOpcodes(OpcodeTable &table) {
  addLogic<uint32_t>(table, Type::Pred);
  forIntegerTypes([&]<class T>(Type t) {
    addShr<T>(table, t);
    if constexpr (std::is_unsigned_v<T>)
      if (kindOf(t) == TypeKind::Bits) {
        addLogic<T>(table, t);
        if (sizeof(T) > 2)
          addCounts<T>(table, t);
        return;
      }
    if (sizeof(T) > 2)
      addFields<T>(table, t);
  });
  std::vector<Rule> four = sameType(Type::B32, 3);
  table.add("shf.l.wrap.b32", ternary<Funnel<true, true>, uint32_t>, four);
  table.add("shf.l.clamp.b32", ternary<Funnel<true, false>, uint32_t>, four);
  table.add("shf.r.wrap.b32", ternary<Funnel<false, true>, uint32_t>, four);
  table.add("shf.r.clamp.b32", ternary<Funnel<false, false>, uint32_t>, four);
  table.add("prmt.b32", ternary<Prmt, uint32_t>, four);
  table.add("lop3.b32", lop3, four).rules.push_back({Role::Immediate});
}

} // namespace boostrt::sim
