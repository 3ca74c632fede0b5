#include "runtime/comm/control/Socket.h"
#include "runtime/support/Clock.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace boostrt::control {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Status failure(std::string message) {
  return Status(ExitCode::RankLost, std::move(message));
}

Result<Addresses> resolve(const std::string &host, uint16_t port,
                          bool isToListen) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = isToListen ? AI_PASSIVE : 0;
  addrinfo *found = nullptr;
  int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error)
    return failure(fmt::format(
        "'{}' is no address of a machine: {}; give a host name that every "
        "machine of the job can resolve, or an address",
        host, gai_strerror(error)));
  return Addresses(found, &freeaddrinfo);
}

void setOption(int fd, int level, int option) {
  int on = 1;
  setsockopt(fd, level, option, &on, sizeof(on)); // a matter of speed alone
}

/// Waits until a connect() under way has ended; its errno.
int awaitConnect(int fd, Clock::time_point deadline) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - Clock::now());
  pollfd wait = {fd, POLLOUT, 0};
  if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) <= 0)
    return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

std::string numeric(const sockaddr_storage &address, socklen_t size,
                    bool withPort) {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<const sockaddr *>(&address), size, host,
                  sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV))
    return "an unknown address";
  if (!withPort)
    return host;
  return endpointText(host, static_cast<uint16_t>(std::atoi(port)));
}

} // namespace

std::string endpointText(const std::string &host, uint16_t port) {
  bool isIpv6 = host.find(':') != std::string::npos;
  return isIpv6 ? fmt::format("[{}]:{}", host, port)
                : fmt::format("{}:{}", host, port);
}

Result<Socket> listenOn(const std::string &host, uint16_t &port) {
  Result<Addresses> addresses = resolve(host, port, /*isToListen=*/true);
  if (!addresses.ok())
    return addresses.status();
  int error = 0;
  for (addrinfo *at = addresses->get(); at; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0));
    // A job may follow another on the same port at once.
    setOption(socket.get(), SOL_SOCKET, SO_REUSEADDR);
    if (!socket.isOpen() || bind(socket.get(), at->ai_addr, at->ai_addrlen) ||
        listen(socket.get(), SOMAXCONN)) {
      error = errno;
      continue;
    }
    sockaddr_storage own = {};
    socklen_t size = sizeof(own);
    getsockname(socket.get(), reinterpret_cast<sockaddr *>(&own), &size);
    port = ntohs(own.ss_family == AF_INET6
                     ? reinterpret_cast<sockaddr_in6 &>(own).sin6_port
                     : reinterpret_cast<sockaddr_in &>(own).sin_port);
    return socket;
  }
  const char *advice =
      error == EADDRINUSE
          ? "; another job or program listens there: choose another port"
      : error == EADDRNOTAVAIL
          ? "; that is no address of this machine (rank 0 must run on the "
            "machine that the master address names)"
          : "";
  return failure(fmt::format("cannot listen on {}: {}{}",
                             endpointText(host, port), strerror(error),
                             advice));
}

Result<Socket> connectTo(const std::string &host, uint16_t port,
                         Clock::time_point deadline) {
  auto begin = Clock::now();
  Result<Addresses> addresses = resolve(host, port, /*isToListen=*/false);
  if (!addresses.ok())
    return addresses.status();
  auto pause = std::chrono::milliseconds(5);
  for (;;) {
    int error = 0;
    for (addrinfo *at = addresses->get(); at; at = at->ai_next) {
      Socket socket(::socket(
          at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      error = socket.isOpen() ? 0 : errno;
      if (!error && connect(socket.get(), at->ai_addr, at->ai_addrlen))
        error =
            errno == EINPROGRESS ? awaitConnect(socket.get(), deadline) : errno;
      if (!error) {
        setOption(socket.get(), IPPROTO_TCP, TCP_NODELAY);
        return socket;
      }
    }
    if (Clock::now() + pause >= deadline) {
      double waited =
          std::chrono::duration<double>(Clock::now() - begin).count();
      return failure(fmt::format(
          "nobody answers at {} after {:.1f} s: {}; check that rank 0 runs "
          "there, that all ranks were given this address, and that no "
          "firewall closes the port",
          endpointText(host, port), waited, strerror(error)));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(200));
  }
}

std::string localAddress(const Socket &socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(socket.get(), reinterpret_cast<sockaddr *>(&address), &size);
  return numeric(address, size, /*withPort=*/false);
}

std::string peerAddress(const Socket &socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getpeername(socket.get(), reinterpret_cast<sockaddr *>(&address), &size);
  return numeric(address, size, /*withPort=*/true);
}

bool sendAll(const Socket &socket, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = send(socket.get(), bytes.data(), bytes.size(),
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
      continue;
    }
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
      return false;
    pollfd wait = {socket.get(), POLLOUT, 0};
    if (poll(&wait, 1, 2000) == 0)
      return false;
  }
  return true;
}

ReadResult readSome(const Socket &socket, std::string &bytes) {
  char buffer[16384];
  ssize_t got;
  do {
    got = recv(socket.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    bytes.append(buffer, static_cast<size_t>(got));
    return ReadResult::Data;
  }
  bool isNothing = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return isNothing ? ReadResult::Nothing : ReadResult::Closed;
}

} // namespace boostrt::control
