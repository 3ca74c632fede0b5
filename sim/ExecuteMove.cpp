// ExecuteMove.cpp - moves, packing, and conversions of addresses.
#include "sim/Memory.h"
#include "sim/Opcodes.h"
#include "sim/Warp.h"

namespace boostrt::sim {

namespace {
struct Same {
  template <class T> static T apply(T a) { return a; }
};

/// {low, high} <- wide, and back. The decoder names these forms of mov
/// "mov.b64.unpack2" and "mov.b64.pack2".
template <class W, class P, uint32_t kParts>
void unpack(Warp &warp, const Op &op) {
  alignas(64) W wide[kLanes];
  std::memcpy(wide, warp.at<W>(op.operand[kParts]), sizeof wide);
  for (uint32_t part = 0; part < kParts; ++part)
    forLanes(warp, warp.at<P>(op.operand[part]), [&](uint32_t i) {
      return static_cast<P>(wide[i] >> (8 * sizeof(P) * part));
    });
}

template <class W, class P, uint32_t kParts>
void pack(Warp &warp, const Op &op) {
  alignas(64) W wide[kLanes] = {};
  for (uint32_t part = 0; part < kParts; ++part) {
    const P *from = warp.at<P>(op.operand[1 + part]);
    for (uint32_t i = 0; i < kLanes; ++i)
      wide[i] |= W(from[i]) << (8 * sizeof(P) * part);
  }
  forLanes(warp, warp.at<W>(op.operand[0]),
           [&](uint32_t i) { return wide[i]; });
}

/// Op::selector times 2^40 is what the generic address has more.
template <bool kToGeneric> void changeSpace(Warp &warp, const Op &op) {
  const uint64_t *a = warp.at<uint64_t>(op.operand[1]);
  uint64_t base = static_cast<uint64_t>(op.selector) << 40;
  forLanes(warp, warp.at<uint64_t>(op.operand[0]),
           [=](uint32_t i) { return kToGeneric ? a[i] + base : a[i] - base; });
}

template <class T> void addMov(OpcodeTable &table, Type t) {
  table.add("mov." + std::string(nameOf(t)), unary<Same, T>, sameType(t, 1));
}
} // namespace

void addMoveOpcodes(OpcodeTable &table) {
  addMov<uint32_t>(table, Type::Pred);
  for (Type t : {Type::B16, Type::U16, Type::S16, Type::F16, Type::BF16})
    addMov<uint16_t>(table, t);
  for (Type t : {Type::B32, Type::U32, Type::S32, Type::F32})
    addMov<uint32_t>(table, t);
  for (Type t : {Type::B64, Type::U64, Type::S64, Type::F64})
    addMov<uint64_t>(table, t);
  table.add("mov.b32.unpack2", unpack<uint32_t, uint16_t, 2>,
            {{Role::Def, Type::B16, 2}, {Role::Use, Type::B32}});
  table.add("mov.b32.pack2", pack<uint32_t, uint16_t, 2>,
            {{Role::Def, Type::B32}, {Role::Use, Type::B16, 2}});
  table.add("mov.b64.unpack2", unpack<uint64_t, uint32_t, 2>,
            {{Role::Def, Type::B32, 2}, {Role::Use, Type::B64}});
  table.add("mov.b64.pack2", pack<uint64_t, uint32_t, 2>,
            {{Role::Def, Type::B64}, {Role::Use, Type::B32, 2}});
  table.add("mov.b64.unpack4", unpack<uint64_t, uint16_t, 4>,
            {{Role::Def, Type::B16, 4}, {Role::Use, Type::B64}});
  table.add("mov.b64.pack4", pack<uint64_t, uint16_t, 4>,
            {{Role::Def, Type::B64}, {Role::Use, Type::B16, 4}});
  // The windows' addresses are multiples of 2^40; global ones are generic.
  struct SpaceBase {
    const char *name;
    uint64_t base;
  };
  for (SpaceBase space : {SpaceBase{"global", 0},
                          {"const", 0},
                          {"shared", kSharedWindow},
                          {"shared::cta", kSharedWindow},
                          {"local", kLocalWindow},
                          {"param", kParamWindow}}) {
    auto selector = static_cast<uint8_t>(space.base >> 40);
    std::string name(space.name);
    std::vector<Rule> rules = sameType(Type::U64, 1);
    table.add("cvta." + name + ".u64", changeSpace<true>, rules).selector =
        selector;
    table.add("cvta.to." + name + ".u64", changeSpace<false>, rules).selector =
        selector;
  }
}

} // namespace boostrt::sim
