// ExecuteMemory.cpp - ld, st and cp.async.
#include "sim/MemoryAccess.h"
#include "sim/Opcodes.h"
#include "sim/Operations.h"

namespace boostrt::sim {

namespace {
template <class E, class R>
void loadAs(Warp &warp, const Op &op, const LanePointers &from) {
  if constexpr (sizeof(E) == sizeof(R)) {
    if (op.access.count == 1 && from.contiguous) {
      std::memcpy(warp.at<R>(op.operand[0]), from.at[0], sizeof(R) * kLanes);
      return;
    }
  }
  for (uint32_t part = 0; part < op.access.count; ++part) {
    R *d = warp.at<R>(op.operand[part]);
    for (uint32_t i = 0; i < kLanes; ++i) {
      if (!warp.lane[i])
        continue;
      E value;
      std::memcpy(&value, from.at[i] + part * sizeof(E), sizeof(E));
      d[i] = static_cast<R>(value);
    }
  }
}

template <class U, class S>
void loadWidth(Warp &warp, const Op &op, const LanePointers &from) {
  bool extend = op.access.isSigned;
  switch (op.access.registerBytes) {
  case 2:
    if constexpr (sizeof(U) <= 2)
      extend ? loadAs<S, uint16_t>(warp, op, from)
             : loadAs<U, uint16_t>(warp, op, from);
    return;
  case 4:
    if constexpr (sizeof(U) <= 4)
      extend ? loadAs<S, uint32_t>(warp, op, from)
             : loadAs<U, uint32_t>(warp, op, from);
    return;
  default:
    extend ? loadAs<S, uint64_t>(warp, op, from)
           : loadAs<U, uint64_t>(warp, op, from);
  }
}

void load(Warp &warp, const Op &op) {
  LanePointers from;
  if (!resolveAccess(warp, op, op.access.count, Intent::Read, from))
    return;
  if (op.access.space == Space::Global)
    warp.globalBytes +=
        uint64_t(__builtin_popcount(warp.mask)) * op.access.bytes();
  switch (op.access.elementBytes) {
  case 1:
    return loadWidth<uint8_t, int8_t>(warp, op, from);
  case 2:
    return loadWidth<uint16_t, int16_t>(warp, op, from);
  case 4:
    return loadWidth<uint32_t, int32_t>(warp, op, from);
  default:
    return loadWidth<uint64_t, int64_t>(warp, op, from);
  }
}

template <class E>
void storeAs(Warp &warp, const Op &op, const LanePointers &to) {
  uint32_t width = op.access.registerBytes;
  if (op.access.count == 1 && to.contiguous && width == sizeof(E)) {
    std::memcpy(to.at[0], warp.at<E>(op.operand[1]), sizeof(E) * kLanes);
    return;
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!warp.lane[i])
      continue;
    for (uint32_t part = 0; part < op.access.count; ++part)
      std::memcpy(to.at[i] + part * sizeof(E),
                  warp.registers + op.operand[1 + part] + i * width, sizeof(E));
  }
}

void store(Warp &warp, const Op &op) {
  LanePointers to;
  if (!resolveAccess(warp, op, 0, Intent::Write, to))
    return;
  switch (op.access.elementBytes) {
  case 1:
    return storeAs<uint8_t>(warp, op, to);
  case 2:
    return storeAs<uint16_t>(warp, op, to);
  case 4:
    return storeAs<uint32_t>(warp, op, to);
  default:
    return storeAs<uint64_t>(warp, op, to);
  }
}

/// cp.async: [shared], [global], size. The copy is made at once: the earliest
/// moment the hardware may choose.
void copyAsync(Warp &warp, const Op &op) {
  Op part = op;
  part.access.space = Space::Global;
  part.offset = static_cast<int32_t>(op.operand[3]);
  LanePointers from, to;
  if (!resolveAccess(warp, part, 1, Intent::Read, from))
    return;
  part.access.space = Space::Shared;
  part.access.addressBytes = op.access.registerBytes;
  part.offset = static_cast<int32_t>(op.operand[2]);
  if (!resolveAccess(warp, part, 0, Intent::Write, to))
    return;
  for (uint32_t i = 0; i < kLanes; ++i)
    if (warp.lane[i])
      std::memcpy(to.at[i], from.at[i], op.access.bytes());
}

/// visit(".v2.b32", the access) for all that one instruction moves.
template <class Visit> void forElements(Space space, Visit visit) {
  for (Type t : {Type::B8, Type::U8, Type::S8, Type::B16, Type::U16, Type::S16,
                 Type::F16, Type::B32, Type::U32, Type::S32, Type::F32,
                 Type::B64, Type::U64, Type::S64, Type::F64})
    for (uint8_t count : {1, 2, 4})
      if (bytesOf(t) * count <= 16)
        visit((count == 1   ? "."
               : count == 2 ? ".v2."
                            : ".v4.") +
                  std::string(nameOf(t)),
              t,
              Access{space, static_cast<uint8_t>(bytesOf(t)), count,
                     kindOf(t) == TypeKind::Signed});
}

void addLoads(OpcodeTable &table, const std::string &prefix, Space space) {
  forElements(space, [&](const std::string &end, Type t, Access access) {
    table
        .add(prefix + end, load,
             {{Role::DefLoose, t, access.count}, {Role::Address}})
        .access = access;
  });
}

void addStores(OpcodeTable &table, const std::string &prefix, Space space) {
  forElements(space, [&](const std::string &end, Type t, Access access) {
    table
        .add(prefix + end, store,
             {{Role::Address}, {Role::UseLoose, t, access.count}})
        .access = access;
  });
}
} // namespace

void addMemoryOpcodes(OpcodeTable &table) {
  constexpr SpaceName spaces[] = {
      {"", Space::Generic},       {".global", Space::Global},
      {".shared", Space::Shared}, {".shared::cta", Space::Shared},
      {".local", Space::Local},   {".param", Space::Param},
      {".const", Space::Const},
  };
  for (const SpaceName &space : spaces) {
    std::string name(space.text);
    addLoads(table, "ld" + name, space.space);
    if (space.space == Space::Const)
      continue;
    addStores(table, "st" + name, space.space);
    if (space.space == Space::Param)
      continue;
    // Orders between threads are stronger here than any of these asks for.
    for (const char *order : {".volatile", ".relaxed.cta", ".relaxed.gpu",
                              ".relaxed.sys", ".weak"}) {
      addLoads(table, "ld" + std::string(order) + name, space.space);
      addStores(table, "st" + std::string(order) + name, space.space);
    }
    for (const char *scope : {".cta", ".gpu", ".sys"}) {
      addLoads(table, "ld.acquire" + std::string(scope) + name, space.space);
      addStores(table, "st.release" + std::string(scope) + name, space.space);
    }
  }
  addLoads(table, "ld.global.nc", Space::Global);
  // A parameter of a call is written under its name, never through a register:
  // the decoder sees to it that st.param is local memory.
  for (const char *cache : {"ca", "cg"}) {
    std::string text = std::string("cp.async.") + cache + ".shared";
    for (const char *space : {".global", "::cta.global"})
      table.add(text + space, copyAsync,
                {{Role::Address}, {Role::Address}, {Role::CopyBytes}});
  }
  for (const char *text : {"cp.async.commit_group", "cp.async.wait_all"})
    table.add(text, nothing, {});
  table.add("cp.async.wait_group", nothing, {{Role::Immediate}});
  for (const char *kind :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu",
        "fence.sc.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu",
        "fence.acq_rel.sys"})
    table.add(kind, nothing, {});
}

} // namespace boostrt::sim
