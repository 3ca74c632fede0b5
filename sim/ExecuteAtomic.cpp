// ExecuteAtomic.cpp - atom and red. Lanes go in ascending order; blocks of
// other workers are kept out by one lock a machine, because atomics are rare
// here.
#include "sim/MemoryAccess.h"
#include "sim/Opcodes.h"
#include "sim/Operations.h"

#include <mutex>

namespace boostrt::sim {

namespace {
std::mutex &atomicLock() {
  static std::mutex lock;
  return lock;
}

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

/// Every lane's word becomes next(lane, old).
template <class T, bool kReturns, class Next>
void update(Warp &warp, const Op &op, Next next) {
  LanePointers pointers;
  if (!resolveAccess(warp, op, kReturns ? 1 : 0, Intent::Atomic, pointers))
    return;
  std::lock_guard guard(atomicLock());
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!warp.lane[i])
      continue;
    T old;
    std::memcpy(&old, pointers.at[i], sizeof(T));
    T now = next(i, old);
    std::memcpy(pointers.at[i], &now, sizeof(T));
    if (kReturns)
      warp.at<T>(op.operand[0])[i] = old;
  }
}

/// atom: d, [a], b; red: [a], b.
template <class F, class T, bool kReturns>
void atomic(Warp &warp, const Op &op) {
  const T *b = warp.at<T>(op.operand[kReturns ? 2 : 1]);
  update<T, kReturns>(warp, op,
                      [=](uint32_t i, T old) { return F::apply(old, b[i]); });
}

/// atom.cas: d, [a], compare, value.
template <class T> void compareAndSwap(Warp &warp, const Op &op) {
  const T *expected = warp.at<T>(op.operand[2]);
  const T *value = warp.at<T>(op.operand[3]);
  update<T, true>(warp, op, [=](uint32_t i, T old) {
    return old == expected[i] ? value[i] : old;
  });
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
      // The older spelling: scope after the space (atom.global.gpu.add).
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
  forIntegerTypes([&]<class T>(Type t) {
    if constexpr (sizeof(T) > 2) {
      if (kindOf(t) == TypeKind::Bits)
        return addBits<T>(table, t);
      addOne<Add, T>(table, "add", t);
      addOne<Min, T>(table, "min", t);
      addOne<Max, T>(table, "max", t);
    }
  });
  addOne<Inc, uint32_t>(table, "inc", Type::U32);
  addOne<Dec, uint32_t>(table, "dec", Type::U32);
  addOne<Add, float>(table, "add", Type::F32);
  addOne<Add, double>(table, "add", Type::F64);
}

} // namespace boostrt::sim
