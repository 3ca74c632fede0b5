// Supervisor.h - watches the ranks that a launcher has started until all have
// ended, and says why.
#pragma once

#include "runtime/launch/RankProcess.h"

#include <chrono>
#include <vector>

namespace boostrt {

/// How a job ended.
struct JobEnd {
  Status status;
  /// The signal that this process should die of as its ranks have: they got it
  /// from their user by way of it. 0: none.
  int signal = 0;
};

/// One at a time: while it lives, SIGCHLD, SIGTERM, SIGINT and SIGHUP are its
/// own. With
/// more threads than the caller's these take the two last, as they would
/// without it; when the process dies of one, the kernel kills the ranks.
class Supervisor {
public:
  /// `grace` is what ranks have to end by themselves when another is lost.
  /// With `reports` it is said on standard error which had to be ended.
  explicit Supervisor(std::chrono::duration<double> grace, bool reports = true);
  ~Supervisor();
  Supervisor(const Supervisor &) = delete;
  Supervisor &operator=(const Supervisor &) = delete;

  /// Starts all; what has been started is killed when one cannot be.
  Status start(const std::vector<RankCommand> &commands);

  /// Waits for all. SIGTERM, SIGINT and SIGHUP go to every rank, which saves
  /// and ends; a third one kills. When a rank is lost, the others get the grace
  /// time, then SIGTERM, then SIGKILL; those that are stopped get SIGKILL at
  /// once, because nothing else reaches them, and when another one has ended
  /// because of such a signal.
  JobEnd wait();

private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { Running, Grace, Asked, Killed };

  bool anyRunning() const;
  void readSignals();
  void forward(int number);
  void reapAll();
  void killStopped();
  void escalate();
  bool isLost(const RankProcess &rank) const;
  JobEnd judge() const;

  std::chrono::duration<double> grace_;
  bool reports_;
  std::vector<RankProcess> ranks_;
  std::vector<size_t> ended_;    ///< in the order in which they were reaped
  std::vector<bool> wasForced_;  ///< ended after this process had asked it to
  std::vector<bool> wasStopped_; ///< killed because it was stopped
  Phase phase_ = Phase::Running;
  Clock::time_point deadline_;
  int forwarded_ = 0;      ///< the signal that came from the user
  int forwardedCount_ = 0; ///< how often
  int signals_ = -1;       ///< descriptor
};

} // namespace boostrt
