// RankWatch.h - what a control server knows of each rank, and what it
// concludes.
#pragma once

#include "runtime/comm/control/Wire.h"
#include "runtime/support/Clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace boostrt::control {

/// Every conclusion is the message that all ranks get; empty: all is well.
class RankWatch {
public:
  RankWatch(uint32_t size, std::chrono::milliseconds silenceDeadline,
            std::chrono::milliseconds stallDeadline)
      : silenceDeadline_(silenceDeadline), stallDeadline_(stallDeadline),
        ranks_(size) {}

  uint32_t size() const { return static_cast<uint32_t>(ranks_.size()); }
  bool hasCome(uint32_t rank) const { return ranks_[rank].hasCome; }
  bool hasLeft(uint32_t rank) const { return ranks_[rank].hasLeft; }
  const ActivityRecord &activity(uint32_t rank) const {
    return ranks_[rank].activity;
  }

  void come(uint32_t rank, Clock::time_point now);
  void leave(uint32_t rank) { ranks_[rank].hasLeft = true; }
  void heard(uint32_t rank, Clock::time_point now) {
    ranks_[rank].lastHeard = now;
  }
  void beat(uint32_t rank, uint64_t call, ActivityRecord activity,
            Clock::time_point now);
  /// What `rank` waits for, when it has for a while.
  std::string waits(uint32_t rank, WaitReport report);

  std::string lost(uint32_t rank) const;
  std::string gaveUp(uint32_t rank, std::string_view cause) const;
  /// `rank` saw its connection to `peer` break, which lives or has left.
  std::string suspected(uint32_t rank, uint32_t peer,
                        std::string_view seen) const;
  /// Who is silent, and who waits in vain.
  std::string overdue(Clock::time_point now) const;
  /// The ranks that have not come, for the message.
  std::string missing() const;
  bool isComplete() const;

private:
  struct Rank {
    bool hasCome = false, hasLeft = false;
    Clock::time_point lastHeard, callSince;
    ActivityRecord activity;
    uint64_t call = 0; ///< the exchange in which it is
    WaitReport waits;  ///< of that call, once it has waited for a while
  };

  const PendingMessage *pending(uint32_t rank) const;
  std::string stalled(uint32_t rank) const;

  std::chrono::milliseconds silenceDeadline_, stallDeadline_;
  std::vector<Rank> ranks_;
};

} // namespace boostrt::control
