#include "runtime/comm/control/ControlServer.h"

#include "runtime/comm/control/RankWatch.h"
#include "runtime/support/IoError.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fmt/format.h>
#include <list>
#include <map>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace boostrt::control {
namespace {

using std::chrono::milliseconds;

/// Who has not said the token by then is cut off.
constexpr milliseconds helloDeadline(5000);
/// How often deadlines are looked at, and ranks told that the server lives.
constexpr milliseconds tickInterval(100), lifeInterval(500);
/// After a failure the ranks have so long to read why.
constexpr milliseconds lingerTimeout(1000);
/// Between a broken connection between two ranks and the verdict: the death
/// that broke it shows by then.
constexpr milliseconds failureGrace(1000);
constexpr ptrdiff_t maxUnauthenticated = 128;
constexpr size_t maxStoreBytes = size_t(64) << 20;
constexpr size_t maxOutputBytes = size_t(64) << 20;

struct Client {
  Socket socket;
  MessageBuffer input;
  std::string output; ///< what the connection has not taken yet
  Clock::time_point since;
  std::optional<uint32_t> rank; ///< once it has said the token
  bool isOver = false;
};

struct Waiter {
  Client *client;
  uint64_t number;
  std::string key;
};

struct Suspicion {
  uint32_t rank, peer;
  std::string seen;
  Clock::time_point due;
};

} // namespace

bool equalInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

class ControlServer::Thread {
public:
  Thread(const ServerOptions &options, Socket listener)
      : options_(options), listener_(std::move(listener)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        watch_(options.size, options.silenceDeadline, options.stallDeadline),
        start_(Clock::now()), thread_([this] { run(); }) {}

  ~Thread() {
    isEnding_ = true;
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written =
        write(wake_.get(), &one, sizeof(one)); // a full counter wakes as well
    thread_.join();
  }

  uint16_t port() const { return options_.port; }

private:
  void run() {
    while (!isDone()) {
      wait();
      acceptAll();
      for (Client &client : clients_)
        read(client);
      // After all that was there has been read: when this process itself was
      // stopped, the others have not been silent.
      checkDeadlines(Clock::now());
      for (Client &client : clients_)
        flush(client);
      dropClosed();
    }
  }

  bool isDone() {
    if (!isEnding_)
      return false;
    if (!failure_.empty())
      return clients_.empty() || Clock::now() - failedAt_ > lingerTimeout;
    for (const Client &client : clients_)
      if (client.rank && !watch_.hasLeft(*client.rank))
        return false;
    return true;
  }

  void wait() {
    std::vector<pollfd> polls = {{listener_.get(), POLLIN, 0},
                                 {wake_.get(), POLLIN, 0}};
    for (const Client &client : clients_)
      polls.push_back(
          {client.socket.get(),
           static_cast<short>(POLLIN | (client.output.empty() ? 0 : POLLOUT)),
           0});
    poll(polls.data(), polls.size(), static_cast<int>(tickInterval.count()));
    uint64_t count;
    [[maybe_unused]] ssize_t got = ::read(wake_.get(), &count, sizeof(count));
  }

  void acceptAll() {
    while (listener_.isOpen()) {
      pollfd there = {listener_.get(), POLLIN, 0};
      if (poll(&there, 1, 0) <= 0)
        return;
      Socket socket(accept4(listener_.get(), nullptr, nullptr,
                            SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket.isOpen()) {
        // Else all ranks would wait for the one that cannot come in, and this
        // thread would never rest: the listener stays readable.
        if (IoError error(errno); error.isLimit()) {
          fail(fmt::format("cannot take a connection at {}: {}",
                           endpointText(options_.host, options_.port),
                           error.advice()));
          listener_ = Socket();
        }
        return;
      }
      // Ours say the token at once, so the one that has waited longest goes.
      auto isStranger = [](const Client &c) { return !c.rank && !c.isOver; };
      if (std::count_if(clients_.begin(), clients_.end(), isStranger) >=
          maxUnauthenticated)
        close(*std::find_if(clients_.begin(), clients_.end(), isStranger));
      clients_.emplace_back();
      clients_.back().socket = std::move(socket);
      clients_.back().since = Clock::now();
    }
  }

  void read(Client &client) {
    while (!client.isOver) {
      std::string bytes;
      ReadResult result = readSome(client.socket, bytes);
      if (result == ReadResult::Nothing)
        return;
      if (result == ReadResult::Closed)
        return close(client);
      client.input.append(bytes);
      for (;;) {
        auto message =
            client.input.next(client.rank ? maxMessageBytes : maxHelloBytes);
        if (!message || client.isOver)
          break;
        handle(client, MessageReader(*message));
      }
      if (client.input.isBroken())
        close(client);
    }
  }

  /// The connection has ended, or must.
  void close(Client &client) {
    client.isOver = true;
    if (client.rank && !watch_.hasLeft(*client.rank))
      fail(watch_.lost(*client.rank));
  }

  void handle(Client &client, MessageReader message) {
    if (!client.rank)
      return greet(client, message);
    uint32_t rank = *client.rank;
    watch_.heard(rank, Clock::now());
    switch (message.type()) {
    case MessageType::Set: {
      std::string key(message.text()), value(message.text());
      storeBytes_ += key.size() + value.size();
      if (message.isComplete() && storeBytes_ <= maxStoreBytes)
        return set(key, value);
      break;
    }
    case MessageType::Get: {
      uint64_t number = message.number();
      std::string key(message.text());
      if (message.isComplete())
        return get(client, number, key);
      break;
    }
    case MessageType::Beat: {
      uint64_t call = message.number();
      ActivityRecord activity = message.activity();
      if (!message.isComplete())
        break;
      // The others must know it when this process dies.
      if (rank == options_.servedBy && activity != watch_.activity(rank))
        lastLifeSign_ = {};
      return watch_.beat(rank, call, std::move(activity), Clock::now());
    }
    case MessageType::Waiting:
      return handleWaiting(client, message);
    case MessageType::Abort: {
      ActivityRecord activity = message.activity();
      std::string_view cause = message.text();
      if (!message.isComplete())
        break;
      watch_.beat(rank, 0, std::move(activity), Clock::now());
      return fail(watch_.gaveUp(rank, cause));
    }
    case MessageType::Suspect: {
      uint64_t peer = message.number();
      std::string seen(message.text());
      if (!message.isComplete() || peer >= watch_.size())
        break;
      // One that has left tells nothing more.
      bool isClear = watch_.hasLeft(static_cast<uint32_t>(peer));
      suspicions_.push_back(
          {rank, static_cast<uint32_t>(peer), seen,
           Clock::now() + (isClear ? milliseconds(0) : failureGrace)});
      return;
    }
    case MessageType::Goodbye:
      watch_.leave(rank);
      return;
    default:
      break;
    }
    close(client); // it has the token, but is not one of ours
  }

  void handleWaiting(Client &client, MessageReader &message) {
    WaitReport report;
    report.call = message.number();
    uint64_t count = message.number();
    for (uint64_t i = 0; i < count && message.isGood(); ++i) {
      PendingMessage pending;
      pending.isSend = message.number();
      pending.peer = static_cast<uint32_t>(message.number());
      pending.sequence = message.number();
      pending.bytes = message.number();
      report.pending.push_back(pending);
    }
    if (!message.isComplete())
      return close(client);
    fail(watch_.waits(*client.rank, std::move(report)));
  }

  void greet(Client &client, MessageReader &message) {
    std::string_view said = message.text(), token = message.text();
    uint64_t rank = message.number(), size = message.number();
    bool isOurs = message.type() == MessageType::Hello &&
                  message.isComplete() && said == magic;
    if (!isOurs)
      return close(client); // a stranger, who learns nothing
    if (!equalInConstantTime(token, options_.token))
      return refuse(client, "it has another token; all ranks of a job are "
                            "given the same one");
    if (size != watch_.size())
      return refuse(client,
                    fmt::format("it has {} ranks, and this rank was started "
                                "for a job of {}",
                                watch_.size(), size));
    if (rank >= size)
      return refuse(client, fmt::format("it has ranks 0 to {}", size - 1));
    if (watch_.hasCome(static_cast<uint32_t>(rank)))
      return refuse(client, fmt::format("rank {0} has come already: two "
                                        "processes were started as rank {0}",
                                        rank));
    client.rank = static_cast<uint32_t>(rank);
    watch_.come(*client.rank, Clock::now());
    reply(client,
          MessageWriter(MessageType::Welcome)
              .number(options_.servedBy.value_or(watch_.size()))
              .number(static_cast<uint64_t>(options_.silenceDeadline.count()))
              .finish());
    if (!failure_.empty())
      reply(client, failureMessage());
    if (watch_.isComplete())
      set(std::string(allRanksKey), "");
  }

  void refuse(Client &client, const std::string &why) {
    reply(client, MessageWriter(MessageType::Refused).text(why).finish());
    flush(client);
    close(client);
  }

  void set(const std::string &key, const std::string &value) {
    store_[key] = value;
    std::erase_if(waiters_, [&](const Waiter &waiter) {
      if (waiter.key != key)
        return false;
      sendValue(*waiter.client, waiter.number, value);
      return true;
    });
  }

  void get(Client &client, uint64_t number, const std::string &key) {
    auto found = store_.find(key);
    if (found != store_.end())
      sendValue(client, number, found->second);
    else
      waiters_.push_back({&client, number, key});
  }

  void sendValue(Client &client, uint64_t number, const std::string &value) {
    reply(
        client,
        MessageWriter(MessageType::Value).number(number).text(value).finish());
  }

  std::string failureMessage() const {
    return MessageWriter(MessageType::Failure).text(failure_).finish();
  }

  /// Tells all ranks, once; an empty message is none.
  void fail(const std::string &message) {
    if (message.empty() || !failure_.empty())
      return;
    failure_ = message;
    failedAt_ = Clock::now();
    // The rank that serves last: its process may end as soon as it knows.
    for (bool isOwn : {false, true})
      for (Client &client : clients_)
        if (client.rank && (client.rank == options_.servedBy) == isOwn) {
          reply(client, failureMessage());
          flush(client);
        }
  }

  void reply(Client &client, std::string bytes) {
    if (client.output.size() + bytes.size() > maxOutputBytes)
      return close(client); // it does not read
    client.output += bytes;
  }

  void flush(Client &client) {
    while (!client.output.empty()) {
      ssize_t sent = send(client.socket.get(), client.output.data(),
                          client.output.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0)
        return; // full, or gone: that is seen when it is read
      client.output.erase(0, static_cast<size_t>(sent));
    }
  }

  void checkDeadlines(Clock::time_point now) {
    for (Client &client : clients_)
      if (!client.rank && now - client.since > helloDeadline)
        close(client);
    if (now - lastLifeSign_ >= lifeInterval) {
      lastLifeSign_ = now;
      ActivityRecord own = options_.servedBy
                               ? watch_.activity(*options_.servedBy)
                               : ActivityRecord();
      std::string tick =
          MessageWriter(MessageType::Tick).activity(own).finish();
      for (Client &client : clients_)
        if (client.rank)
          reply(client, tick);
    }
    for (const Suspicion &suspicion : suspicions_)
      if (now >= suspicion.due)
        fail(watch_.suspected(suspicion.rank, suspicion.peer, suspicion.seen));
    std::erase_if(suspicions_,
                  [&](const Suspicion &s) { return now >= s.due; });
    fail(watch_.overdue(now));
    tellWhoIsMissing(now);
    if (now - start_ > options_.connectDeadline && !watch_.isComplete())
      fail(fmt::format(
          "{} of {} did not come to {} within {:.1f} s; see their own output, "
          "and check that all were started with this address and token; "
          "--join-deadline S waits longer",
          watch_.missing(), watch_.size(),
          endpointText(options_.host, options_.port),
          std::chrono::duration<double>(options_.connectDeadline).count()));
  }

  void tellWhoIsMissing(Clock::time_point now) {
    if (hasTold_ || !options_.notice.tell ||
        now - start_ < options_.notice.after)
      return;
    hasTold_ = true;
    if (watch_.isComplete() || !failure_.empty())
      return;
    options_.notice.tell(
        fmt::format("waiting for {} of {} at {}, {}", watch_.missing(),
                    watch_.size(), endpointText(options_.host, options_.port),
                    timeLeft(start_ + options_.connectDeadline)));
  }

  void dropClosed() {
    for (auto client = clients_.begin(); client != clients_.end();) {
      auto next = std::next(client);
      if (client->isOver) {
        std::erase_if(waiters_, [&](const Waiter &waiter) {
          return waiter.client == &*client;
        });
        clients_.erase(client);
      }
      client = next;
    }
  }

  ServerOptions options_;
  Socket listener_, wake_;
  RankWatch watch_;
  std::list<Client> clients_; // whose addresses last
  std::map<std::string, std::string> store_;
  size_t storeBytes_ = 0;
  std::vector<Waiter> waiters_;
  std::vector<Suspicion> suspicions_;
  std::string failure_;
  bool hasTold_ = false; ///< which ranks are missing
  Clock::time_point start_, failedAt_, lastLifeSign_;
  std::atomic<bool> isEnding_ = false;
  std::thread thread_; // the last: it uses all of the above
};

ControlServer::ControlServer(std::unique_ptr<Thread> thread)
    : thread_(std::move(thread)) {}
ControlServer::~ControlServer() = default;

uint16_t ControlServer::port() const { return thread_->port(); }

Result<std::unique_ptr<ControlServer>>
ControlServer::start(const ServerOptions &options) {
  ServerOptions actual = options;
  Result<Socket> listener = listenOn(options.host, actual.port);
  if (!listener.ok())
    return listener.status();
  return std::unique_ptr<ControlServer>(new ControlServer(
      std::make_unique<Thread>(actual, std::move(listener).value())));
}

} // namespace boostrt::control
