#include "runtime/comm/gloo/GlooTransport.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/LoopbackMessages.h"
#include "runtime/comm/gloo/EscapedError.h"
#include "runtime/comm/gloo/Mesh.h"
#include "runtime/support/CaughtException.h"

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
using control::ControlPlane;
using control::PendingMessage;
using std::chrono::milliseconds;

/// A broken connection is explained by the control plane within this time:
/// a death at once, all else after the server's own second.
constexpr milliseconds verdictTime(3000);

/// The memory of the call that is under way, to be interrupted.
class CurrentBuffers {
public:
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

  /// In the order of the call's messages. Only exchange() changes it, and
  /// holds the mutex while others could look.
  std::vector<Buffer> list;

  void begin() {
    std::lock_guard lock(mutex_);
    isActive_ = true;
  }
  /// Gloo touches none of the call's memory any more.
  void end() {
    std::lock_guard lock(mutex_);
    isActive_ = false;
    list.clear();
  }
  /// Ends all waiting of the call, also what has not begun yet.
  void interrupt() {
    std::lock_guard lock(mutex_);
    if (!isActive_)
      return;
    for (Buffer &buffer : list) {
      buffer->abortWaitRecv();
      buffer->abortWaitSend();
    }
  }

private:
  std::mutex mutex_;
  bool isActive_ = false;
};

class GlooTransport : public Transport {
public:
  explicit GlooTransport(const GlooOptions &options)
      : options_(options), sent_(options.size), received_(options.size) {}

  ~GlooTransport() override {
    escapedErrors_.reset();
    // Before the connections close, so that no rank takes that for a death.
    if (plane_)
      client().goodbye();
    mesh_.reset();
  }

  Status connect() {
    ignoreBrokenPipes();
    BOOSTRT_RETURN_IF_ERROR(join());
    Status status = catching([this] {
      BOOSTRT_RETURN_IF_ERROR(connectMesh());
      // A rank that leaves at once would otherwise end connections that others
      // wait for.
      Group all(*this);
      BOOSTRT_RETURN_IF_ERROR(barrier(all));
      traffic_ = {};
      return Status();
    });
    if (status.ok())
      return status;
    client().abort(status.message()); // unless another rank was the first
    return status.code() == ExitCode::RankLost ? client().status() : status;
  }

  std::string describe() const override {
    return fmt::format("gloo (TCP), {} ranks", size());
  }
  uint32_t rank() const override { return options_.rank; }
  uint32_t size() const override { return options_.size; }
  const Traffic &traffic() const override { return traffic_; }
  ControlPlane *controlPlane() override { return plane_.get(); }

  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override;

  void abort(const std::string &cause) override { client().abort(cause); }

  void setActivity(const Activity &activity) override {
    client().setActivity(activity);
  }

private:
  static void ignoreBrokenPipes() {
    struct sigaction action;
    if (!sigaction(SIGPIPE, nullptr, &action) && action.sa_handler == SIG_DFL)
      signal(SIGPIPE, SIG_IGN);
  }

  ControlClient &client() { return plane_->client(); }
  Status join();
  Status awaitAllRanks();
  Status connectMesh();
  void setConnecting(bool isConnecting);
  void interruptConnecting();

  void post(std::span<const Outgoing> sends,
            std::span<const Incoming> receives);
  void postAll();
  Status await(std::span<const Outgoing> sends,
               std::span<const Incoming> receives,
               const std::function<void(size_t)> &received);
  Status broken(uint32_t peer, const char *what);

  const GlooOptions options_;
  CurrentBuffers buffers_;
  std::mutex connectMutex_;
  bool isConnecting_ = false; ///< guarded by it; the mesh is then complete
  // Interrupts the call and the mesh, so it ends before them.
  std::unique_ptr<Mesh> mesh_;
  std::unique_ptr<ControlPlane> plane_;
  std::optional<EscapedErrors> escapedErrors_;
  std::vector<uint64_t> sent_, received_; ///< messages, by peer
  /// Gloo could not begin to send to that peer, or to receive from it.
  struct Refusal {
    uint32_t peer;
    std::string what;
  };
  std::optional<Refusal> refusal_;
  std::byte nothing_{}; ///< stands for a message without bytes
  Traffic traffic_;
};

Status GlooTransport::join() {
  Result<std::unique_ptr<ControlPlane>> plane =
      ControlPlane::join(options_, [this] {
        buffers_.interrupt();
        interruptConnecting();
      });
  if (!plane.ok())
    return plane.status();
  plane_ = std::move(plane).value();
  escapedErrors_.emplace([this](const std::string &error) {
    std::string advice = control::openFilesAdvice(error);
    if (!advice.empty() || !client().awaitFailure(verdictTime))
      client().abort("a connection between two ranks failed: " + error +
                     advice);
    return advice.empty()
               ? client().status()
               : Status(ExitCode::Usage,
                        "cannot connect to the other ranks" + advice);
  });
  return Status();
}

/// Ranks connect only after all have joined, so none waits for an absent
/// one. The server knows which are missing when the time is over.
Status GlooTransport::awaitAllRanks() {
  const control::WaitingNotice &notice = options_.notice;
  if (notice.tell && !options_.isMaster) { // the master's server tells more
    Status soon = client().get(control::allRanksKey, notice.after).status();
    if (soon.ok() || client().hasFailed())
      return soon;
    notice.tell(fmt::format(
        "waiting for other ranks; rank 0 at {} says which are missing",
        control::endpointText(options_.masterHost, options_.masterPort)));
  }
  return client()
      .get(control::allRanksKey, options_.connectDeadline * 2)
      .status();
}

Status GlooTransport::connectMesh() {
  Status complete = awaitAllRanks();
  if (!complete.ok() || size() == 1)
    return complete;
  std::string address = options_.listenAddress.empty() ? client().localAddress()
                                                       : options_.listenAddress;
  // One for each other rank, and what Gloo itself waits with, listens at and
  // takes a connection by: found out here, because in the middle every rank
  // would see another's connection break.
  constexpr uint32_t kOwn = 4;
  if (Status room = control::checkRoomForFiles(size() - 1 + kOwn); !room.ok())
    return room;
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
    status = mesh_->connect(client(), options_.connectDeadline);
  } catch (const std::exception &error) {
    status = caughtException();
    std::string advice = control::openFilesAdvice(error.what());
    // A limit of this machine, on threads or memory, is not a matter of
    // networks.
    if (status.code() == ExitCode::Internal)
      status = Status(
          advice.empty() ? ExitCode::RankLost : ExitCode::Usage,
          fmt::format("it cannot connect to the other ranks from address {}: "
                      "{}{}",
                      address, error.what(),
                      advice.empty()
                          ? "; check that all machines reach each other on all "
                            "ports, or give the address of another network"
                          : advice));
  }
  setConnecting(false);
  // When another rank is to blame, the control plane knows better.
  bool isOwnFault = !status.ok() && status.code() != ExitCode::RankLost;
  return client().hasFailed() && !isOwnFault ? client().status() : status;
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

void GlooTransport::post(std::span<const Outgoing> sends,
                         std::span<const Incoming> receives) {
  std::vector<PendingMessage> &messages = plane_->call().messages;
  auto add = [&](bool isSend, uint32_t peer, const std::byte *data,
                 size_t bytes) {
    uint64_t sequence = (isSend ? sent_ : received_)[peer]++;
    void *memory = const_cast<std::byte *>(bytes ? data : &nothing_);
    messages.push_back({isSend, peer, sequence, bytes});
    buffers_.list.push_back(
        mesh_->createUnboundBuffer(memory, std::max<size_t>(bytes, 1)));
  };
  messages.reserve(receives.size() + sends.size());
  buffers_.list.reserve(receives.size() + sends.size());
  for (const Incoming &receive : receives)
    if (receive.from != rank())
      add(false, receive.from, receive.data.data(), receive.data.size());
  for (const Outgoing &send : sends)
    if (send.to != rank())
      add(true, send.to, send.data.data(), send.data.size());
  plane_->call().begin();
  buffers_.begin();
  if (!messages.empty())
    mesh_->thread().begin([this] { postAll(); });
}

/// On Gloo's thread.
void GlooTransport::postAll() {
  const std::vector<PendingMessage> &messages = plane_->call().messages;
  for (size_t i = 0; i < messages.size(); ++i) {
    uint64_t slot = slotOf(messages[i].sequence, messages[i].bytes);
    try {
      if (messages[i].isSend)
        buffers_.list[i]->send(static_cast<int>(messages[i].peer), slot);
      else
        buffers_.list[i]->recv(static_cast<int>(messages[i].peer), slot);
    } catch (const std::exception &error) {
      refusal_ = Refusal{messages[i].peer, error.what()};
      buffers_.interrupt();
      return;
    }
  }
}

Status GlooTransport::await(std::span<const Outgoing> sends,
                            std::span<const Incoming> receives,
                            const std::function<void(size_t)> &received) {
  // Gloo's own time limit is none: the control plane ends waiting.
  constexpr milliseconds forever = std::chrono::hours(24 * 365);
  size_t next = 0;
  auto wait = [&]() -> Status {
    const PendingMessage &message = plane_->call().messages[next];
    CurrentBuffers::Buffer &buffer = buffers_.list[next++];
    try {
      bool isDone = message.isSend ? buffer->waitSend(forever)
                                   : buffer->waitRecv(forever);
      if (!isDone) {
        mesh_->thread().wait();
        return refusal_ ? broken(refusal_->peer, refusal_->what.c_str())
                        : client().status();
      }
    } catch (const std::exception &error) {
      return broken(message.peer, error.what());
    }
    plane_->call().advance();
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
  client().suspect(peer, what);
  if (!client().awaitFailure(verdictTime))
    client().abort(
        fmt::format("it lost its connection to rank {}: {}", peer, what));
  return client().status();
}

Status
GlooTransport::exchangeEach(std::span<const Outgoing> sends,
                            std::span<const Incoming> receives,
                            const std::function<void(size_t)> &received) {
  if (client().hasFailed())
    return client().status();
  std::string misfit = matchLoopbackMessages(
      rank(), sends, receives,
      [](std::span<std::byte> to, std::span<const std::byte> from) {
        if (!from.empty())
          std::memcpy(to.data(), from.data(), from.size());
      });
  if (!misfit.empty()) {
    client().abort(misfit);
    return client().status();
  }
  post(sends, receives);
  // A failure that came before post() had begun the call.
  Status status = client().hasFailed() ? client().status()
                                       : await(sends, receives, received);
  if (mesh_)
    mesh_->thread().wait();
  buffers_.end();
  plane_->call().end();
  return status;
}

} // namespace

Result<std::unique_ptr<Transport>> connectGloo(const GlooOptions &options) {
  auto transport = std::make_unique<GlooTransport>(options);
  BOOSTRT_RETURN_IF_ERROR(transport->connect());
  return std::unique_ptr<Transport>(std::move(transport));
}

} // namespace boostrt
