// ControlPlane.h - a rank's place in the control plane of its job, for whatever
// carries its messages: who is lost, where this rank is, keys and values.
//
// A rank has one, also where several transports carry its messages: its thread
// waits in one of them at a time.
#pragma once

#include "runtime/comm/control/ControlClient.h"
#include "runtime/comm/control/ControlServer.h"

#include <mutex>
#include <vector>

namespace boostrt::control {

struct PlaneOptions {
  uint32_t rank = 0, size = 1;
  std::string masterHost = "127.0.0.1"; ///< where the control plane is served
  uint16_t masterPort = 0;
  std::string token; ///< the job's shared secret
  /// This rank serves the control plane, on masterHost:masterPort. With false
  /// for all ranks, a ControlServer of its own does.
  bool isMaster = false;

  std::chrono::milliseconds connectDeadline = std::chrono::seconds(60);
  WaitingNotice notice;
  /// See ServerOptions; the master's count.
  std::chrono::milliseconds silenceDeadline = std::chrono::seconds(8);
  std::chrono::milliseconds stallDeadline = std::chrono::minutes(30);
  std::chrono::milliseconds heartbeat = std::chrono::milliseconds(500);
};

/// The call of Transport::exchange() that is under way, for the control plane.
class PendingCall {
public:
  /// In the order in which they are waited for. The transport fills the list
  /// before begin(); until end() it does not change.
  std::vector<PendingMessage> messages;

  void begin();
  /// The first that had not ended has.
  void advance();
  void end();
  WaitReport report(bool withList);

private:
  std::mutex mutex_;
  uint64_t number_ = 0;
  size_t done_ = 0;
  bool isActive_ = false;
};

class ControlPlane {
public:
  /// Serves the control plane where this rank does, and connects with it.
  /// `onFailure` is called on another thread: once, when the job has failed.
  static Result<std::unique_ptr<ControlPlane>>
  join(const PlaneOptions &options, std::function<void()> onFailure);
  /// The rank that serves waits for the others.
  ~ControlPlane();

  ControlClient &client() { return *client_; }
  PendingCall &call() { return call_; }
  /// For the keys of the next connection that all ranks make together: what is
  /// set is never unset.
  uint64_t nextConnection() { return ++connections_; }

private:
  ControlPlane() = default;

  PendingCall call_; // the client asks for it
  uint64_t connections_ = 0;
  std::unique_ptr<ControlServer> server_;
  std::unique_ptr<ControlClient> client_;
};

} // namespace boostrt::control
