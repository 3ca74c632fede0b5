// OverlappedCollectives.h - begins collectives while the backward still runs.
//
// A program announces, in the order of its collectives, whose operands have
// their value (BoostEnv::gradients_ready). On a CPU a thread carries those out
// one after the other, and update finds them done, or waits. A GPU needs no
// thread: the host has gone on to update while it computes, and CudaDevice has
// each of them wait for its operands alone. Nothing about a collective changes
// but when it begins, so results have the same bits.
#pragma once

#include "runtime/device/Device.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace boostrt {

class OverlappedCollectives final : public CollectiveRunner {
public:
  /// For a program with so many of them; `collectives` outlives the object and
  /// is called by one thread at a time.
  OverlappedCollectives(CollectiveRunner &collectives, size_t count);
  /// Waits for what has begun.
  ~OverlappedCollectives() override;

  /// What is announced from now on begins at once: the operands are what this
  /// rank adds to the step, not a part of it. `first` is the first collective
  /// of the step.
  void open(uint32_t first) {
    first_ = first;
    isOpen_ = true;
  }
  bool isEarly() const override { return isOpen_; }
  /// Waits for what has begun; nothing more begins before the next open().
  void close();

  void ready(uint32_t index, std::span<void *const> operands) override;
  bool worksOnDevice() const override { return collectives_.worksOnDevice(); }
  /// The outcome of collective `index` where it has begun; else runs it here,
  /// when those before it are done. Ranks that begin late, or not at all, so
  /// keep the order of those that begin early.
  Status run(uint32_t index, void *const *operands) override;

private:
  void carryOut();

  struct Begun {
    std::vector<void *> operands;
    Status status;
  };

  CollectiveRunner &collectives_;
  bool isOpen_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t first_ = 0;       ///< collective of the step
  std::vector<Begun> begun_; ///< by collective of the step
  size_t begunCount_ = 0, doneCount_ = 0;
  bool ends_ = false;
  std::thread thread_; ///< once something was announced
};

} // namespace boostrt
