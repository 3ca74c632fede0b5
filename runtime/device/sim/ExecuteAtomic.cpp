// ExecuteAtomic.cpp - atom and red. Lanes go in ascending order; blocks of
// other workers are kept out by one lock a machine, because atomics are rare
// here.
#include "runtime/device/sim/MemoryAccess.h"
#include "runtime/device/sim/Opcodes.h"

#include <algorithm>
#include <mutex>
#include <type_traits>

namespace boostrt::sim {

namespace {
std::mutex &atomicLock() {
  static std::mutex lock;
  return lock;
}

struct Add {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return static_cast<T>(std::make_unsigned_t<T>(a) +
                            std::make_unsigned_t<T>(b));
  }
};
struct Min {
  template <class T> static T apply(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <class T> static T apply(T a, T b) { return std::max(a, b); }
};
struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Exch {
  template <class T> static T apply(T, T b) { return b; }
};
struct Inc {
  template <class T> static T apply(T a, T b) { return a >= b ? 0 : a + 1; }
};
struct Dec {
  template <class T> static T apply(T a, T b) {
    return a == 0 || a > b ? b : a - 1;
  }
};

/// atom: d, [a], b; red: [a], b.
template <class F, class T, bool kReturns>
void atomic(Warp &warp, const Op &op) {
  constexpr uint32_t at = kReturns ? 1 : 0;
  LanePointers pointers;
  if (!resolveAccess(warp, op, at, Intent::Atomic, pointers))
    return;
  alignas(64) T operand[kLanes];
  std::memcpy(operand, warp.at<T>(op.operand[at + 1]), sizeof operand);
  std::lock_guard guard(atomicLock());
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!warp.lane[i])
      continue;
    T old;
    std::memcpy(&old, pointers.at[i], sizeof(T));
    T next = F::apply(old, operand[i]);
    std::memcpy(pointers.at[i], &next, sizeof(T));
    if (kReturns && op.operand[0] != kNone)
      warp.at<T>(op.operand[0])[i] = old;
  }
}

/// atom.cas: d, [a], compare, value.
template <class T> void compareAndSwap(Warp &warp, const Op &op) {
  LanePointers pointers;
  if (!resolveAccess(warp, op, 1, Intent::Atomic, pointers))
    return;
  alignas(64) T expected[kLanes], value[kLanes];
  std::memcpy(expected, warp.at<T>(op.operand[2]), sizeof expected);
  std::memcpy(value, warp.at<T>(op.operand[3]), sizeof value);
  std::lock_guard guard(atomicLock());
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!warp.lane[i])
      continue;
    T old;
    std::memcpy(&old, pointers.at[i], sizeof(T));
    if (old == expected[i])
      std::memcpy(pointers.at[i], &value[i], sizeof(T));
    if (op.operand[0] != kNone)
      warp.at<T>(op.operand[0])[i] = old;
  }
}

/// Order and scope stand before the space; one worker at a time meets all.
constexpr const char *kOrders[] = {"",
                                   ".relaxed.cta",
                                   ".relaxed.gpu",
                                   ".relaxed.sys",
                                   ".acq_rel.cta",
                                   ".acq_rel.gpu",
                                   ".acq_rel.sys",
                                   ".acquire.gpu",
                                   ".release.gpu",
                                   ".gpu",
                                   ".cta",
                                   ".sys"};
struct SpaceName {
  const char *text;
  Space space;
};
constexpr SpaceName kSpaces[] = {{"", Space::Generic},
                                 {".global", Space::Global},
                                 {".shared", Space::Shared},
                                 {".shared::cta", Space::Shared}};

template <class Visit> void forms(Visit visit) {
  for (const char *order : kOrders)
    for (const SpaceName &space : kSpaces) {
      visit(std::string(order) + space.text, space.space);
      if (*order == '\0' || *space.text == '\0')
        continue;
      // The older spelling: scope behind the space (atom.global.gpu.add).
      if (std::string_view(order).substr(1).find('.') == std::string_view::npos)
        visit(std::string(space.text) + order, space.space);
    }
}

template <class F, class T>
void addOne(OpcodeTable &table, const char *name, Type t) {
  bool isFloat = std::is_floating_point_v<T>;
  forms([&](const std::string &form, Space space) {
    std::string end = form + "." + name + "." + std::string(nameOf(t));
    auto access = Access{space, static_cast<uint8_t>(sizeof(T)), 1};
    Opcode &atom = table.add("atom" + end, atomic<F, T, true>,
                             {{Role::Def, t}, {Role::Address}, {Role::Use, t}});
    atom.access = access;
    atom.ordered = true; // the value it returns tells the order
    if (std::is_same_v<F, Exch>)
      return;
    Opcode &red = table.add("red" + end, atomic<F, T, false>,
                            {{Role::Address}, {Role::Use, t}});
    red.access = access;
    red.ordered = isFloat; // a sum of floats depends on it
  });
}

template <class T> void addInteger(OpcodeTable &table, Type t) {
  addOne<Add, T>(table, "add", t);
  addOne<Min, T>(table, "min", t);
  addOne<Max, T>(table, "max", t);
}

template <class T> void addBits(OpcodeTable &table, Type t) {
  addOne<And, T>(table, "and", t);
  addOne<Or, T>(table, "or", t);
  addOne<Xor, T>(table, "xor", t);
  addOne<Exch, T>(table, "exch", t);
  forms([&](const std::string &form, Space space) {
    Opcode &cas = table.add(
        "atom" + form + ".cas." + std::string(nameOf(t)), compareAndSwap<T>,
        {{Role::Def, t}, {Role::Address}, {Role::Use, t}, {Role::Use, t}});
    cas.access = {space, static_cast<uint8_t>(sizeof(T)), 1};
    cas.ordered = true;
  });
}
} // namespace

void addAtomicOpcodes(OpcodeTable &table) {
  addInteger<uint32_t>(table, Type::U32);
  addInteger<int32_t>(table, Type::S32);
  addInteger<uint64_t>(table, Type::U64);
  addInteger<int64_t>(table, Type::S64);
  addOne<Inc, uint32_t>(table, "inc", Type::U32);
  addOne<Dec, uint32_t>(table, "dec", Type::U32);
  addOne<Add, float>(table, "add", Type::F32);
  addOne<Add, double>(table, "add", Type::F64);
  addBits<uint32_t>(table, Type::B32);
  addBits<uint64_t>(table, Type::B64);
}

} // namespace boostrt::sim
