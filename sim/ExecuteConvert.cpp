// ExecuteConvert.cpp - cvt in all its types and roundings.
//
// Through a wide middle value (64-bit integer or double) each way, but for the
// few forms that address arithmetic and index code are made of. A destination
// register wider than the type takes the value extended by its sign or by
// zeros.
#include "sim/Floats.h"
#include "sim/Opcodes.h"
#include "sim/Warp.h"

#include <fmt/format.h>
#include <limits>
#include <type_traits>

namespace boostrt::sim {

namespace {
enum Rounding : uint8_t { Nearest, Zero, Down, Up };

/// A converter's flags, in Op::selector.
constexpr uint8_t kFtz = 4, kSat = 8, kToIntegral = 16;

double toIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Nearest:
    return __builtin_nearbyint(value);
  case Zero:
    return __builtin_trunc(value);
  case Down:
    return __builtin_floor(value);
  case Up:
    return __builtin_ceil(value);
  }
  return value;
}

/// Rounds to float in a mode other than the processor's: the nearest one, moved
/// by one place where it lies on the wrong side.
float toFloat(double value, Rounding rounding) {
  float nearest = static_cast<float>(value);
  if (rounding == Nearest || nearest != nearest || double(nearest) == value)
    return nearest;
  bool below = double(nearest) < value;
  bool wantBelow = rounding == Down || (rounding == Zero && value > 0);
  if (below == wantBelow)
    return nearest;
  return std::nextafter(nearest, wantBelow
                                     ? -std::numeric_limits<float>::infinity()
                                     : std::numeric_limits<float>::infinity());
}

/// Integers to floats round once: an unsigned 64-bit integer does not go
/// through double on its way to float.
template <class F, class I> F fromInteger(I value, Rounding rounding) {
  F nearest = static_cast<F>(value);
  if (rounding == Nearest)
    return nearest;
  // Exact in __int128: the nearest one is at most 2^64.
  auto back = static_cast<__int128>(nearest);
  if (back == static_cast<__int128>(value))
    return nearest;
  bool below = back < static_cast<__int128>(value);
  bool wantBelow = rounding == Down || (rounding == Zero && value > 0);
  if (below == wantBelow)
    return nearest;
  constexpr F infinity = std::numeric_limits<F>::infinity();
  return std::nextafter(nearest, wantBelow ? -infinity : infinity);
}

/// The nearest value of the type; NaN gives 0.
template <class I> I fromFloat(double value, Rounding rounding) {
  double whole = toIntegral(value, rounding);
  if (whole != whole)
    return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<I>::min());
  // 2^n, one above the largest.
  constexpr double high =
      2 * static_cast<double>(std::numeric_limits<I>::max() / 2 + 1);
  if (whole < low)
    return std::numeric_limits<I>::min();
  if (whole >= high)
    return std::numeric_limits<I>::max();
  return static_cast<I>(whole);
}

template <class T> constexpr bool kIsFloat = std::is_floating_point_v<T>;
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};
template <> constexpr bool kIsFloat<Half> = true;
template <> constexpr bool kIsFloat<Brain> = true;

template <class T> auto load(T value) { return value; }
inline float load(Half value) { return halfToFloat(value.bits); }
inline float load(Brain value) { return bfloatToFloat(value.bits); }

template <class D, class S> D convertOne(S source, uint8_t flags) {
  auto rounding = static_cast<Rounding>(flags & 3);
  auto value = load(source);
  if constexpr (std::is_same_v<decltype(value), float>)
    if (flags & kFtz)
      value = flush(value);
  if constexpr (kIsFloat<D>) {
    if constexpr (!kIsFloat<S>) {
      if constexpr (std::is_same_v<D, Half>)
        return {floatToHalf(fromInteger<float>(value, rounding))};
      else
        return fromInteger<D>(value, rounding);
    } else {
      double wide = value;
      if (flags & kToIntegral)
        wide = toIntegral(wide, rounding);
      if (flags & kSat)
        wide = saturate(wide);
      if constexpr (std::is_same_v<D, double>) {
        return wide;
      } else if constexpr (std::is_same_v<D, float>) {
        float result = canonical(toFloat(wide, rounding));
        return flags & kFtz ? flush(result) : result;
      } else if constexpr (std::is_same_v<D, Half>) {
        return {floatToHalf(static_cast<float>(wide))};
      } else {
        return {floatToBfloat(static_cast<float>(wide))};
      }
    }
  } else if constexpr (kIsFloat<S>) {
    return fromFloat<D>(value, rounding);
  } else {
    if (flags & kSat) {
      using Wide = __int128;
      Wide low = std::numeric_limits<D>::min(),
           high = std::numeric_limits<D>::max();
      Wide wide = value;
      return static_cast<D>(wide < low ? low : wide > high ? high : wide);
    }
    return static_cast<D>(value);
  }
}

/// The low bytes of each lane's register, which may be wider than S.
template <class S>
S sourceAt(Warp &warp, uint32_t slot, uint32_t width, uint32_t i) {
  S value;
  std::memcpy(&value, warp.registers + slot + i * width, sizeof(S));
  return value;
}

template <class D, class S> void convert(Warp &warp, const Op &op) {
  // access.registerBytes and addressBytes: widths of destination and source.
  alignas(64) D result[kLanes];
  uint32_t width = op.access.addressBytes;
  for (uint32_t i = 0; i < kLanes; ++i)
    if (warp.lane[i])
      result[i] = convertOne<D>(sourceAt<S>(warp, op.operand[1], width, i),
                                op.selector);
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!warp.lane[i])
      continue;
    if constexpr (kIsFloat<D>) {
      std::memcpy(warp.registers + op.operand[0] + i * op.access.registerBytes,
                  &result[i], sizeof(D));
    } else {
      int64_t wide = static_cast<int64_t>(result[i]);
      std::memcpy(warp.registers + op.operand[0] + i * op.access.registerBytes,
                  &wide, op.access.registerBytes);
    }
  }
}

struct Same {
  template <class S> static auto apply(S value) { return value; }
};
/// Where both registers are as wide as their types.
template <class D, class S> void convertPlain(Warp &warp, const Op &op) {
  if (op.access.registerBytes == sizeof(D) &&
      op.access.addressBytes == sizeof(S))
    unary<Same, D, S>(warp, op);
  else
    convert<D, S>(warp, op);
}

template <class T> constexpr Type typeOf() {
  if constexpr (std::is_same_v<T, Half>)
    return Type::F16;
  else if constexpr (std::is_same_v<T, Brain>)
    return Type::BF16;
  else
    return kTypeOf<T>;
}

template <class D, class S> void addPair(OpcodeTable &table) {
  constexpr Type d = typeOf<D>(), s = typeOf<S>();
  std::string types = fmt::format(".{}.{}", nameOf(d), nameOf(s));
  auto add = [&](const std::string &modifiers, uint8_t flags, Handler run) {
    table
        .add("cvt" + modifiers + types, run,
             {{Role::DefLoose, d}, {Role::UseLoose, s}})
        .selector = flags;
  };
  constexpr const char *modes[] = {".rn", ".rz", ".rm", ".rp"};
  constexpr const char *whole[] = {".rni", ".rzi", ".rmi", ".rpi"};
  if constexpr (!kIsFloat<D> && !kIsFloat<S>) {
    add("", 0, convertPlain<D, S>);
    add(".sat", kSat, convert<D, S>);
  } else if constexpr (kIsFloat<D> && kIsFloat<S>) {
    bool narrows = bytesOf(d) < bytesOf(s);
    bool single = d == Type::F32 || s == Type::F32;
    for (uint8_t ftz = 0; ftz <= (single ? kFtz : 0); ftz += kFtz)
      for (uint8_t sat = 0; sat <= kSat; sat += kSat) {
        std::string suffix =
            std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "");
        if (!narrows)
          add(suffix, ftz | sat, convert<D, S>);
        for (uint8_t mode = 0; mode < 4; ++mode) {
          if (narrows && (bytesOf(d) > 2 || mode == 0))
            add(modes[mode] + suffix, mode | ftz | sat, convert<D, S>);
          if (d == s)
            add(whole[mode] + suffix, mode | ftz | sat | kToIntegral,
                convert<D, S>);
        }
      }
  } else if constexpr (kIsFloat<D>) {
    for (uint8_t mode = 0; mode < (bytesOf(d) > 2 ? 4 : 1); ++mode)
      add(modes[mode], mode, convert<D, S>);
  } else {
    for (uint8_t mode = 0; mode < 4; ++mode) {
      add(whole[mode], mode, convert<D, S>);
      add(std::string(whole[mode]) + ".sat", mode, convert<D, S>);
      if (s == Type::F32) {
        add(std::string(whole[mode]) + ".ftz", mode | kFtz, convert<D, S>);
        add(std::string(whole[mode]) + ".ftz.sat", mode | kFtz, convert<D, S>);
      }
    }
  }
}

template <class D, class... S> void addFrom(OpcodeTable &table) {
  (addPair<D, S>(table), ...);
}
template <class... D> void addTo(OpcodeTable &table) {
  (addFrom<D, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
           int64_t, float, Half>(table),
   ...);
}
/// What f16 has no conversion from: they would round twice.
template <class... D> void addFromWide(OpcodeTable &table) {
  (addFrom<D, double, Brain>(table), ...);
}

/// Two numbers in one register, the second in its lower half.
template <uint16_t (*kRound)(float)> struct Pack {
  static uint32_t apply(float upper, float lower) {
    return uint32_t(kRound(upper)) << 16 | kRound(lower);
  }
};
template <uint16_t (*kRound)(float)>
void addPack(OpcodeTable &table, const char *type) {
  table.add(
      std::string("cvt.rn.") + type + ".f32",
      binary<Pack<kRound>, uint32_t, float>,
      {{Role::Def, Type::B32}, {Role::Use, Type::F32}, {Role::Use, Type::F32}});
}
} // namespace

void addConvertOpcodes(OpcodeTable &table) {
  addPack<floatToHalf>(table, "f16x2");
  addPack<floatToBfloat>(table, "bf16x2");
  addTo<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
        int64_t, float, double, Half>(table);
  addFromWide<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
              int64_t, float, double>(table);
  addPair<Brain, float>(table);
}

} // namespace boostrt::sim
