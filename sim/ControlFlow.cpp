// ControlFlow.cpp - where the lanes of a diverged warp meet again.
//
// That is the immediate post-dominator of the branch: the first instruction
// that every way from it comes to. Post-dominators are dominators of the
// reversed graph; they are found by the iteration of Cooper, Harvey and Kennedy
// ("A Simple, Fast Dominance Algorithm", 2001) over basic blocks.
#include "sim/Decode.h"

#include <algorithm>

namespace boostrt::sim {

namespace {
struct BasicBlock {
  uint32_t begin = 0;
  uint32_t end = 0; ///< after the last
  std::vector<uint32_t> successors;
  std::vector<uint32_t> predecessors;
};

class PostDominators {
public:
  explicit PostDominators(std::vector<Op> &code) : code_(code) {}

  void run() {
    build();
    order();
    solve();
    for (BasicBlock &block : blocks_) {
      if (block.begin == block.end)
        continue; // the exit
      Op &last = code_[block.end - 1];
      if (last.kind != OpKind::Branch || last.guard == kNone)
        continue;
      uint32_t at = parent_[&block - blocks_.data()];
      last.reconverge = at == kNone || at == exit_
                            ? static_cast<uint32_t>(code_.size())
                            : blocks_[at].begin;
    }
  }

private:
  void build() {
    auto size = static_cast<uint32_t>(code_.size());
    std::vector<bool> leader(size + 1, false);
    leader[0] = true;
    for (uint32_t pc = 0; pc < size; ++pc) {
      if (code_[pc].kind == OpKind::Branch)
        leader[code_[pc].target] = true;
      if (code_[pc].kind == OpKind::Branch || code_[pc].kind == OpKind::Exit)
        leader[pc + 1] = true;
    }
    std::vector<uint32_t> blockOf(size + 1, 0);
    for (uint32_t pc = 0; pc < size; ++pc) {
      if (leader[pc]) {
        if (!blocks_.empty())
          blocks_.back().end = pc;
        blocks_.push_back({pc, size, {}, {}});
      }
      blockOf[pc] = static_cast<uint32_t>(blocks_.size() - 1);
    }
    exit_ = static_cast<uint32_t>(blocks_.size());
    blockOf[size] = exit_;
    blocks_.push_back({size, size, {}, {}});
    for (uint32_t index = 0; index < exit_; ++index) {
      const Op &last = code_[blocks_[index].end - 1];
      auto edge = [&](uint32_t pc) {
        blocks_[index].successors.push_back(blockOf[pc]);
        blocks_[blockOf[pc]].predecessors.push_back(index);
      };
      if (last.kind == OpKind::Branch)
        edge(last.target);
      // Lanes that end under a guard are gone; the others are not to wait for
      // the end of the kernel on their account.
      bool goesOn = last.guard != kNone ||
                    (last.kind != OpKind::Branch && last.kind != OpKind::Exit);
      if (goesOn)
        edge(blocks_[index].end);
      else if (last.kind == OpKind::Exit)
        edge(size);
    }
  }

  /// Reverse post-order of the reversed graph, from the exit.
  void order() {
    number_.assign(blocks_.size(), kNone);
    std::vector<std::pair<uint32_t, size_t>> stack = {{exit_, 0}};
    std::vector<bool> seen(blocks_.size(), false);
    seen[exit_] = true;
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      const auto &predecessors = blocks_[block].predecessors;
      if (next < predecessors.size()) {
        uint32_t before = predecessors[next++];
        if (!seen[before]) {
          seen[before] = true;
          stack.emplace_back(before, 0);
        }
        continue;
      }
      order_.push_back(block);
      stack.pop_back();
    }
    std::reverse(order_.begin(), order_.end());
    for (uint32_t i = 0; i < order_.size(); ++i)
      number_[order_[i]] = i;
  }

  void solve() {
    // Blocks from which no way leads to the end keep kNone.
    parent_.assign(blocks_.size(), kNone);
    parent_[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t block : order_) {
        if (block == exit_)
          continue;
        uint32_t best = kNone;
        for (uint32_t next : blocks_[block].successors)
          if (parent_[next] != kNone)
            best = best == kNone ? next : common(best, next);
        changed |= parent_[block] != best;
        parent_[block] = best;
      }
    }
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] > number_[b])
        a = parent_[a];
      while (number_[b] > number_[a])
        b = parent_[b];
    }
    return a;
  }

  std::vector<Op> &code_;
  std::vector<BasicBlock> blocks_;
  uint32_t exit_ = 0;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> number_;
  std::vector<uint32_t> parent_;
};
} // namespace

void findReconvergence(std::vector<Op> &code) { PostDominators(code).run(); }

} // namespace boostrt::sim
