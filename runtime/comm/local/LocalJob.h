// LocalJob.h - ranks that are threads of one process, for tests and for jobs
// that are larger than the machine.
#pragma once

#include "runtime/comm/Transport.h"

#include <chrono>
#include <memory>

namespace boostrt {

/// What the ranks share. It outlives their transports.
class LocalJob {
public:
  /// `deadline`: how long a rank waits for another before it calls the one that
  /// all wait for lost. A thread does not die alone and is not silent because
  /// it computes, so that is long.
  explicit LocalJob(uint32_t size, std::chrono::milliseconds deadline =
                                       std::chrono::minutes(10));
  ~LocalJob();

  /// For the thread that is rank `rank`; once for each rank. A rank leaves the
  /// job when its transport ends: who waits for it then fails.
  std::unique_ptr<Transport> connect(uint32_t rank);

private:
  friend class LocalTransport;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace boostrt
