#include "runtime/comm/control/Socket.h"

#include "runtime/comm/control/PortHolder.h"
#include "runtime/support/Clock.h"
#include "runtime/support/IoError.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <random>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace boostrt::control {
/// "this process may open 16 files and connections (ulimit -n), ...".
static std::string lowFileLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return fmt::format("this process may open {} files and connections (ulimit "
                     "-n), too few for so many ranks: raise that limit or "
                     "start fewer",
                     limit.rlim_cur);
}

std::string openFilesAdvice(const std::string &error) {
  return error.find(strerror(EMFILE)) == std::string::npos
             ? std::string()
             : "; " + lowFileLimit();
}

Status checkRoomForFiles(uint32_t more) {
  std::vector<Socket> probes;
  while (probes.size() < more) {
    probes.emplace_back(eventfd(0, EFD_CLOEXEC));
    if (!probes.back().isOpen() && errno == EMFILE)
      return Status(ExitCode::Usage, lowFileLimit());
    if (!probes.back().isOpen())
      return Status(); // for another reason, which who opens them will tell
  }
  return Status();
}

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Status usage(std::string message) {
  return Status(ExitCode::Usage, std::move(message));
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
    return usage(fmt::format(
        "cannot resolve '{}': {}; give a host name that every machine of the "
        "job can resolve, or an address",
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

std::string listeningAdvice(int error, uint16_t port) {
  switch (error) {
  case EADDRINUSE: {
    std::string holder = portHolder(port);
    return fmt::format("; {} listens there: choose another port",
                       holder.empty() ? "another job or program" : holder);
  }
  case EADDRNOTAVAIL:
    return "; that is not an address of this machine (rank 0 must run on the "
           "machine that the master address names)";
  case EACCES:
    return "; the system keeps such ports, below 1024 as a rule, for root: "
           "choose a larger one";
  default:
    return openFilesAdvice(strerror(error));
  }
}

} // namespace

std::string timeLeft(Clock::time_point deadline) {
  auto left = std::chrono::ceil<std::chrono::seconds>(deadline - Clock::now());
  return fmt::format("for {} s more (--join-deadline)",
                     std::max<int64_t>(left.count(), 0));
}

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
  return usage(fmt::format("cannot listen on {}: {}{}",
                           endpointText(host, port), strerror(error),
                           listeningAdvice(error, port)));
}

/// The first port by which Linux numbers the ends of connections.
static unsigned firstPortOfConnections() {
  unsigned first = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first;
  // Some systems leave no port between those for root and these.
  return first > 2048 ? first : 32768;
}

Result<uint16_t> findFreePort(const std::string &host) {
  uint16_t any = 0; // also where no port below is free
  if (Status status = listenOn(host, any).status(); !status.ok())
    return status;
  std::random_device random;
  std::uniform_int_distribution<unsigned> below(1025,
                                                firstPortOfConnections() - 1);
  constexpr int kAttempts = 100;
  for (int i = 0; i < kAttempts; ++i) {
    auto port = static_cast<uint16_t>(below(random));
    if (listenOn(host, port).ok())
      return port;
  }
  return any;
}

Result<Socket> connectTo(const std::string &host, uint16_t port,
                         Clock::time_point deadline,
                         const WaitingNotice &notice) {
  auto begin = Clock::now();
  Result<Addresses> addresses = resolve(host, port, /*isToListen=*/false);
  if (!addresses.ok())
    return addresses.status();
  bool isToTell = static_cast<bool>(notice.tell);
  auto pause = std::chrono::milliseconds(5);
  for (;;) {
    int error = 0;
    for (addrinfo *at = addresses->get(); at; at = at->ai_next) {
      Socket socket(::socket(
          at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      error = socket.isOpen() ? 0 : errno;
      // A host that answers nothing must not delay the notice.
      constexpr auto kRound = std::chrono::milliseconds(200);
      auto patience =
          isToTell ? std::min(deadline, Clock::now() + kRound) : deadline;
      if (!error && connect(socket.get(), at->ai_addr, at->ai_addrlen))
        error =
            errno == EINPROGRESS ? awaitConnect(socket.get(), patience) : errno;
      if (!error) {
        setOption(socket.get(), IPPROTO_TCP, TCP_NODELAY);
        return socket;
      }
    }
    if (IoError refusal(error); refusal.isLimit())
      return Status(refusal.limitCode(),
                    fmt::format("cannot connect to {}: {}",
                                endpointText(host, port), refusal.advice()));
    if (isToTell && Clock::now() >= begin + notice.after) {
      isToTell = false;
      notice.tell(fmt::format("waiting for rank 0 at {} ({}), {}",
                              endpointText(host, port), strerror(error),
                              timeLeft(deadline)));
    }
    if (Clock::now() + pause >= deadline) {
      double waited =
          std::chrono::duration<double>(Clock::now() - begin).count();
      return Status(
          ExitCode::RankLost,
          fmt::format(
              "no process answers at {} after {:.1f} s: {}; check that rank 0 "
              "runs "
              "there, that all ranks were given this address, and that no "
              "firewall closes the port; --join-deadline S waits longer",
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
