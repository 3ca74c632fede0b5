// IoError.h - the outcome of a call of the system.
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace boostrt {

/// An errno; 0 is success.
class [[nodiscard]] IoError {
public:
  IoError() = default;
  explicit IoError(int number) : number_(number) {}
  bool ok() const { return number_ == 0; }
  int number() const { return number_; }
  std::string text() const;
  /// text(), and what to do for the reasons that a user can act on.
  std::string advice() const;
  /// Whether the machine or the process has reached a limit, so that the same
  /// call may succeed at another time or with another limit.
  bool isLimit() const { return limitCode() != ExitCode::Internal; }
  /// The exit code of who cannot go on at such a limit; ExitCode::Internal for
  /// all else.
  ExitCode limitCode() const;

private:
  int number_ = 0;
};

} // namespace boostrt
