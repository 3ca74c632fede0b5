// ControlServer.h - knows which ranks of a job live, tells all when one is
// lost, and keeps the keys and values through which ranks find each other.
//
// One thread serves all ranks. A client says the job's token first; a
// client that says anything else, nothing, or half a message is cut off and
// does no harm. The connections are not encrypted: the token keeps strangers
// and other jobs out, not who listens on the network.
#pragma once

#include "runtime/comm/control/Socket.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace boostrt::control {

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0; ///< 0: a free one
  std::string token;
  uint32_t size = 1;
  /// The rank in whose process this runs; none: the launcher's.
  std::optional<uint32_t> servedBy;
  /// All ranks must have come by then.
  std::chrono::milliseconds connectDeadline = std::chrono::seconds(60);
  /// Before that it is said once which ones are missing: see WaitingNotice.
  WaitingNotice notice;
  /// A rank whose heartbeat is not heard for so long is lost.
  std::chrono::milliseconds silenceDeadline = std::chrono::seconds(8);
  /// A rank that waits for one message for so long has been given up, though
  /// all live: longer than anything a rank does between two collectives.
  std::chrono::milliseconds stallDeadline = std::chrono::minutes(30);
};

class ControlServer {
public:
  static Result<std::unique_ptr<ControlServer>>
  start(const ServerOptions &options);
  /// Waits until the ranks that have come have left, which they do soon: a
  /// silent one is lost, and after a failure no rank stays.
  ~ControlServer();

  uint16_t port() const;

private:
  class Thread;
  explicit ControlServer(std::unique_ptr<Thread> thread);
  std::unique_ptr<Thread> thread_;
};

/// Takes as long for any two texts of one length.
bool equalInConstantTime(std::string_view a, std::string_view b);

} // namespace boostrt::control
