// ExecuteCompare.cpp - comparisons and choices.
#include "sim/Floats.h"
#include "sim/Opcodes.h"
#include "sim/Warp.h"

#include <type_traits>

namespace boostrt::sim {

namespace {
/// f16, compared as the number that it is in f32.
struct Half {
  uint16_t bits;
  operator float() const { return halfToFloat(bits); }
};

enum class Cmp { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };

/// kUnordered: true also where an operand is NaN.
template <Cmp kCmp, bool kUnordered, bool kFtz> struct Compare {
  template <class T> static uint32_t apply(T a, T b) {
    if constexpr (kFtz) {
      a = flush(a);
      b = flush(b);
    }
    bool nan = a != a || b != b;
    bool result = kCmp == Cmp::Eq    ? a == b
                  : kCmp == Cmp::Ne  ? a != b && !nan
                  : kCmp == Cmp::Lt  ? a < b
                  : kCmp == Cmp::Le  ? a <= b
                  : kCmp == Cmp::Gt  ? a > b
                  : kCmp == Cmp::Ge  ? a >= b
                  : kCmp == Cmp::Num ? !nan
                                     : nan;
    return result || (kUnordered && nan);
  }
};

enum Combine : uint8_t { CombineNone, CombineAnd, CombineOr, CombineXor };

/// setp: operands d, q, a, b [, c]; d = C combine c and q = !C combine c.
template <class C, class T> void setp(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[2]);
  const T *b = warp.at<T>(op.operand[3]);
  uint32_t *d = warp.at<uint32_t>(op.operand[0]);
  if (op.selector == CombineNone && op.operand[1] == kNone) {
    forLanes(warp, d, [=](uint32_t i) { return C::apply(a[i], b[i]); });
    return;
  }
  alignas(64) uint32_t yes[kLanes], no[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) {
    yes[i] = C::apply(a[i], b[i]);
    no[i] = yes[i] ^ 1;
  }
  if (op.selector != CombineNone) {
    const uint32_t *c = warp.at<uint32_t>(op.operand[4]);
    for (uint32_t i = 0; i < kLanes; ++i) {
      yes[i] = op.selector == CombineAnd  ? yes[i] & c[i]
               : op.selector == CombineOr ? yes[i] | c[i]
                                          : yes[i] ^ c[i];
      no[i] = op.selector == CombineAnd  ? no[i] & c[i]
              : op.selector == CombineOr ? no[i] | c[i]
                                         : no[i] ^ c[i];
    }
  }
  forLanes(warp, d, [&](uint32_t i) { return yes[i]; });
  if (op.operand[1] != kNone)
    forLanes(warp, warp.at<uint32_t>(op.operand[1]),
             [&](uint32_t i) { return no[i]; });
}

/// setp on two numbers in a register: d of the lower ones, q of the upper ones.
template <class C> void setpPair(Warp &warp, const Op &op) {
  const uint32_t *a = warp.at<uint32_t>(op.operand[2]);
  const uint32_t *b = warp.at<uint32_t>(op.operand[3]);
  auto compare = [&](uint32_t slot, unsigned shift) {
    auto half = [=](uint32_t bits) {
      return Half{static_cast<uint16_t>(bits >> shift)};
    };
    forLanes(warp, warp.at<uint32_t>(slot),
             [=](uint32_t i) { return C::apply(half(a[i]), half(b[i])); });
  };
  compare(op.operand[0], 0);
  if (op.operand[1] != kNone)
    compare(op.operand[1], 16);
}

/// set.CMP.u32: all ones where it holds; set.CMP.f32: 1.0f.
template <class C, class T> void setBits(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[1]);
  const T *b = warp.at<T>(op.operand[2]);
  uint32_t yes = op.selector ? 0x3f800000u : kFullMask;
  forLanes(warp, warp.at<uint32_t>(op.operand[0]),
           [=](uint32_t i) { return C::apply(a[i], b[i]) ? yes : 0u; });
}

template <class C, class T>
void addOne(OpcodeTable &table, const std::string &cmp, Type t) {
  std::string type(nameOf(t));
  constexpr const char *combines[] = {"", ".and", ".or", ".xor"};
  for (uint8_t i = 0; i < 4; ++i) {
    // `.ftz` comes after the combination.
    size_t dot = cmp.find('.');
    std::string text = "setp." + cmp.substr(0, dot) + combines[i] +
                       (dot == std::string::npos ? "" : cmp.substr(dot)) + "." +
                       type;
    Opcode &opcode = table.add(
        text, setp<C, T>,
        {{Role::DefOrPair, Type::Pred}, {Role::Use, t}, {Role::Use, t}});
    opcode.selector = i;
    if (i)
      opcode.rules.push_back({Role::Use, Type::Pred});
  }
  if constexpr (std::is_same_v<T, Half>)
    table.add("setp." + cmp + ".f16x2", setpPair<C>,
              {{Role::DefOrPair, Type::Pred},
               {Role::Use, Type::B32},
               {Role::Use, Type::B32}});
  for (Type to : {Type::U32, Type::S32, Type::F32})
    table
        .add("set." + cmp + "." + std::string(nameOf(to)) + "." + type,
             setBits<C, T>, {{Role::Def, to}, {Role::Use, t}, {Role::Use, t}})
        .selector = to == Type::F32;
}

template <class T> void addIntegers(OpcodeTable &table, Type t) {
  addOne<Compare<Cmp::Eq, false, false>, T>(table, "eq", t);
  addOne<Compare<Cmp::Ne, false, false>, T>(table, "ne", t);
  if (kindOf(t) == TypeKind::Bits)
    return;
  addOne<Compare<Cmp::Lt, false, false>, T>(table, "lt", t);
  addOne<Compare<Cmp::Le, false, false>, T>(table, "le", t);
  addOne<Compare<Cmp::Gt, false, false>, T>(table, "gt", t);
  addOne<Compare<Cmp::Ge, false, false>, T>(table, "ge", t);
  if (kindOf(t) == TypeKind::Unsigned) {
    addOne<Compare<Cmp::Lt, false, false>, T>(table, "lo", t);
    addOne<Compare<Cmp::Le, false, false>, T>(table, "ls", t);
    addOne<Compare<Cmp::Gt, false, false>, T>(table, "hi", t);
    addOne<Compare<Cmp::Ge, false, false>, T>(table, "hs", t);
  }
}

template <class T, bool kFtz> void addFloats(OpcodeTable &table, Type t) {
  std::string ftz = kFtz ? ".ftz" : "";
  addOne<Compare<Cmp::Eq, false, kFtz>, T>(table, "eq" + ftz, t);
  addOne<Compare<Cmp::Ne, false, kFtz>, T>(table, "ne" + ftz, t);
  addOne<Compare<Cmp::Lt, false, kFtz>, T>(table, "lt" + ftz, t);
  addOne<Compare<Cmp::Le, false, kFtz>, T>(table, "le" + ftz, t);
  addOne<Compare<Cmp::Gt, false, kFtz>, T>(table, "gt" + ftz, t);
  addOne<Compare<Cmp::Ge, false, kFtz>, T>(table, "ge" + ftz, t);
  addOne<Compare<Cmp::Eq, true, kFtz>, T>(table, "equ" + ftz, t);
  addOne<Compare<Cmp::Ne, true, kFtz>, T>(table, "neu" + ftz, t);
  addOne<Compare<Cmp::Lt, true, kFtz>, T>(table, "ltu" + ftz, t);
  addOne<Compare<Cmp::Le, true, kFtz>, T>(table, "leu" + ftz, t);
  addOne<Compare<Cmp::Gt, true, kFtz>, T>(table, "gtu" + ftz, t);
  addOne<Compare<Cmp::Ge, true, kFtz>, T>(table, "geu" + ftz, t);
  addOne<Compare<Cmp::Num, false, kFtz>, T>(table, "num" + ftz, t);
  addOne<Compare<Cmp::Nan, false, kFtz>, T>(table, "nan" + ftz, t);
}

template <class T> void selp(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[1]);
  const T *b = warp.at<T>(op.operand[2]);
  const uint32_t *c = warp.at<uint32_t>(op.operand[3]);
  forLanes(warp, warp.at<T>(op.operand[0]),
           [=](uint32_t i) { return c[i] ? a[i] : b[i]; });
}

/// d = c >= 0 ? a : b
template <class T, class C> void slct(Warp &warp, const Op &op) {
  const T *a = warp.at<T>(op.operand[1]);
  const T *b = warp.at<T>(op.operand[2]);
  const C *c = warp.at<C>(op.operand[3]);
  forLanes(warp, warp.at<T>(op.operand[0]),
           [=](uint32_t i) { return c[i] >= C(0) ? a[i] : b[i]; });
}
} // namespace

void addCompareOpcodes(OpcodeTable &table) {
  forIntegerTypes([&]<class T>(Type t) { addIntegers<T>(table, t); });
  addFloats<float, false>(table, Type::F32);
  addFloats<float, true>(table, Type::F32);
  addFloats<double, false>(table, Type::F64);
  addFloats<Half, false>(table, Type::F16);
  for (Type t :
       {Type::B16, Type::U16, Type::S16, Type::B32, Type::U32, Type::S32,
        Type::F32, Type::B64, Type::U64, Type::S64, Type::F64}) {
    Handler run = bytesOf(t) == 2   ? selp<uint16_t>
                  : bytesOf(t) == 4 ? selp<uint32_t>
                                    : selp<uint64_t>;
    std::string type(nameOf(t));
    table.add("selp." + type, run, sameType(t, 2))
        .rules.push_back({Role::Use, Type::Pred});
    if (bytesOf(t) == 2)
      continue;
    bool wide = bytesOf(t) == 8;
    auto slctBy = [&](const char *by, Type c, Handler run) {
      table.add("slct." + type + by, run, sameType(t, 2))
          .rules.push_back({Role::Use, c});
    };
    slctBy(".s32", Type::S32,
           wide ? slct<uint64_t, int32_t> : slct<uint32_t, int32_t>);
    slctBy(".f32", Type::F32,
           wide ? slct<uint64_t, float> : slct<uint32_t, float>);
  }
}

} // namespace boostrt::sim
