// RunWarp.cpp - the loop that executes a warp.
#include "sim/Block.h"

#include <fmt/format.h>

namespace boostrt::sim {

namespace {
/// Lanes end: they leave every group of the stack.
void endLanes(Warp &warp, uint32_t mask) {
  warp.live &= ~mask;
  for (Divergence &group : warp.stack)
    group.mask &= ~mask;
}

/// The next group with lanes becomes the running one. False when none is left.
bool resume(Warp &warp) {
  while (!warp.stack.empty()) {
    Divergence &top = warp.stack.back();
    if (top.mask != 0 && top.pc != top.reconverge) {
      warp.pc = top.pc;
      warp.setMask(top.mask);
      return true;
    }
    warp.stack.pop_back();
  }
  warp.done = true;
  return false;
}

/// Where both ways of a branch have lanes, the group splits: `jump` goes first.
void diverge(Warp &warp, const Op &op, uint32_t jump) {
  uint32_t stay = warp.stack.back().mask & ~jump;
  uint32_t meet = op.reconverge;
  // Lanes that already wait there need no group of their own.
  if (warp.stack.back().reconverge == meet)
    warp.stack.pop_back();
  else
    warp.stack.back().pc = meet;
  if (warp.pc + 1 != meet)
    warp.stack.push_back({warp.pc + 1, meet, stay});
  if (op.target != meet)
    warp.stack.push_back({op.target, meet, jump});
}

[[gnu::cold, gnu::noinline]] void spendBudget(Warp &warp) {
  warp.raise(
      FaultKind::Budget, static_cast<uint32_t>(__builtin_ctz(warp.mask)), 0, 0,
      fmt::format("this warp executed {} instructions; an endless loop, or "
                  "MachineOptions::instructionBudget is too small",
                  warp.block->launch->budget));
}
} // namespace

// Invariant: the running group is the top of the stack; its mask there, while
// warp.mask is that of the instruction under its guard.
void runWarp(Warp &warp) {
  const std::vector<Op> &code = warp.block->launch->kernel->code;
  uint64_t budget = warp.block->launch->budget;
  uint32_t meet = 0, mask = 0, pc = 0; // of the running group
  auto next = [&] {
    if (!resume(warp))
      return false;
    meet = warp.stack.back().reconverge;
    mask = warp.mask;
    pc = warp.pc;
    return true;
  };
  if (!next())
    return;
  while (true) {
    if (pc == meet) {
      warp.stack.pop_back();
      if (!next())
        return;
      continue;
    }
    const Op &op = code[pc];
    warp.pc = pc;
    if (++warp.executed > budget) [[unlikely]]
      return spendBudget(warp);
    uint32_t active = mask;
    if (op.guard != kNone) {
      uint32_t holds = maskOf(warp.at<uint32_t>(op.guard));
      active &= op.guardNegated ? ~holds : holds;
    }
    warp.laneExecuted += static_cast<uint32_t>(__builtin_popcount(active));
    switch (op.kind) {
    case OpKind::Plain:
      ++pc;
      if (active == mask) {
        op.run(warp, op);
      } else if (active) {
        warp.setMask(active);
        op.run(warp, op);
        warp.setMask(mask);
      }
      if (warp.faulted) [[unlikely]]
        return;
      continue;
    case OpKind::Branch:
      if (active == mask) {
        pc = op.target;
      } else if (!active) {
        ++pc;
      } else {
        diverge(warp, op, active);
        if (!next())
          return;
      }
      continue;
    case OpKind::Exit:
      ++pc;
      if (!active)
        continue;
      warp.stack.back().pc = pc;
      endLanes(warp, active);
      if (!next())
        return;
      continue;
    case OpKind::Barrier:
      ++pc;
      if (!active)
        continue;
      warp.stack.back().pc = pc;
      warp.setMask(active); // what Block::checkBarrier() looks at
      warp.atBarrier = true;
      return;
    }
  }
}

} // namespace boostrt::sim
