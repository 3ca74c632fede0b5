// Socket.h - TCP sockets whose errors say host, port and what to do.
#pragma once

#include "runtime/support/Descriptor.h"
#include "runtime/support/Status.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace boostrt::control {

using Socket = Descriptor;

/// "host:port", "[::1]:port".
std::string endpointText(const std::string &host, uint16_t port);

/// Tells the user once what a waiting process waits for, `after`
/// it began to wait. Called on any thread; none: nothing is told.
struct WaitingNotice {
  std::chrono::milliseconds after = std::chrono::seconds(2);
  std::function<void(const std::string &text)> tell;
};

/// "for 58 s more (--join-deadline)": the end of a notice.
std::string timeLeft(std::chrono::steady_clock::time_point deadline);

/// "; this process may open 16 files and connections (ulimit -n), ..." when
/// `error`, of a library or of the system, is about that limit; else nothing.
std::string openFilesAdvice(const std::string &error);

/// Whether this process may open so many files more. Fails with
/// ExitCode::Usage.
Status checkRoomForFiles(uint32_t more);

/// Listens; port 0 takes a free one, which `port` then is. Fails with
/// ExitCode::Usage when the address cannot be listened on.
Result<Socket> listenOn(const std::string &host, uint16_t &port);

/// A port of `host` where nothing listens, for a process that listens there a
/// moment later: below those by which the system numbers the ends of
/// connections, so that none of these takes it before. Fails with
/// ExitCode::Usage when the address cannot be listened on.
Result<uint16_t> findFreePort(const std::string &host);

/// Connects with rank 0, and tries again until `deadline` while nothing listens
/// there yet. Fails with ExitCode::Usage for a host that does not exist.
Result<Socket> connectTo(const std::string &host, uint16_t port,
                         std::chrono::steady_clock::time_point deadline,
                         const WaitingNotice &notice = {});

/// The numeric address this end of a connection has.
std::string localAddress(const Socket &socket);
/// The numeric address and port of the other end.
std::string peerAddress(const Socket &socket);

/// Sends everything, waiting if it must; false when the connection is gone or
/// takes nothing for two seconds.
bool sendAll(const Socket &socket, std::string_view bytes);

enum class ReadResult { Data, Nothing, Closed };
/// Appends what is there to `bytes`, without waiting.
ReadResult readSome(const Socket &socket, std::string &bytes);

} // namespace boostrt::control
