// StopSignals.h - SIGTERM, SIGINT and SIGHUP as a request to stop between two
// steps.
#pragma once

namespace boostrt {

/// While one lives, the first of these signals is only noted. After it SIGTERM
/// and SIGINT end the process at once, as if there were no handler; SIGHUP
/// never does, because a terminal that is lost sends several. Where SIGHUP is
/// ignored (nohup), it stays so.
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

/// Before the first step there is nothing to save. While one lives, SIGTERM,
/// SIGINT and SIGHUP end the process at once, with ExitCode::Signal and one
/// line that says so unless another process of the job does; until a
/// StopSignals takes over.
class SignalsBeforeTraining {
public:
  explicit SignalsBeforeTraining(bool speaks);
  ~SignalsBeforeTraining();
  SignalsBeforeTraining(const SignalsBeforeTraining &) = delete;
  SignalsBeforeTraining &operator=(const SignalsBeforeTraining &) = delete;
};

} // namespace boostrt
