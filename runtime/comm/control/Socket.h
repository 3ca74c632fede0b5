// Socket.h - TCP sockets whose errors say host, port and what to do.
#pragma once

#include "runtime/support/Descriptor.h"
#include "runtime/support/Status.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace boostrt::control {

using Socket = Descriptor;

/// "host:port", "[::1]:port".
std::string endpointText(const std::string &host, uint16_t port);

/// Listens; port 0 takes a free one, which `port` then is.
Result<Socket> listenOn(const std::string &host, uint16_t &port);

/// Connects, and tries again until `deadline` while nobody listens there yet.
Result<Socket> connectTo(const std::string &host, uint16_t port,
                         std::chrono::steady_clock::time_point deadline);

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
