#include "runtime/comm/control/ControlClient.h"

#include "runtime/comm/control/RankWatch.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace boostrt::control {
namespace {

using std::chrono::milliseconds;

/// A new activity is told so soon after it began, so that the others can name
/// it; many ranks wait longer, for the sake of the server.
milliseconds newsInterval(uint32_t ranks) {
  return milliseconds(std::clamp<uint32_t>(ranks / 2, 20, 500));
}

/// After so long without a message that came or went a rank tells what it waits
/// for. Some of the messages after the first may be there.
constexpr milliseconds patience(1000);

Status lostRank(std::string message) {
  return Status(ExitCode::RankLost, std::move(message));
}

} // namespace

class ControlClient::Threads {
public:
  Threads(const ClientOptions &options, Socket socket, MessageBuffer input,
          uint32_t servedBy, milliseconds silenceDeadline)
      : options_(options), socket_(std::move(socket)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), input_(std::move(input)),
        servedBy_(servedBy), silenceDeadline_(silenceDeadline),
        lastHeard_(Clock::now()) {
    listener_ = std::thread([this] { listen(); });
    try {
      beater_ = std::thread([this] { beat(); });
    } catch (...) {
      endListener();
      throw;
    }
  }

  ~Threads() {
    {
      std::lock_guard lock(mutex_);
      isEnding_ = true;
      changed_.notify_all();
    }
    beater_.join();
    endListener();
    goodbye();
  }

  void goodbye() {
    if (!hasFailed_ && !std::exchange(hasLeft_, true))
      send(MessageWriter(MessageType::Goodbye).finish());
  }

  Status set(const std::string &key, const std::string &value) {
    if (!send(MessageWriter(MessageType::Set).text(key).text(value).finish()))
      awaitFailure(milliseconds(2000));
    return status();
  }

  Result<std::string> get(const std::string &key, milliseconds deadline) {
    uint64_t number;
    {
      std::lock_guard lock(mutex_);
      number = ++lastNumber_;
    }
    send(MessageWriter(MessageType::Get).number(number).text(key).finish());
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, deadline,
                      [&] { return hasFailed_ || values_.count(number); });
    auto found = values_.find(number);
    if (found != values_.end()) {
      std::string value = std::move(found->second);
      values_.erase(found);
      return value;
    }
    if (hasFailed_)
      return lostRank(failure_);
    return lostRank(fmt::format(
        "no rank has set '{}' at {} within {:.1f} s", printable(key),
        endpoint(), std::chrono::duration<double>(deadline).count()));
  }

  std::string localAddress() const { return control::localAddress(socket_); }

  void setActivity(const Activity &activity) {
    std::lock_guard lock(mutex_);
    activity_ = activity;
  }

  void abort(const std::string &cause) {
    ActivityRecord activity = activityRecord();
    bool isSent = send(MessageWriter(MessageType::Abort)
                           .activity(activity)
                           .text(cause)
                           .finish());
    // From now on our own calls fail too; the server's word is the same.
    if (!isSent || !awaitFailure(milliseconds(1000)))
      fail(fmt::format("rank {} gave up {}: {}", options_.rank, activity.text(),
                       cause));
  }

  void suspect(uint32_t peer, const std::string &seen) {
    send(MessageWriter(MessageType::Suspect).number(peer).text(seen).finish());
  }

  bool hasFailed() const { return hasFailed_; }

  Status status() const {
    std::lock_guard lock(mutex_);
    return hasFailed_ ? lostRank(failure_) : Status();
  }

  bool awaitFailure(milliseconds time) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return hasFailed_.load(); });
  }

private:
  void endListener() {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(wake_.get(), &one, sizeof(one));
    listener_.join();
  }

  std::string endpoint() const {
    return endpointText(options_.host, options_.port);
  }

  ActivityRecord activityRecord() const {
    std::lock_guard lock(mutex_);
    return ActivityRecord(activity_);
  }

  bool send(const std::string &bytes) {
    std::lock_guard lock(sendMutex_);
    return sendAll(socket_, bytes);
  }

  void fail(const std::string &message) {
    {
      std::lock_guard lock(mutex_);
      if (hasFailed_)
        return;
      failure_ = message;
      hasFailed_ = true;
      changed_.notify_all();
    }
    if (options_.onFailure)
      options_.onFailure();
  }

  void listen() {
    for (bool isOpen = true; isOpen;) {
      // What came with the welcome is there already.
      while (auto message = input_.next(maxMessageBytes))
        handle(MessageReader(*message));
      if (input_.isBroken())
        return fail(fmt::format("what serves {} does not speak as boost-run "
                                "does; check the master address",
                                endpoint()));
      pollfd polls[] = {{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
      poll(polls, 2, 100);
      std::string bytes;
      ReadResult result = readSome(socket_, bytes);
      input_.append(bytes);
      if (result == ReadResult::Data)
        lastHeard_ = Clock::now();
      else if (polls[1].revents)
        return;
      else if (result == ReadResult::Closed)
        return fail(serverLost("its connection closed without a goodbye, so "
                               "its process was killed, crashed or exited "
                               "early; see its own output"));
      else if (Clock::now() - lastHeard_ > silenceDeadline_)
        return fail(serverLost(fmt::format(
            "it has been silent for {:.1f} s, so its process is stopped, or "
            "its machine or network is gone",
            std::chrono::duration<double>(Clock::now() - lastHeard_).count())));
      isOpen = !hasFailed_;
    }
  }

  std::string serverLost(const std::string &how) const {
    if (servedBy_ < options_.size)
      return fmt::format("rank {} (which serves the job at {}) was lost {}: {}",
                         servedBy_, endpoint(), serverActivity_.text(), how);
    return fmt::format("the launcher (which serves the job at {}) was lost: {}",
                       endpoint(), how);
  }

  void handle(MessageReader message) {
    switch (message.type()) {
    case MessageType::Value: {
      uint64_t number = message.number();
      std::string value(message.text());
      std::lock_guard lock(mutex_);
      values_[number] = std::move(value);
      changed_.notify_all();
      return;
    }
    case MessageType::Tick:
      serverActivity_ = message.activity();
      return;
    case MessageType::Failure:
      return fail(std::string(message.text()));
    default:
      return;
    }
  }

  void beat() {
    ActivityRecord told;
    uint64_t toldCall = 0;
    std::pair<uint64_t, uint64_t> place, reported; // call, messages done
    Clock::time_point toldAt, placeSince = Clock::now();
    std::unique_lock lock(mutex_);
    while (!isEnding_ && !hasFailed_) {
      lock.unlock();
      Clock::time_point now = Clock::now();
      ActivityRecord activity = activityRecord();
      WaitReport standing;
      if (options_.standing)
        standing = options_.standing(/*withList=*/false);
      bool isLate = now - toldAt >= options_.heartbeat;
      if (std::pair current(standing.call, standing.done); current != place) {
        place = current;
        placeSince = now;
      }
      if (isLate || activity != told) {
        send(MessageWriter(MessageType::Beat)
                 .number(standing.call)
                 .activity(activity)
                 .finish());
        told = std::move(activity);
        toldCall = standing.call;
        toldAt = now;
      }
      bool isStuck = standing.call && standing.call == toldCall &&
                     place != reported && now - placeSince >= patience;
      if (isStuck) {
        report(options_.standing(/*withList=*/true));
        reported = place;
      }
      lock.lock();
      changed_.wait_for(lock, newsInterval(options_.size),
                        [&] { return isEnding_ || hasFailed_; });
    }
  }

  void report(const WaitReport &standing) {
    MessageWriter message(MessageType::Waiting);
    message.number(standing.call).number(standing.pending.size());
    for (const PendingMessage &pending : standing.pending)
      message.number(pending.isSend)
          .number(pending.peer)
          .number(pending.sequence)
          .number(pending.bytes);
    send(message.finish());
  }

  const ClientOptions options_;
  Socket socket_, wake_;
  std::mutex sendMutex_;
  // Used by the listener alone.
  MessageBuffer input_;
  const uint32_t servedBy_;
  const milliseconds silenceDeadline_;
  Clock::time_point lastHeard_;
  ActivityRecord serverActivity_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Activity activity_;
  std::map<uint64_t, std::string> values_;
  uint64_t lastNumber_ = 0;
  std::atomic<bool> hasFailed_ = false;
  std::string failure_;
  bool isEnding_ = false;
  bool hasLeft_ = false;          ///< of the owner's thread alone
  std::thread listener_, beater_; // the last: they use all of the above
};

Result<std::unique_ptr<ControlClient>>
ControlClient::connect(const ClientOptions &options) {
  Clock::time_point deadline = Clock::now() + options.connectDeadline;
  std::string endpoint = endpointText(options.host, options.port);
  Result<Socket> connected =
      connectTo(options.host, options.port, deadline, options.notice);
  if (!connected.ok())
    return connected.status();
  Socket socket = std::move(connected).value();
  sendAll(socket, MessageWriter(MessageType::Hello)
                      .text(magic)
                      .text(options.token)
                      .number(options.rank)
                      .number(options.size)
                      .finish());
  MessageBuffer input;
  bool hasAnswered = false;
  while (Clock::now() < deadline) {
    if (auto message = input.next(maxMessageBytes)) {
      MessageReader reader(*message);
      if (reader.type() == MessageType::Refused)
        return lostRank(fmt::format("the job at {} does not take rank {}: {}",
                                    endpoint, options.rank,
                                    printable(reader.text())));
      uint64_t servedBy = reader.number(), silence = reader.number();
      if (reader.type() != MessageType::Welcome || !reader.isComplete())
        break;
      return std::unique_ptr<ControlClient>(
          new ControlClient(std::make_unique<Threads>(
              options, std::move(socket), std::move(input),
              static_cast<uint32_t>(servedBy), milliseconds(silence))));
    }
    pollfd wait = {socket.get(), POLLIN, 0};
    poll(&wait, 1, 100);
    std::string bytes;
    ReadResult result = readSome(socket, bytes);
    input.append(bytes);
    hasAnswered |= result == ReadResult::Data;
    if (result == ReadResult::Closed && !hasAnswered)
      return lostRank(fmt::format(
          "{} closed the connection of rank {} without an answer: the rank "
          "that serves the job there has ended early (see its own output), or "
          "the master address is that of something else",
          endpoint, options.rank));
    if (result == ReadResult::Closed || input.isBroken())
      break;
  }
  return lostRank(fmt::format(
      "what listens at {} is not the control server of this job; check the "
      "master address, and that all ranks run the same version",
      endpoint));
}

ControlClient::ControlClient(std::unique_ptr<Threads> threads)
    : threads_(std::move(threads)) {}
ControlClient::~ControlClient() = default;

Status ControlClient::set(const std::string &key, const std::string &value) {
  return threads_->set(key, value);
}
Result<std::string> ControlClient::get(const std::string &key,
                                       milliseconds deadline) {
  return threads_->get(key, deadline);
}
std::string ControlClient::localAddress() const {
  return threads_->localAddress();
}
void ControlClient::setActivity(const Activity &activity) {
  threads_->setActivity(activity);
}
void ControlClient::goodbye() { threads_->goodbye(); }
void ControlClient::abort(const std::string &cause) { threads_->abort(cause); }
void ControlClient::suspect(uint32_t peer, const std::string &seen) {
  threads_->suspect(peer, seen);
}
bool ControlClient::hasFailed() const { return threads_->hasFailed(); }
Status ControlClient::status() const { return threads_->status(); }
bool ControlClient::awaitFailure(milliseconds time) const {
  return threads_->awaitFailure(time);
}

} // namespace boostrt::control
