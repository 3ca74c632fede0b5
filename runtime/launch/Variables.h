// Variables.h - numbers from environment variables, with errors that name them.
// Private to this room.
#pragma once

#include "runtime/launch/JobPlan.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace boostrt {

/// That of this process.
Environment currentEnvironment();

/// The environment of one process. Reading goes on after a bad value, so that
/// sources are read in straight lines; status() is the first failure.
class Variables {
public:
  explicit Variables(const Environment &environment)
      : environment_(environment) {}

  /// An empty variable counts as absent.
  std::optional<std::string> text(const std::string &name) const;
  bool has(const std::string &name) const { return text(name).has_value(); }
  /// A number from 0 to `limit`.
  std::optional<uint32_t> number(const std::string &name,
                                 uint32_t limit = 1u << 20);
  /// Fails when the variable is absent; `because` is one that is there.
  uint32_t needNumber(const std::string &name, const std::string &because,
                      uint32_t limit = 1u << 20);

  const Status &status() const { return status_; }

private:
  void fail(std::string message);

  const Environment &environment_;
  Status status_;
};

/// All of `text` as a number from 0 to `limit`.
std::optional<uint32_t> wholeNumber(std::string_view text, uint32_t limit);

struct HostPort {
  std::string host;
  uint16_t port = 0; ///< 0: none given
};

/// "host", "host:port", "[::1]:port"; nothing when it is none of them.
std::optional<HostPort> parseHostPort(std::string_view text);

/// Whether `host` is this host whatever host this is.
bool isLoopback(std::string_view host);

} // namespace boostrt
