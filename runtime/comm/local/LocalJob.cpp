#include "runtime/comm/local/LocalJob.h"

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
  bool *isTaken; ///< guarded by the sender's mutex
};

struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Posted> messages; ///< to this rank, in the order they were posted
  Activity activity;
};

} // namespace

struct LocalJob::State {
  State(uint32_t size, std::chrono::milliseconds deadline)
      : deadline(deadline), mailboxes(size) {}

  void fail(const std::string &message) {
    {
      std::lock_guard lock(mutex);
      if (!failure.empty())
        return;
      failure = message;
      hasFailed = true;
    }
    for (Mailbox &mailbox : mailboxes) {
      std::lock_guard lock(mailbox.mutex);
      mailbox.changed.notify_all();
    }
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

namespace {

std::string describe(const Activity &activity) {
  std::string text = activity.step ? fmt::format("in step {}", activity.step)
                                   : "before the first step";
  if (*activity.collective)
    text += fmt::format(", {}", activity.collective);
  if (*activity.location)
    text += fmt::format(" ({})", activity.location);
  return text;
}

} // namespace

class LocalTransport : public Transport {
public:
  LocalTransport(LocalJob::State &job, uint32_t rank)
      : job_(job), own_(job.mailboxes[rank]), rank_(rank) {}

  std::string describe() const override {
    return fmt::format("local (threads of one process), {} ranks", size());
  }
  uint32_t rank() const override { return rank_; }
  uint32_t size() const override {
    return static_cast<uint32_t>(job_.mailboxes.size());
  }
  const Traffic &traffic() const override { return traffic_; }

  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) override {
    if (job_.hasFailed)
      return job_.status();
    // A vector of bools has no addresses.
    std::deque<bool> taken(sends.size(), false);
    for (size_t i = 0; i < sends.size(); ++i) {
      post(sends[i], &taken[i]);
      count(sends[i].to, sends[i].data.size(), traffic_.sentBytes,
            traffic_.sentMessages);
    }
    Status status;
    for (const Incoming &receive : receives) {
      status = take(receive);
      if (!status.ok())
        break;
      count(receive.from, receive.data.size(), traffic_.receivedBytes,
            traffic_.receivedMessages);
    }
    // Also after a failure: nobody may copy from memory that is not ours any
    // more.
    Status ended = awaitTaken(sends, taken);
    return status.ok() ? ended : status;
  }

  void abort(const std::string &cause) override {
    job_.fail(fmt::format("rank {} gave up {}: {}", rank_,
                          boostrt::describe(own_.activity), cause));
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

  void post(const Outgoing &send, bool *isTaken) {
    Mailbox &to = job_.mailboxes[send.to];
    std::lock_guard lock(to.mutex);
    to.messages.push_back({rank_, send.data, isTaken});
    to.changed.notify_all();
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
      bool isThere = own_.changed.wait_for(lock, job_.deadline, [&] {
        return job_.hasFailed || find() != own_.messages.end();
      });
      auto found = find();
      if (found == own_.messages.end()) {
        lock.unlock();
        return isThere ? job_.status() : lost(receive.from);
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

  Status awaitTaken(std::span<const Outgoing> sends,
                    const std::deque<bool> &taken) {
    for (size_t i = 0; i < sends.size(); ++i) {
      std::unique_lock lock(own_.mutex);
      own_.changed.wait_for(lock, job_.deadline,
                            [&] { return taken[i] || job_.hasFailed; });
      if (taken[i])
        continue;
      lock.unlock();
      if (withdraw(sends[i].to, &taken[i]))
        return job_.hasFailed ? job_.status() : lost(sends[i].to);
      // The receiver is at it: that is a copy's time.
      lock.lock();
      own_.changed.wait(lock, [&] { return taken[i]; });
    }
    return Status();
  }

  /// Takes back a message that was posted. False when the receiver has it.
  bool withdraw(uint32_t to, const bool *isTaken) {
    Mailbox &mailbox = job_.mailboxes[to];
    std::lock_guard lock(mailbox.mutex);
    return std::erase_if(mailbox.messages, [&](const Posted &posted) {
             return posted.isTaken == isTaken;
           }) > 0;
  }

  Status lost(uint32_t rank) {
    Mailbox &peer = job_.mailboxes[rank];
    std::string activity;
    {
      std::lock_guard lock(peer.mutex);
      activity = boostrt::describe(peer.activity);
    }
    job_.fail(fmt::format(
        "rank {} has not answered for {:.1f} s; it was last seen {}", rank,
        std::chrono::duration<double>(job_.deadline).count(), activity));
    return job_.status();
  }

  LocalJob::State &job_;
  Mailbox &own_;
  uint32_t rank_;
  Traffic traffic_;
};

LocalJob::LocalJob(uint32_t size, std::chrono::milliseconds deadline)
    : state_(std::make_unique<State>(size, deadline)) {}
LocalJob::~LocalJob() = default;

std::unique_ptr<Transport> LocalJob::connect(uint32_t rank) {
  return std::make_unique<LocalTransport>(*state_, rank);
}

} // namespace boostrt
