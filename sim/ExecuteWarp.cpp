// ExecuteWarp.cpp - what the lanes of a warp do together: shuffles, votes,
// reductions. All of them order the lanes' memory accesses (Warp::order).
#include "sim/Block.h"
#include "sim/Opcodes.h"
#include "sim/Operations.h"

#include <bit>
#include <fmt/format.h>

namespace boostrt::sim {

namespace {
/// Checks that the lanes named by each active lane's `members` are here, and
/// orders them. False when a fault was raised.
bool gather(Warp &warp, const uint32_t *members) {
  ++warp.order;
  if (!warp.block->launch->all)
    return true;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!warp.lane[i])
      continue;
    uint32_t absent = members[i] & ~warp.mask;
    if (absent == 0 && (members[i] >> i & 1))
      continue;
    uint32_t who = absent ? std::countr_zero(absent) : i;
    uint32_t threads = warp.block->launch->threads;
    const char *why = !absent ? "executes it without being named"
                      : warp.index * kLanes + who >= threads
                          ? "does not exist in this block"
                      : !(warp.live >> who & 1) ? "has ended"
                                                : "took another way";
    warp.raise(FaultKind::InactiveLane, i, 0, 0,
               fmt::format("mask 0x{:08x} and the lanes that execute this, "
                           "0x{:08x}, must agree: lane {} {}",
                           members[i], warp.mask, who, why));
    return false;
  }
  return true;
}

enum Shuffle : uint8_t { Up, Down, Bfly, Idx };

/// shfl.sync: d|p, a, b, c, members.
void shuffle(Warp &warp, const Op &op) {
  const uint32_t *members = warp.at<uint32_t>(op.operand[5]);
  if (!gather(warp, members))
    return;
  const uint32_t *a = warp.at<uint32_t>(op.operand[2]);
  const uint32_t *b = warp.at<uint32_t>(op.operand[3]);
  const uint32_t *c = warp.at<uint32_t>(op.operand[4]);
  alignas(64) uint32_t source[kLanes], valid[kLanes], result[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) {
    uint32_t by = b[i] & 31, clamp = c[i] & 31, segment = c[i] >> 8 & 31;
    auto highest = static_cast<int32_t>((i & segment) | (clamp & ~segment));
    uint32_t lowest = i & segment;
    int32_t from = 0;
    bool inside = false;
    switch (op.selector) {
    case Up: // the clamp is the lowest lane of the segment here
      from = static_cast<int32_t>(i) - static_cast<int32_t>(by);
      inside = from >= highest;
      break;
    case Down:
      from = static_cast<int32_t>(i + by);
      inside = from <= highest;
      break;
    case Bfly:
      from = static_cast<int32_t>(i ^ by);
      inside = from <= highest;
      break;
    default:
      from = static_cast<int32_t>(lowest | (by & ~segment));
      inside = from <= highest;
    }
    source[i] = inside ? static_cast<uint32_t>(from) & 31 : i;
    valid[i] = inside;
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (warp.lane[i] && warp.block->launch->all && valid[i] &&
        !(members[i] >> source[i] & 1)) {
      warp.raise(
          FaultKind::InactiveLane, i, 0, 0,
          fmt::format("it reads lane {}, which mask 0x{:08x} does not name",
                      source[i], members[i]));
      return;
    }
    result[i] = a[source[i]];
  }
  forLanes(warp, warp.at<uint32_t>(op.operand[0]),
           [&](uint32_t i) { return result[i]; });
  if (op.operand[1] != kNone)
    forLanes(warp, warp.at<uint32_t>(op.operand[1]),
             [&](uint32_t i) { return valid[i]; });
}

enum Vote : uint8_t { VoteAll, VoteAny, VoteUni, VoteBallot };

void vote(Warp &warp, const Op &op) {
  const uint32_t *members = warp.at<uint32_t>(op.operand[2]);
  if (!gather(warp, members))
    return;
  uint32_t holds = maskOf(warp.at<uint32_t>(op.operand[1])) & warp.mask;
  forLanes(warp, warp.at<uint32_t>(op.operand[0]), [&](uint32_t i) -> uint32_t {
    uint32_t among = holds & members[i], of = members[i];
    switch (op.selector) {
    case VoteAll:
      return among == of;
    case VoteAny:
      return among != 0;
    case VoteUni:
      return among == of || among == 0;
    default:
      return among;
    }
  });
}

void activeMask(Warp &warp, const Op &op) {
  uint32_t mask = warp.mask;
  forLanes(warp, warp.at<uint32_t>(op.operand[0]),
           [=](uint32_t) { return mask; });
}

void barrierWarp(Warp &warp, const Op &op) {
  gather(warp, warp.at<uint32_t>(op.operand[0]));
}

/// redux.sync: d, a, members.
template <class F, class T> void reduce(Warp &warp, const Op &op) {
  const uint32_t *members = warp.at<uint32_t>(op.operand[2]);
  if (!gather(warp, members))
    return;
  alignas(64) T a[kLanes];
  std::memcpy(a, warp.at<T>(op.operand[1]), sizeof a);
  forLanes(warp, warp.at<T>(op.operand[0]), [&](uint32_t i) -> T {
    uint32_t left = members[i] & warp.mask;
    if (!left)
      return T(0);
    T result = a[std::countr_zero(left)];
    for (left &= left - 1; left; left &= left - 1)
      result = F::apply(result, a[std::countr_zero(left)]);
    return result;
  });
}

/// match.any.sync: lanes with the same value.
template <class T> void matchAny(Warp &warp, const Op &op) {
  const uint32_t *members = warp.at<uint32_t>(op.operand[2]);
  if (!gather(warp, members))
    return;
  const T *a = warp.at<T>(op.operand[1]);
  alignas(64) uint32_t same[kLanes] = {};
  for (uint32_t i = 0; i < kLanes; ++i)
    for (uint32_t j = 0; j < kLanes; ++j)
      same[i] |= uint32_t(a[i] == a[j]) << j;
  forLanes(warp, warp.at<uint32_t>(op.operand[0]),
           [&](uint32_t i) { return same[i] & members[i] & warp.mask; });
}

void trap(Warp &warp, const Op &) {
  warp.raise(FaultKind::Trap,
             static_cast<uint32_t>(std::countr_zero(warp.mask)), 0, 0,
             "the kernel gave up here by itself");
}
} // namespace

void addWarpOpcodes(OpcodeTable &table) {
  constexpr const char *shuffles[] = {"up", "down", "bfly", "idx"};
  for (uint8_t i = 0; i < 4; ++i)
    table
        .add(std::string("shfl.sync.") + shuffles[i] + ".b32", shuffle,
             {{Role::DefOrPair, Type::B32},
              {Role::Use, Type::B32},
              {Role::Use, Type::B32},
              {Role::Use, Type::B32},
              {Role::Use, Type::B32}})
        .selector = i;
  constexpr const char *votes[] = {"all.pred", "any.pred", "uni.pred",
                                   "ballot.b32"};
  for (uint8_t i = 0; i < 4; ++i)
    table
        .add(std::string("vote.sync.") + votes[i], vote,
             {{Role::Def, i == VoteBallot ? Type::B32 : Type::Pred},
              {Role::Use, Type::Pred},
              {Role::Use, Type::B32}})
        .selector = i;
  table.add("activemask.b32", activeMask, {{Role::Def, Type::B32}});
  table.add("bar.warp.sync", barrierWarp, {{Role::Use, Type::B32}});
  auto redux = [&](const char *name, Type t, Handler run) {
    table.add(std::string("redux.sync.") + name, run,
              {{Role::Def, t}, {Role::Use, t}, {Role::Use, Type::B32}});
  };
  redux("add.u32", Type::U32, reduce<Add, uint32_t>);
  redux("add.s32", Type::S32, reduce<Add, uint32_t>);
  redux("min.u32", Type::U32, reduce<Min, uint32_t>);
  redux("min.s32", Type::S32, reduce<Min, int32_t>);
  redux("max.u32", Type::U32, reduce<Max, uint32_t>);
  redux("max.s32", Type::S32, reduce<Max, int32_t>);
  redux("and.b32", Type::B32, reduce<And, uint32_t>);
  redux("or.b32", Type::B32, reduce<Or, uint32_t>);
  redux("xor.b32", Type::B32, reduce<Xor, uint32_t>);
  table.add(
      "match.any.sync.b32", matchAny<uint32_t>,
      {{Role::Def, Type::B32}, {Role::Use, Type::B32}, {Role::Use, Type::B32}});
  table.add(
      "match.any.sync.b64", matchAny<uint64_t>,
      {{Role::Def, Type::B32}, {Role::Use, Type::B64}, {Role::Use, Type::B32}});
}

void addControlOpcodes(OpcodeTable &table) {
  table.add("bra", nothing, {{Role::Label}}).kind = OpKind::Branch;
  table.add("bra.uni", nothing, {{Role::Label}}).kind = OpKind::Branch;
  for (const char *text : {"ret", "ret.uni", "exit"})
    table.add(text, nothing, {}).kind = OpKind::Exit;
  table.add("trap", trap, {});
  for (const char *text :
       {"bar.sync", "bar.cta.sync", "barrier.sync", "barrier.cta.sync",
        "barrier.sync.aligned", "barrier.cta.sync.aligned"})
    table.add(text, nothing, {{Role::Immediate}}).kind = OpKind::Barrier;
}

} // namespace boostrt::sim
