#include "runtime/comm/local/LocalJob.h"

#include "runtime/comm/ActivityText.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <vector>

namespace boostrt {
namespace {

/// A message that its sender keeps in place until the receiver has copied it.
struct Posted {
  uint32_t from;
  std::span<const std::byte> data;
  char *isTaken; ///< guarded by the sender's mutex
};

struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Posted> messages; ///< to this rank, in the order they were posted
  Activity activity;
  bool isWaiting = false;
  uint32_t waitsFor = 0; ///< the rank, where it is waiting
  std::atomic<bool> hasLeft = false;
};

} // namespace

struct LocalJob::State {
  State(uint32_t size, std::chrono::milliseconds deadline)
      : deadline(deadline), mailboxes(size) {}

  void wakeAll() {
    for (Mailbox &mailbox : mailboxes) {
      std::lock_guard lock(mailbox.mutex);
      mailbox.changed.notify_all();
    }
  }

  void fail(const std::string &message) {
    {
      std::lock_guard lock(mutex);
      if (!failure.empty())
        return;
      failure = message;
      hasFailed = true;
    }
    wakeAll();
  }

  Status status() {
    std::lock_guard lock(mutex);
    return failure.empty() ? Status() : Status(ExitCode::RankLost, failure);
  }

  const std::chrono::milliseconds deadline;
  std::vector<Mailbox> mailboxes;
  std::atomic<bool> hasFailed = false;
  std::mutex mutex;
  std::string failure; ///< of the first that failed; guarded by `mutex`
};

class LocalTransport : public Transport {
public:
  LocalTransport(LocalJob::State &job, uint32_t rank)
      : job_(job), own_(job.mailboxes[rank]), rank_(rank) {}

  ~LocalTransport() override {
    {
      std::lock_guard lock(own_.mutex);
      own_.hasLeft = true;
    }
    job_.wakeAll();
  }

  std::string describe() const override {
    return fmt::format("local (threads of one process), {} ranks", size());
  }
  uint32_t rank() const override { return rank_; }
  uint32_t size() const override {
    return static_cast<uint32_t>(job_.mailboxes.size());
  }
  const Traffic &traffic() const override { return traffic_; }

  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override {
    if (job_.hasFailed)
      return job_.status();
    taken_.assign(sends.size(), false);
    for (size_t i = 0; i < sends.size(); ++i)
      post(sends[i], &taken_[i]);
    Status status;
    for (size_t i = 0; i < receives.size() && status.ok(); ++i) {
      status = take(receives[i]);
      if (!status.ok())
        break;
      count(receives[i].from, receives[i].data.size(), traffic_.receivedBytes,
            traffic_.receivedMessages);
      received(i);
    }
    // Also after a failure: no rank may copy from memory that is not ours any
    // more.
    for (size_t i = 0; i < sends.size(); ++i) {
      Status sent = awaitTaken(sends[i], &taken_[i]);
      if (sent.ok())
        count(sends[i].to, sends[i].data.size(), traffic_.sentBytes,
              traffic_.sentMessages);
      else if (status.ok())
        status = sent;
    }
    return status;
  }

  void abort(const std::string &cause) override {
    std::string doing;
    {
      std::lock_guard lock(own_.mutex);
      doing = boostrt::describe(own_.activity);
    }
    job_.fail(fmt::format("rank {} gave up {}: {}", rank_, doing, cause));
  }

  void setActivity(const Activity &activity) override {
    std::lock_guard lock(own_.mutex);
    own_.activity = activity;
  }

private:
  void count(uint32_t peer, size_t bytes, uint64_t &total,
             uint64_t &messages) const {
    if (peer == rank_)
      return;
    total += bytes;
    ++messages;
  }

  void post(const Outgoing &send, char *isTaken) {
    Mailbox &to = job_.mailboxes[send.to];
    std::lock_guard lock(to.mutex);
    to.messages.push_back({rank_, send.data, isTaken});
    to.changed.notify_all();
  }

  /// Waits for `isDone`, the job's failure, or that `peer` has left. False
  /// when the deadline has passed. `lock` holds our own mutex.
  template <typename Predicate>
  bool await(std::unique_lock<std::mutex> &lock, uint32_t peer,
             Predicate &&isDone) {
    own_.isWaiting = true;
    own_.waitsFor = peer;
    bool isOver = own_.changed.wait_for(lock, job_.deadline, [&] {
      return isDone() || job_.hasFailed || hasLeft(peer);
    });
    // Who gives up waiting is still part of the chain that others follow.
    own_.isWaiting = !isOver;
    return isOver;
  }

  /// Reads without the peer's mutex, which we could not take holding ours.
  bool hasLeft(uint32_t peer) const {
    return peer != rank_ && job_.mailboxes[peer].hasLeft;
  }

  Status take(const Incoming &receive) {
    Posted message;
    {
      std::unique_lock lock(own_.mutex);
      auto find = [&] {
        return std::find_if(
            own_.messages.begin(), own_.messages.end(),
            [&](const Posted &posted) { return posted.from == receive.from; });
      };
      bool isOver = await(lock, receive.from,
                          [&] { return find() != own_.messages.end(); });
      auto found = find();
      if (found == own_.messages.end() || job_.hasFailed) {
        lock.unlock();
        return failure(receive.from, isOver);
      }
      message = *found;
      own_.messages.erase(found);
    }
    bool fits = message.data.size() == receive.data.size();
    if (fits && !receive.data.empty())
      std::memcpy(receive.data.data(), message.data.data(),
                  message.data.size());
    {
      Mailbox &sender = job_.mailboxes[receive.from];
      std::lock_guard lock(sender.mutex);
      *message.isTaken = true;
      sender.changed.notify_all();
    }
    if (fits)
      return Status();
    job_.fail(fmt::format(
        "rank {} expected {} bytes of rank {}, which sent {}; "
        "all ranks must run the same program",
        rank_, receive.data.size(), receive.from, message.data.size()));
    return job_.status();
  }

  Status awaitTaken(const Outgoing &send, const char *isTaken) {
    bool isOver;
    {
      std::unique_lock lock(own_.mutex);
      isOver = await(lock, send.to, [&] { return *isTaken; });
      if (*isTaken)
        return Status();
    }
    if (withdraw(send.to, isTaken))
      return failure(send.to, isOver);
    // The receiver is at it: that is a copy's time.
    std::unique_lock lock(own_.mutex);
    own_.changed.wait(lock, [&] { return *isTaken; });
    return Status();
  }

  /// Takes back a message that was posted. False when the receiver has it.
  bool withdraw(uint32_t to, const char *isTaken) {
    Mailbox &mailbox = job_.mailboxes[to];
    std::lock_guard lock(mailbox.mutex);
    return std::erase_if(mailbox.messages, [&](const Posted &posted) {
             return posted.isTaken == isTaken;
           }) > 0;
  }

  std::string activityOf(uint32_t rank) {
    Mailbox &mailbox = job_.mailboxes[rank];
    std::lock_guard lock(mailbox.mutex);
    return boostrt::describe(mailbox.activity);
  }

  /// Why waiting for `peer` has ended without success.
  Status failure(uint32_t peer, bool isOver) {
    if (job_.hasFailed)
      return job_.status();
    if (isOver)
      job_.fail(fmt::format("rank {} has left the job {}, but rank {} waits "
                            "for it {}; all ranks must run the same program",
                            peer, activityOf(peer), rank_, activityOf(rank_)));
    else
      blame(peer);
    return job_.status();
  }

  /// Whom we wait for may itself be waiting: the last of the chain is lost.
  void blame(uint32_t peer) {
    for (uint32_t hops = 0; hops < size() && peer != rank_; ++hops) {
      Mailbox &mailbox = job_.mailboxes[peer];
      std::unique_lock lock(mailbox.mutex);
      if (!mailbox.isWaiting) {
        lock.unlock();
        job_.fail(fmt::format(
            "rank {} has not answered for {:.1f} s; it was last seen {}", peer,
            std::chrono::duration<double>(job_.deadline).count(),
            activityOf(peer)));
        return;
      }
      peer = mailbox.waitsFor;
    }
    job_.fail(fmt::format("ranks wait for each other, rank {} {}; all ranks "
                          "must run the same program",
                          rank_, activityOf(rank_)));
  }

  LocalJob::State &job_;
  Mailbox &own_;
  uint32_t rank_;
  Traffic traffic_;
  std::vector<char> taken_; ///< the receivers' marks on what we have posted
};

LocalJob::LocalJob(uint32_t size, std::chrono::milliseconds deadline)
    : state_(std::make_unique<State>(size, deadline)) {}
LocalJob::~LocalJob() = default;

std::unique_ptr<Transport> LocalJob::connect(uint32_t rank) {
  return std::make_unique<LocalTransport>(*state_, rank);
}

} // namespace boostrt
