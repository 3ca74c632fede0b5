// ControlClient.h - a rank's connection to the control server of its job.
#pragma once

#include "runtime/comm/control/Socket.h"
#include "runtime/comm/control/Wire.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace boostrt::control {

struct ClientOptions {
  std::string host = "127.0.0.1"; ///< of the server
  uint16_t port = 0;
  std::string token;
  uint32_t rank = 0, size = 1;
  /// How long to wait for the server to be there.
  std::chrono::milliseconds connectDeadline = std::chrono::seconds(60);
  WaitingNotice notice;
  /// At least so often this rank says that it lives.
  std::chrono::milliseconds heartbeat = std::chrono::milliseconds(500);
  /// Called on a thread of the client: once, when the job has failed.
  std::function<void()> onFailure;
  /// Called on a thread of the client: where this rank is. With a list
  /// only when it has stood there for a while.
  std::function<WaitReport(bool withList)> standing;
};

/// One thread listens and one beats; both live as long as this.
class ControlClient {
public:
  static Result<std::unique_ptr<ControlClient>>
  connect(const ClientOptions &options);
  ~ControlClient();

  Status set(const std::string &key, const std::string &value);
  /// Waits for some rank to set it.
  Result<std::string> get(const std::string &key,
                          std::chrono::milliseconds deadline);

  /// The address under which this rank reaches the server.
  std::string localAddress() const;

  void setActivity(const Activity &activity);

  /// This rank needs nothing more of the others, and they nothing of it. The
  /// destructor says it otherwise, unless the job has failed.
  void goodbye();

  /// Fails the job; all ranks are told why.
  void abort(const std::string &cause);
  /// The connection to `peer` broke. The server finds out who is to blame.
  void suspect(uint32_t peer, const std::string &seen);

  bool hasFailed() const;
  /// Why the job has failed, as every rank is told; success while it has not.
  Status status() const;
  /// Waits for a failure; false when there was none in this time.
  bool awaitFailure(std::chrono::milliseconds time) const;

private:
  class Threads;
  explicit ControlClient(std::unique_ptr<Threads> threads);
  std::unique_ptr<Threads> threads_;
};

} // namespace boostrt::control
