#include "runtime/comm/gloo/GlooTransport.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/control/ControlClient.h"
#include "runtime/comm/control/ControlServer.h"

#include "runtime/comm/gloo/EscapedError.h"

#include <gloo/context.h>
#include <gloo/transport/address.h>
#include <gloo/transport/device.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <vector>

namespace boostrt {
namespace {

using control::ControlClient;
using control::ControlServer;
using control::PendingMessage;
using control::WaitReport;
using std::chrono::milliseconds;

/// A broken connection is explained by the control plane within this time:
/// a death at once, all else after the server's own second.
constexpr milliseconds verdictTime(3000);

/// No list of pending messages for the control plane is longer.
constexpr size_t maxReported = 4096;

/// Gloo's connections of one rank to all others. Gloo would connect them
/// itself, but not let itself be interrupted.
class Mesh : public gloo::Context {
public:
  using gloo::Context::Context;

  /// Exceptions are Gloo's way to fail.
  void listen(const std::string &address) {
    gloo::transport::tcp::attr attributes;
    attributes.hostname = address;
    device_ = gloo::transport::tcp::CreateDevice(attributes);
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(getTimeout());
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank)
        transportContext_->createPair(peer);
  }

  Status connect(ControlClient &client, milliseconds deadline) {
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      std::vector<char> address = getPair(peer)->address().bytes();
      BOOSTRT_RETURN_IF_ERROR(
          client.set(keyOf(rank, peer), {address.begin(), address.end()}));
    }
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      Result<std::string> address = client.get(keyOf(peer, rank), deadline);
      if (!address.ok())
        return address.status();
      getPair(peer)->connect({address->begin(), address->end()});
      BOOSTRT_RETURN_IF_ERROR(client.status());
    }
    return Status();
  }

private:
  static std::string keyOf(int from, int to) {
    return fmt::format("mesh/{}/{}", from, to);
  }
};

/// The call of exchange() that is under way, for whoever asks or interrupts.
class CurrentCall {
public:
  struct Message {
    PendingMessage what;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
  };

  /// In the order in which they are waited for. Only exchange() changes it,
  /// and holds `mutex` while others could look.
  std::vector<Message> messages;
  std::mutex mutex;

  void begin() {
    std::lock_guard lock(mutex);
    ++number_;
    isActive_ = true;
    done_ = 0;
  }
  /// The first that has not ended.
  void advance() {
    std::lock_guard lock(mutex);
    ++done_;
  }
  /// Gloo touches none of the call's memory any more.
  void end() {
    std::lock_guard lock(mutex);
    isActive_ = false;
    messages.clear();
  }
  WaitReport report(bool withList) {
    std::lock_guard lock(mutex);
    WaitReport report;
    if (!isActive_)
      return report;
    report.call = number_;
    for (size_t i = done_; withList && i < messages.size(); ++i)
      if (report.pending.size() < maxReported)
        report.pending.push_back(messages[i].what);
    return report;
  }
  /// Ends all waiting of the call, also what has not begun yet.
  void interrupt() {
    std::lock_guard lock(mutex);
    if (!isActive_)
      return;
    for (Message &message : messages) {
      message.buffer->abortWaitRecv();
      message.buffer->abortWaitSend();
    }
  }

private:
  uint64_t number_ = 0;
  size_t done_ = 0;
  bool isActive_ = false;
};

class GlooTransport : public Transport {
public:
  explicit GlooTransport(const GlooOptions &options)
      : options_(options), sent_(options.size), received_(options.size) {}

  ~GlooTransport() override {
    escapedErrors_.reset();
    // Before the connections close, so that nobody takes that for a death.
    if (client_)
      client_->goodbye();
    mesh_.reset();
    client_.reset();
    server_.reset(); // waits for the others'
  }

  Status connect() {
    ignoreBrokenPipes();
    if (options_.isMaster)
      BOOSTRT_RETURN_IF_ERROR(serve());
    BOOSTRT_RETURN_IF_ERROR(join());
    Status status = connectMesh();
    // Who leaves at once would otherwise end connections that others wait for.
    if (status.ok()) {
      Group everybody(*this);
      status = barrier(everybody);
      traffic_ = {};
    }
    if (status.ok())
      return status;
    client_->abort(status.message()); // unless another rank was the first
    return client_->status();
  }

  std::string describe() const override {
    return fmt::format("gloo (TCP), {} ranks", size());
  }
  uint32_t rank() const override { return options_.rank; }
  uint32_t size() const override { return options_.size; }
  const Traffic &traffic() const override { return traffic_; }

  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override;

  void abort(const std::string &cause) override { client_->abort(cause); }

  void setActivity(const Activity &activity) override {
    client_->setActivity(activity);
  }

private:
  static void ignoreBrokenPipes() {
    struct sigaction action;
    if (!sigaction(SIGPIPE, nullptr, &action) && action.sa_handler == SIG_DFL)
      signal(SIGPIPE, SIG_IGN);
  }

  Status serve();
  Status join();
  Status connectMesh();
  void setConnecting(bool isConnecting);
  void interruptConnecting();

  Status post(std::span<const Outgoing> sends,
              std::span<const Incoming> receives);
  Status copyToSelf(std::span<const Outgoing> sends,
                    std::span<const Incoming> receives);
  Status await(std::span<const Outgoing> sends,
               std::span<const Incoming> receives,
               const std::function<void(size_t)> &received);
  Status broken(uint32_t peer, const char *what);

  const GlooOptions options_;
  std::unique_ptr<ControlServer> server_;
  CurrentCall call_;
  std::unique_ptr<ControlClient> client_; // interrupts the call
  std::mutex connectMutex_;
  bool isConnecting_ = false; ///< guarded by it; the mesh is then complete
  std::unique_ptr<Mesh> mesh_;
  std::optional<EscapedErrors> escapedErrors_;
  std::vector<uint64_t> sent_, received_; ///< messages, by peer
  std::byte nothing_{}; ///< stands for a message without bytes
  Traffic traffic_;
};

Status GlooTransport::serve() {
  control::ServerOptions options;
  options.host = options_.masterHost;
  options.port = options_.masterPort;
  options.token = options_.token;
  options.size = options_.size;
  options.servedBy = options_.rank;
  options.connectDeadline = options_.connectDeadline;
  options.silenceDeadline = options_.silenceDeadline;
  options.stallDeadline = options_.stallDeadline;
  auto server = ControlServer::start(options);
  if (!server.ok())
    return server.status();
  server_ = std::move(server).value();
  return Status();
}

Status GlooTransport::join() {
  control::ClientOptions options;
  options.host = options_.masterHost;
  options.port = server_ ? server_->port() : options_.masterPort;
  options.token = options_.token;
  options.rank = options_.rank;
  options.size = options_.size;
  options.connectDeadline = options_.connectDeadline;
  options.heartbeat = options_.heartbeat;
  options.onFailure = [this] {
    call_.interrupt();
    interruptConnecting();
  };
  options.standing = [this](bool withList) { return call_.report(withList); };
  auto client = ControlClient::connect(options);
  if (!client.ok())
    return client.status();
  client_ = std::move(client).value();
  escapedErrors_.emplace([this](const std::string &error) {
    if (!client_->awaitFailure(verdictTime))
      client_->abort("a connection between two ranks failed: " + error);
    return client_->status();
  });
  return Status();
}

Status GlooTransport::connectMesh() {
  // Until then nobody connects: whoever waits for a connection waits for a rank
  // that is there. The server knows who is missing when the time is over.
  Status complete =
      client_->get(control::allRanksKey, options_.connectDeadline * 2).status();
  if (!complete.ok() || size() == 1)
    return complete;
  std::string address = options_.listenAddress.empty() ? client_->localAddress()
                                                       : options_.listenAddress;
  // Our own words for what Gloo would say worse.
  uint16_t anyPort = 0;
  if (Status probe = control::listenOn(address, anyPort).status(); !probe.ok())
    return Status(ExitCode::RankLost,
                  "it cannot wait for the other ranks: " + probe.message());
  Status status;
  try {
    auto mesh = std::make_unique<Mesh>(static_cast<int>(rank()),
                                       static_cast<int>(size()));
    mesh->setTimeout(options_.connectDeadline /
                     5); // Gloo waits five times that
    mesh->listen(address);
    mesh_ = std::move(mesh);
    setConnecting(true);
    status = mesh_->connect(*client_, options_.connectDeadline);
  } catch (const std::exception &error) {
    status = Status(
        ExitCode::RankLost,
        fmt::format("it cannot connect to the other ranks from address {}: {}; "
                    "check that all machines reach each other on all ports, or "
                    "give the address of another network",
                    address, error.what()));
  }
  setConnecting(false);
  // When another rank is to blame, the control plane knows better.
  return client_->hasFailed() ? client_->status() : status;
}

void GlooTransport::setConnecting(bool isConnecting) {
  std::lock_guard lock(connectMutex_);
  isConnecting_ = isConnecting;
}

void GlooTransport::interruptConnecting() {
  std::lock_guard lock(connectMutex_);
  if (!isConnecting_)
    return;
  try {
    mesh_->closeConnections();
  } catch (const std::exception &) {
    // They are closed; that is all that was wanted.
  }
}

/// Both ends count the messages between them and know their length: a message
/// of another length is another slot, and never written where it does not fit.
uint64_t slotOf(uint64_t sequence, uint64_t bytes) {
  return sequence << 40 | (bytes & ((uint64_t(1) << 40) - 1));
}

Status GlooTransport::post(std::span<const Outgoing> sends,
                           std::span<const Incoming> receives) {
  auto add = [&](bool isSend, uint32_t peer, const std::byte *data,
                 size_t bytes) {
    uint64_t sequence = (isSend ? sent_ : received_)[peer]++;
    void *memory = const_cast<std::byte *>(bytes ? data : &nothing_);
    call_.messages.push_back(
        {{isSend, peer, sequence, bytes},
         mesh_->createUnboundBuffer(memory, std::max<size_t>(bytes, 1))});
  };
  call_.messages.reserve(receives.size() + sends.size());
  for (const Incoming &receive : receives)
    if (receive.from != rank())
      add(false, receive.from, receive.data.data(), receive.data.size());
  for (const Outgoing &send : sends)
    if (send.to != rank())
      add(true, send.to, send.data.data(), send.data.size());
  call_.begin();
  for (CurrentCall::Message &message : call_.messages) {
    uint64_t slot = slotOf(message.what.sequence, message.what.bytes);
    try {
      if (message.what.isSend)
        message.buffer->send(static_cast<int>(message.what.peer), slot);
      else
        message.buffer->recv(static_cast<int>(message.what.peer), slot);
    } catch (const std::exception &error) {
      return broken(message.what.peer, error.what());
    }
  }
  return Status();
}

Status GlooTransport::copyToSelf(std::span<const Outgoing> sends,
                                 std::span<const Incoming> receives) {
  size_t next = 0;
  for (const Incoming &receive : receives) {
    if (receive.from != rank())
      continue;
    while (next < sends.size() && sends[next].to != rank())
      ++next;
    size_t found = next < sends.size() ? sends[next].data.size() : 0;
    if (next == sends.size() || found != receive.data.size()) {
      client_->abort(fmt::format("it expected {} bytes of itself and sent {}",
                                 receive.data.size(), found));
      return client_->status();
    }
    if (found)
      std::memcpy(receive.data.data(), sends[next].data.data(), found);
    ++next;
  }
  return Status();
}

Status GlooTransport::await(std::span<const Outgoing> sends,
                            std::span<const Incoming> receives,
                            const std::function<void(size_t)> &received) {
  // Gloo's own time limit is none: the control plane ends waiting.
  constexpr milliseconds forever = std::chrono::hours(24 * 365);
  auto next = call_.messages.begin();
  auto wait = [&]() -> Status {
    CurrentCall::Message &message = *next++;
    try {
      bool isDone = message.what.isSend ? message.buffer->waitSend(forever)
                                        : message.buffer->waitRecv(forever);
      if (!isDone)
        return client_->status();
    } catch (const std::exception &error) {
      return broken(message.what.peer, error.what());
    }
    call_.advance();
    return Status();
  };
  for (size_t i = 0; i < receives.size(); ++i) {
    if (receives[i].from != rank()) {
      BOOSTRT_RETURN_IF_ERROR(wait());
      traffic_.receivedBytes += receives[i].data.size();
      ++traffic_.receivedMessages;
    }
    received(i);
  }
  for (const Outgoing &send : sends)
    if (send.to != rank()) {
      BOOSTRT_RETURN_IF_ERROR(wait());
      traffic_.sentBytes += send.data.size();
      ++traffic_.sentMessages;
    }
  return Status();
}

Status GlooTransport::broken(uint32_t peer, const char *what) {
  client_->suspect(peer, what);
  if (!client_->awaitFailure(verdictTime))
    client_->abort(
        fmt::format("it lost its connection to rank {}: {}", peer, what));
  return client_->status();
}

Status
GlooTransport::exchangeEach(std::span<const Outgoing> sends,
                            std::span<const Incoming> receives,
                            const std::function<void(size_t)> &received) {
  if (client_->hasFailed())
    return client_->status();
  Status status = copyToSelf(sends, receives);
  if (status.ok())
    status = post(sends, receives);
  // A failure that came before post() had begun the call.
  if (status.ok() && client_->hasFailed())
    status = client_->status();
  if (status.ok())
    status = await(sends, receives, received);
  call_.end();
  return status;
}

} // namespace

Result<std::unique_ptr<Transport>> connectGloo(const GlooOptions &options) {
  auto transport = std::make_unique<GlooTransport>(options);
  BOOSTRT_RETURN_IF_ERROR(transport->connect());
  return std::unique_ptr<Transport>(std::move(transport));
}

} // namespace boostrt
