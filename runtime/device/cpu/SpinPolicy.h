// SpinPolicy.h - how long threads that wait for each other spin before they
// sleep.
//
// To wake a thread takes 5 to 50 us, as long as many loops of a step. While the
// machine is ours alone, waiting threads therefore keep their cores. Where
// others want the cores (other ranks, a container with a quota, a busy
// workstation) a thread that spins takes the time slice of the thread that it
// waits for, some milliseconds; so there threads sleep at once. Measured on two
// cores: docs/benchmarks.md, "Threads".
#pragma once

#include "runtime/support/Clock.h"

#include <atomic>

namespace boostrt {

/// How the threads of one pool wait. The thread that uses the pool reports how
/// its loops went; all ask.
class SpinPolicy {
public:
  /// Spins until `isReady` or for that long, not at all in a crowd; whether it
  /// is ready.
  template <class Predicate>
  bool spinUntil(const Predicate &isReady,
                 std::chrono::nanoseconds patience) const {
    if (isReady())
      return true;
    if (isCrowded())
      return false;
    Clock::time_point end = Clock::now() + patience;
    do {
      for (int i = 0; i < kPausesBetweenLooks; ++i) {
        __builtin_ia32_pause();
        if (isReady())
          return true;
      }
    } while (Clock::now() < end);
    return false;
  }

  /// A loop of equal shares began, its caller computed until `computed`, and at
  /// `end` the last thread was ready.
  void report(Clock::time_point begin, Clock::time_point computed,
              Clock::time_point end);

  /// Whether others want the cores, as far as is known.
  bool isCrowded() const { return isCrowded_.load(std::memory_order_relaxed); }

private:
  static constexpr int kPausesBetweenLooks = 16;

  std::atomic<bool> isCrowded_ = false;
  // The rest is for report() alone.
  double lateLoops_ = 0; ///< fading
  Clock::time_point lastLate_;
  Clock::time_point change_; ///< when that it is crowded was found or dropped
  std::chrono::nanoseconds rest_{0}; ///< how long to believe it
};

} // namespace boostrt
