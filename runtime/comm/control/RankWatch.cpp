#include "runtime/comm/control/RankWatch.h"

#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt::control {
namespace {

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

constexpr std::string_view sameProgram = "all ranks must run the same program";

} // namespace

void RankWatch::come(uint32_t rank, Clock::time_point now) {
  ranks_[rank].hasCome = true;
  ranks_[rank].lastHeard = now;
}

void RankWatch::beat(uint32_t rank, uint64_t call, ActivityRecord activity,
                     Clock::time_point now) {
  Rank &entry = ranks_[rank];
  entry.activity = std::move(activity);
  if (call == entry.call)
    return;
  entry.call = call;
  entry.callSince = now;
  entry.waits = {};
}

std::string RankWatch::waits(uint32_t rank, WaitReport report) {
  Rank &entry = ranks_[rank];
  if (report.call != entry.call)
    return {}; // it has come further meanwhile
  entry.waits = std::move(report);
  // Who leaves has nothing more to send, and takes nothing more. What it sent
  // before may be there after what `rank` waits for.
  if (const PendingMessage *first = pending(rank);
      first && hasLeft(first->peer))
    return suspected(rank, first->peer, {});
  for (const PendingMessage &own : entry.waits.pending) {
    if (own.peer >= size())
      continue;
    for (const PendingMessage &other : ranks_[own.peer].waits.pending) {
      bool isSameMessage = other.peer == rank && other.isSend != own.isSend &&
                           other.sequence == own.sequence;
      if (!isSameMessage || other.bytes == own.bytes)
        continue;
      uint32_t receiver = own.isSend ? own.peer : rank;
      uint32_t sender = own.isSend ? rank : own.peer;
      return fmt::format(
          "rank {} expected {} bytes of rank {} {}, which sent {}; {}",
          receiver, own.isSend ? other.bytes : own.bytes, sender,
          ranks_[receiver].activity.text(),
          own.isSend ? own.bytes : other.bytes, sameProgram);
    }
  }
  return {};
}

std::string RankWatch::lost(uint32_t rank) const {
  return fmt::format(
      "rank {} was lost {}: its connection closed without a goodbye, so its "
      "process was killed, crashed or exited early; see its own output",
      rank, activity(rank).text());
}

std::string RankWatch::gaveUp(uint32_t rank, std::string_view cause) const {
  return fmt::format("rank {} gave up {}: {}", rank, activity(rank).text(),
                     cause);
}

std::string RankWatch::suspected(uint32_t rank, uint32_t peer,
                                 std::string_view seen) const {
  if (hasLeft(peer))
    return fmt::format("rank {} has left the job {}, but rank {} waits for it "
                       "{}; {}",
                       peer, activity(peer).text(), rank, activity(rank).text(),
                       sameProgram);
  return fmt::format("rank {} lost its connection to rank {} {}: {}; both "
                     "processes live, so look at the network between them",
                     rank, peer, activity(rank).text(), printable(seen));
}

std::string RankWatch::overdue(Clock::time_point now) const {
  for (uint32_t rank = 0; rank < size(); ++rank) {
    const Rank &entry = ranks_[rank];
    if (!entry.hasCome || entry.hasLeft)
      continue;
    if (now - entry.lastHeard > silenceDeadline_)
      return fmt::format(
          "rank {} has been silent for {:.1f} s; it was last heard of {}; its "
          "process is stopped, or its machine or network is gone",
          rank, seconds(now - entry.lastHeard), entry.activity.text());
    if (entry.call && now - entry.callSince > stallDeadline_)
      if (std::string message = stalled(rank); !message.empty())
        return message;
  }
  return {};
}

/// The first message that `rank` waits for: transports wait in order.
const PendingMessage *RankWatch::pending(uint32_t rank) const {
  const WaitReport &waits = ranks_[rank].waits;
  bool isThere = ranks_[rank].call && !waits.pending.empty() &&
                 waits.pending.front().peer < size();
  return isThere ? &waits.pending.front() : nullptr;
}

/// Whom it waits for may itself be waiting: the last of the chain is to blame.
std::string RankWatch::stalled(uint32_t rank) const {
  uint32_t culprit = rank;
  for (uint32_t hops = 0; hops < size(); ++hops) {
    const PendingMessage *next = pending(culprit);
    if (!next && culprit == rank)
      return {}; // its report is under way
    if (!next)
      return fmt::format(
          "rank {} has not answered for {:.1f} s, though its process lives; it "
          "was last heard of {}; rank {} waits for it {}",
          culprit, seconds(stallDeadline_), activity(culprit).text(), rank,
          activity(rank).text());
    culprit = next->peer;
  }
  return fmt::format("ranks wait for each other, rank {} {}; {}", rank,
                     activity(rank).text(), sameProgram);
}

std::string RankWatch::missing() const {
  constexpr int most = 8;
  std::string names;
  int count = 0;
  for (uint32_t rank = 0; rank < size(); ++rank)
    if (!hasCome(rank) && ++count <= most)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", rank);
  if (count > most)
    names += fmt::format(" and {} more", count - most);
  return fmt::format("{} {}", pluralOf(count, "rank"), names);
}

bool RankWatch::isComplete() const {
  for (uint32_t rank = 0; rank < size(); ++rank)
    if (!hasCome(rank))
      return false;
  return true;
}

} // namespace boostrt::control
