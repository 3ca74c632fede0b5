// RowWorkers.h - threads that share the rows of a batch: its own, or a team
// that has other work, too. Private to this room.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/support/ThreadTeam.h"

#include <cstdint>
#include <memory>

namespace boostrt::data {

/// What is done for each row of a batch; by several threads at once.
class RowTask {
public:
  /// A thread is about to fill rows [first, end), one after the other.
  virtual void prepare(int32_t /*first*/, int32_t /*end*/) {}
  virtual Status fill(int worker, int32_t row) = 0;

protected:
  ~RowTask() = default;
};

class RowWorkers {
public:
  /// Starts workers - 1 threads; the one that calls run() is worker 0. Throws
  /// std::system_error where there is no thread to be had.
  explicit RowWorkers(int workers);
  /// Starts none: run() is called by the owner of the team, which outlives it.
  explicit RowWorkers(ThreadTeam &team);
  ~RowWorkers();
  RowWorkers(const RowWorkers &) = delete;
  RowWorkers &operator=(const RowWorkers &) = delete;

  int count() const;

  /// Fills rows 0 to rows - 1, in this order if there is one worker. A thread
  /// takes `rowsAtOnce` of them, and where that is all, the caller takes them.
  /// Of the rows that fail the first is reported, whatever threads do, and no
  /// others are taken then. Allocates nothing.
  Status run(int32_t rows, RowTask &task, int32_t rowsAtOnce = 1);

private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

} // namespace boostrt::data
