// Status.h - how the runtime reports failure: a value, never an exception and
// never exit(). The exit code travels with the message, so that main() alone
// decides how a process ends.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace boostrt {

/// Exit codes of boost-run (docs/user-guide.md). Platform teams script on them.
enum class ExitCode : int {
  Ok = 0,
  Input = 1,      ///< model, rank table, foreign or damaged program
  Usage = 2,      ///< flags and their values
  Data = 3,       ///< data set missing, damaged or unfit for the model
  Numerical = 4,  ///< loss or gradient not finite
  RankLost = 5,   ///< lost rank or failed handshake
  Checkpoint = 6, ///< checkpoint unusable
  Signal = 7,     ///< stopped by a signal after saving
  Memory = 8,     ///< less memory than is needed
  Internal = 70,  ///< a defect of ours
};

/// Success, or an exit code with a message for the user. A message says where,
/// what was found, what was expected and what to do; it has no final newline.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ExitCode code, std::string message)
      : code_(code), message_(std::move(message)) {
    assert(code != ExitCode::Ok && "a failure needs a code");
  }

  bool ok() const { return code_ == ExitCode::Ok; }
  explicit operator bool() const = delete; // ambiguous to read: use ok()
  ExitCode code() const { return code_; }
  const std::string &message() const { return message_; }

private:
  ExitCode code_ = ExitCode::Ok;
  std::string message_;
};

/// A value or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content_(std::move(value)) {}
  Result(Status status) : content_(std::move(status)) {
    assert(!std::get<Status>(content_).ok() && "a Result needs a value");
  }

  bool ok() const { return std::holds_alternative<T>(content_); }
  Status status() const { return ok() ? Status() : std::get<Status>(content_); }
  T &value() & { return std::get<T>(content_); }
  const T &value() const & { return std::get<T>(content_); }
  T &&value() && { return std::get<T>(std::move(content_)); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }

private:
  std::variant<T, Status> content_;
};

} // namespace boostrt

/// Returns the Status of `expression` from the enclosing function if it failed.
#define BOOSTRT_RETURN_IF_ERROR(expression)                                    \
  do {                                                                         \
    if (::boostrt::Status status_ = (expression); !status_.ok())               \
      return status_;                                                          \
  } while (false)
