// Warp.h - 32 threads in lock-step, and the loops over them.
#pragma once

#include "sim/Fault.h"
#include "sim/Program.h"

#include <cstring>
#include <vector>

namespace boostrt::sim {

struct Block;

/// A warp's lanes wait here for each other: those of `mask` go on at `pc` until
/// they come to `reconverge`.
struct Divergence {
  uint32_t pc = 0;
  uint32_t reconverge = kNone;
  uint32_t mask = 0;
};

struct Warp {
  /// All ones where the lane takes part in the instruction, else zero.
  alignas(64) uint32_t lane[kLanes] = {};
  uint32_t mask = 0; ///< the same as bits
  std::byte *registers = nullptr;
  Block *block = nullptr;
  uint32_t index = 0; ///< in the block
  uint32_t live = 0;  ///< lanes that have not ended
  uint32_t pc = 0;
  /// Raised by every instruction that orders the memory accesses of the warp's
  /// own lanes (shfl.sync, bar.warp.sync, ...).
  uint32_t order = 0;
  bool faulted = false;
  bool done = false;
  bool atBarrier = false;
  uint64_t executed = 0;     ///< instructions of the warp
  uint64_t laneExecuted = 0; ///< times active lanes
  uint64_t globalBytes = 0;  ///< that its lanes read of global memory
  std::vector<Divergence> stack;
  std::byte *local = nullptr; ///< kLanes pieces of Kernel::localBytes
  uint8_t *localWritten = nullptr;

  template <class T> T *at(uint32_t slot) {
    return reinterpret_cast<T *>(registers + slot);
  }

  void setMask(uint32_t bits) {
    mask = bits;
    for (uint32_t i = 0; i < kLanes; ++i)
      lane[i] = 0 - ((bits >> i) & 1);
  }

  /// The first fault of a block counts. `address` and `bytes` may be 0.
  [[gnu::cold, gnu::noinline]] void raise(FaultKind kind, uint32_t lane,
                                          uint64_t address, uint32_t bytes,
                                          std::string detail);
};

/// Lanes where predicate `p` (0 or 1 each) holds.
inline uint32_t maskOf(const uint32_t *p) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < kLanes; ++i)
    bits |= (p[i] & 1) << i;
  return bits;
}

// The lanes of an operation never depend on each other, though its destination
// may be one of its sources.
#ifdef __clang__
#define BOOSTC_SIM_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define BOOSTC_SIM_LANES _Pragma("GCC ivdep")
#endif

/// Writes value(i) to the active lanes of `d`. `value` must be harmless for
/// inactive lanes: it is computed for all of them.
template <class D, class F> inline void forLanes(Warp &warp, D *d, F value) {
  if (warp.mask == kFullMask) {
    BOOSTC_SIM_LANES
    for (uint32_t i = 0; i < kLanes; ++i)
      d[i] = value(i);
    return;
  }
  alignas(64) D all[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i)
    all[i] = value(i);
  BOOSTC_SIM_LANES
  for (uint32_t i = 0; i < kLanes; ++i)
    d[i] = warp.lane[i] ? all[i] : d[i];
}

/// D d = F::apply(A a), and so on: handlers of operations that are a pure
/// function of a lane's values.
template <class F, class D, class A = D> void unary(Warp &warp, const Op &op) {
  const A *a = warp.at<A>(op.operand[1]);
  forLanes(warp, warp.at<D>(op.operand[0]),
           [=](uint32_t i) { return static_cast<D>(F::apply(a[i])); });
}
template <class F, class D, class A = D, class B = A>
void binary(Warp &warp, const Op &op) {
  const A *a = warp.at<A>(op.operand[1]);
  const B *b = warp.at<B>(op.operand[2]);
  forLanes(warp, warp.at<D>(op.operand[0]),
           [=](uint32_t i) { return static_cast<D>(F::apply(a[i], b[i])); });
}
template <class F, class D, class A = D, class B = A, class C = B>
void ternary(Warp &warp, const Op &op) {
  const A *a = warp.at<A>(op.operand[1]);
  const B *b = warp.at<B>(op.operand[2]);
  const C *c = warp.at<C>(op.operand[3]);
  forLanes(warp, warp.at<D>(op.operand[0]), [=](uint32_t i) {
    return static_cast<D>(F::apply(a[i], b[i], c[i]));
  });
}

} // namespace boostrt::sim
