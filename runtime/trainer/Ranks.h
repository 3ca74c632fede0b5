// Ranks.h - a run's place among the ranks that train together.
//
// All ranks run the same program on disjoint shares of the data. Rank 0 alone
// reads and writes checkpoints; what it starts from, all start from. Whatever
// decides how a run goes on (the data's end, a step that is not finite, a
// signal to any rank) is known to all of them at the same step.
#pragma once

#include "runtime/comm/Collectives.h"
#include "runtime/comm/Handshake.h"
#include "runtime/data/WindowShard.h"

#include <memory>
#include <optional>

namespace boostrt {

/// A sum over samples and their number, or the sum of their weights, as precise
/// as an evaluation wants them.
struct PreciseSum {
  double sum = 0;
  double count = 0;
};

/// What of a rank other than 0 the user hears.
enum class LogPolicy {
  Own,    ///< all it says
  Muted,  ///< its end alone: rank 0 says the same on the same terminal
  Thread, ///< nothing; rank 0 is a thread of this process and listens to
          ///< signals
};

class Ranks {
public:
  /// A run of its own, for which what is below changes nothing.
  Ranks() = default;
  /// `serverOfRank` has the number of each rank's server, from 0, in the order
  /// of ranks; ranks of a server are neighbours.
  Ranks(std::unique_ptr<Transport> transport,
        std::vector<uint32_t> serverOfRank,
        LogPolicy logPolicy = LogPolicy::Own);

  uint32_t rank() const { return transport_ ? transport_->rank() : 0; }
  uint32_t size() const { return transport_ ? transport_->size() : 1; }
  bool isFirst() const { return rank() == 0; }
  bool isAlone() const { return !transport_; }
  /// Rank 0 speaks for this one.
  bool isQuiet() const { return logPolicy_ != LogPolicy::Own && !isFirst(); }
  bool handlesSignals() const { return !isThread() || isFirst(); }
  /// Ranks share a process, and what can be measured of it is about all.
  bool isThread() const { return logPolicy_ == LogPolicy::Thread; }
  WindowShard share(uint32_t microBatches) const {
    return {rank(), size(), microBatches};
  }
  const std::vector<uint32_t> &servers() const { return serverOfRank_; }
  /// The ranks whose gradients are averaged before Adasum combines them, this
  /// one among them; other such groups are as large. `across` is a
  /// BoostAdasumScope. Fails with ExitCode::Input where servers differ in size.
  Result<Group> innerGroup(uint32_t across) const;
  /// "0,0,1,1": the server of each rank.
  std::string layout() const;

  /// Not when alone.
  Transport &transport() const { return *transport_; }
  Workspace &workspace() { return workspace_; }

  // Every rank calls these in the same order; they fail as exchange() does.

  /// Fails when a rank has another value of one of them.
  Status agree(const std::vector<Fact> &facts) {
    return isAlone() ? Status() : boostrt::agree(*transport_, facts);
  }
  /// Every element's sum over the ranks, added in their order.
  Status sum(std::span<PreciseSum> values);
  /// `data` of rank 0 on every rank.
  Status broadcast(std::span<std::byte> data);
  Status broadcast(std::string &text);
  /// all[r] is rank r's value.
  template <typename T> Status gather(const T &own, std::span<T> all) {
    if (!isAlone())
      return allGatherValue(*all_, own, all, workspace_);
    all[0] = own;
    return Status();
  }
  Status barrier();

  /// Whether a signal asked any rank to stop, as of the last agreeOnStop(), and
  /// on a run of its own as of now.
  bool isStopped() const;
  /// Takes part in the answer; carried by a sum over all ranks of
  /// stopRequest().
  void agreeOnStop(int64_t requests) { isStopped_ = requests > 0; }
  /// 1 when a signal has reached this rank, else 0.
  static int64_t stopRequest();

private:
  std::unique_ptr<Transport> transport_;
  std::optional<Group> all_;
  std::vector<uint32_t> serverOfRank_ = {0};
  Workspace workspace_;
  LogPolicy logPolicy_ = LogPolicy::Own;
  bool isStopped_ = false;
};

} // namespace boostrt
