// StopSignals.h - SIGTERM and SIGINT as a request to stop between two steps.
#pragma once

namespace boostrt {

/// While one lives, the first SIGTERM or SIGINT is only noted; the second acts
/// as if nobody listened and ends the process at once.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The signal that came to the one that lives, or 0.
  static int received();
  /// "SIGTERM"; "a signal to another rank" when none has come to this one.
  static const char *cause();
};

} // namespace boostrt
