#include "runtime/data/RowWorkers.h"

#include "runtime/support/CaughtException.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace boostrt::data {

struct RowWorkers::Shared {
  ThreadTeam *team = nullptr; ///< in place of threads
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable begin; ///< threads: a task, or stop
  std::condition_variable done;  ///< run(): all threads are
  // Guarded by the mutex.
  bool stop = false;
  uint64_t tasks = 0; ///< that were begun
  size_t busy = 0;    ///< threads
  // Guarded by the mutex while a task is filled.
  int32_t failedRow = 0;
  Status failure; ///< of failedRow
  // Written by run() while no thread works, and read by those that do.
  RowTask *task = nullptr;
  int32_t rows = 0, rowsAtOnce = 1;
  std::atomic<int64_t> next = 0; ///< the next row to take; beyond the end, too

  void work(int worker);
  void wait(int worker);
  void end();
};

/// Fills rows until there are no more. Rows are taken in order, so that all
/// rows before one that fails are filled, or fail themselves.
void RowWorkers::Shared::work(int worker) {
  for (int64_t first = next.fetch_add(rowsAtOnce); first < rows;
       first = next.fetch_add(rowsAtOnce)) {
    const int64_t end = std::min<int64_t>(first + rowsAtOnce, rows);
    auto row = static_cast<int32_t>(first);
    for (task->prepare(row, static_cast<int32_t>(end)); row < end; ++row) {
      Status status = catching([&] { return task->fill(worker, row); });
      if (status.ok())
        continue;
      next = rows;
      std::lock_guard lock(mutex);
      if (failure.ok() || row < failedRow) {
        failure = status;
        failedRow = row;
      }
      break;
    }
  }
}

void RowWorkers::Shared::wait(int worker) {
  std::unique_lock lock(mutex);
  for (uint64_t known = 0;;) {
    begin.wait(lock, [&] { return stop || tasks != known; });
    if (stop)
      return;
    known = tasks;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy == 0)
      done.notify_one();
  }
}

void RowWorkers::Shared::end() {
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  begin.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

RowWorkers::RowWorkers(int workers) : shared_(std::make_unique<Shared>()) {
  Shared &shared = *shared_;
  shared.threads.reserve(static_cast<size_t>(workers - 1));
  try {
    for (int worker = 1; worker < workers; ++worker)
      shared.threads.emplace_back(&Shared::wait, &shared, worker);
  } catch (...) {
    shared.end();
    throw;
  }
}

RowWorkers::~RowWorkers() { shared_->end(); }

RowWorkers::RowWorkers(ThreadTeam &team) : shared_(std::make_unique<Shared>()) {
  shared_->team = &team;
}

int RowWorkers::count() const {
  return shared_->team ? shared_->team->size()
                       : static_cast<int>(shared_->threads.size()) + 1;
}

Status RowWorkers::run(int32_t rows, RowTask &task, int32_t rowsAtOnce) {
  Shared &shared = *shared_;
  shared.task = &task;
  shared.rows = rows;
  shared.rowsAtOnce = rowsAtOnce;
  shared.next = 0;
  shared.failure = Status();
  if (count() == 1 || rows <= rowsAtOnce) {
    shared.work(0);
    return shared.failure;
  }
  if (shared.team) {
    shared.team->run(
        [](void *workers, int member) {
          static_cast<Shared *>(workers)->work(member);
        },
        &shared);
    return shared.failure;
  }
  {
    std::lock_guard lock(shared.mutex);
    shared.busy = shared.threads.size();
    ++shared.tasks;
  }
  shared.begin.notify_all();
  shared.work(0);
  std::unique_lock lock(shared.mutex);
  shared.done.wait(lock, [&] { return shared.busy == 0; });
  return shared.failure;
}

} // namespace boostrt::data
