// Transport.h - messages between the ranks of a job. Collectives.h makes
// all-reduces of them; what carries the bytes (threads of one process, TCP,
// NVLink) implements this interface, and one conformance suite holds all.
//
// A rank is one participant of a job, numbered from 0; all ranks of a server
// are neighbours. One thread of a rank uses its transport.
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace boostrt {

namespace control {
class ControlPlane;
}

/// A message to rank `to`.
struct Outgoing {
  uint32_t to;
  std::span<const std::byte> data;
};

/// Where the next message of rank `from` goes; it must be as long.
struct Incoming {
  uint32_t from;
  std::span<std::byte> data;
};

/// What a rank is doing, for the message that others print when it is lost.
struct Activity {
  int64_t step = 0;            ///< global step, from 1; 0: before training
  const char *collective = ""; ///< "bucket 2 (fc1.weight, fc1.bias)"
  const char *location = "";   ///< "model.json:14:5"; empty where there is none
};

/// Payload this rank has exchanged; what it sent to itself does not count.
struct Traffic {
  uint64_t sentBytes = 0, receivedBytes = 0;
  uint64_t sentMessages = 0, receivedMessages = 0;
};

class Transport {
public:
  virtual ~Transport() = default;

  /// "gloo (TCP), 4 ranks": for the line that says how ranks are connected.
  virtual std::string describe() const = 0;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;

  /// Sends and receives, all under way together; returns when each has ended
  /// and its memory is free again. Messages from one rank to another arrive in
  /// the order in which they were sent. Memory that is received into overlaps
  /// nothing else of the call.
  ///
  /// Fails with ExitCode::RankLost when a rank is dead, silent for longer than
  /// the deadline, or gave up; the message names that rank, what it was doing
  /// and the cause, as every rank's does. A transport that has failed once
  /// fails in every later call, with the same message.
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) {
    return exchangeEach(sends, receives, [](size_t) {});
  }

  /// exchange() that calls `received(i)` on this thread when receives[i] is
  /// there, in the order of i, while others may be under way: what has just
  /// arrived is still in the cache. All sends keep their memory until the end.
  virtual Status exchangeEach(std::span<const Outgoing> sends,
                              std::span<const Incoming> receives,
                              const std::function<void(size_t)> &received) = 0;

  /// Tells the other ranks that this one gives up and why; their calls fail
  /// with RankLost. May be called from any thread, more than once; the first
  /// cause counts.
  virtual void abort(const std::string &cause) = 0;

  /// What calls from now on belong to. The strings stay until the next call of
  /// this.
  virtual void setActivity(const Activity &activity) = 0;

  virtual const Traffic &traffic() const = 0;

  /// Through which this rank knows of the others; null where they are threads
  /// of its process.
  virtual control::ControlPlane *controlPlane() { return nullptr; }
};

} // namespace boostrt
