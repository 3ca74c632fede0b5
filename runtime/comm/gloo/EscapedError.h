// EscapedError.h - errors of Gloo that no caller can catch.
//
// Gloo lets some exceptions leave a thread of its own: a rank that dies in the
// moment in which it connects is enough. C++ then ends the process by a signal,
// and the other ranks would take this one for the culprit. So such a process
// says what the job has failed of, and exits as every other rank does. It
// cannot go on: the locks of the thread are held for ever.
#pragma once

#include "runtime/support/Status.h"

#include <functional>

namespace boostrt {

/// While one exists, such an error ends the process with the Status that
/// `explain` makes of its text: the message goes to standard error, the code is
/// the exit code. Everything else that terminates does what it did before.
class EscapedErrors {
public:
  using Explain = std::function<Status(const std::string &error)>;
  explicit EscapedErrors(Explain explain);
  ~EscapedErrors();
  EscapedErrors(const EscapedErrors &) = delete;
  EscapedErrors &operator=(const EscapedErrors &) = delete;

private:
  Explain explain_;
};

} // namespace boostrt
