#include "runtime/comm/control/ControlPlane.h"

namespace boostrt::control {
namespace {

/// No list of pending messages for the server is longer.
constexpr size_t maxReported = 4096;

} // namespace

void PendingCall::begin() {
  std::lock_guard lock(mutex_);
  ++number_;
  isActive_ = true;
  done_ = 0;
}

void PendingCall::advance() {
  std::lock_guard lock(mutex_);
  ++done_;
}

void PendingCall::end() {
  std::lock_guard lock(mutex_);
  isActive_ = false;
  messages.clear();
}

WaitReport PendingCall::report(bool withList) {
  std::lock_guard lock(mutex_);
  WaitReport report;
  if (!isActive_)
    return report;
  report.call = number_;
  report.done = done_;
  for (size_t i = done_; withList && i < messages.size(); ++i)
    if (report.pending.size() < maxReported)
      report.pending.push_back(messages[i]);
  return report;
}

Result<std::unique_ptr<ControlPlane>>
ControlPlane::join(const PlaneOptions &options,
                   std::function<void()> onFailure) {
  std::unique_ptr<ControlPlane> plane(new ControlPlane);
  uint16_t port = options.masterPort;
  if (options.isMaster) {
    ServerOptions serving;
    serving.host = options.masterHost;
    serving.port = options.masterPort;
    serving.token = options.token;
    serving.size = options.size;
    serving.servedBy = options.rank;
    serving.connectDeadline = options.connectDeadline;
    serving.notice = options.notice;
    serving.silenceDeadline = options.silenceDeadline;
    serving.stallDeadline = options.stallDeadline;
    Result<std::unique_ptr<ControlServer>> server =
        ControlServer::start(serving);
    if (!server.ok())
      return server.status();
    plane->server_ = std::move(server).value();
    port = plane->server_->port();
  }
  ClientOptions connecting;
  connecting.host = options.masterHost;
  connecting.port = port;
  connecting.token = options.token;
  connecting.rank = options.rank;
  connecting.size = options.size;
  connecting.connectDeadline = options.connectDeadline;
  connecting.notice = options.notice;
  connecting.heartbeat = options.heartbeat;
  connecting.onFailure = std::move(onFailure);
  connecting.standing = [call = &plane->call_](bool withList) {
    return call->report(withList);
  };
  Result<std::unique_ptr<ControlClient>> client =
      ControlClient::connect(connecting);
  if (!client.ok())
    return client.status();
  plane->client_ = std::move(client).value();
  return plane;
}

ControlPlane::~ControlPlane() {
  client_.reset();
  server_.reset(); // waits for the others'
}

} // namespace boostrt::control
