#include "runtime/device/cpu/SpinPolicy.h"

#include <algorithm>
#include <cmath>

namespace boostrt {

using namespace std::chrono_literals;

/// A loop that ends so much later than its caller's share, and more than twice
/// as late again, had a thread without a core: it was another's turn.
static constexpr std::chrono::nanoseconds kLate = 300us;

/// Late loops, fading, that are a crowd. An idle machine has up to 50 a second;
/// one more busy thread on two cores causes 600.
static constexpr double kCrowd = 10;
static constexpr std::chrono::duration<double> kFading = 50ms;

/// For how long to believe it before the next try, which costs some slices of
/// the scheduler's, 4 ms each. It doubles where that fails, and is the first
/// again after a longer time without a crowd.
static constexpr std::chrono::nanoseconds kFirstRest = 100ms, kLastRest = 2s;

void SpinPolicy::report(Clock::time_point begin, Clock::time_point computed,
                        Clock::time_point end) {
  if (isCrowded()) {
    if (end - change_ < rest_)
      return;
    change_ = end;
    isCrowded_.store(false, std::memory_order_relaxed);
    return;
  }
  if (end - computed <= kLate + 2 * (computed - begin))
    return;
  std::chrono::duration<double> since = end - lastLate_;
  lateLoops_ = lateLoops_ * std::exp(-since / kFading) + 1;
  lastLate_ = end;
  if (lateLoops_ < kCrowd)
    return;
  bool isFirst = end - change_ > kLastRest;
  rest_ = isFirst ? kFirstRest : std::min(2 * rest_, kLastRest);
  lateLoops_ = 0;
  change_ = end;
  isCrowded_.store(true, std::memory_order_relaxed);
}

} // namespace boostrt
