// ThreadPool.h - the threads of a CPU device, and parallel loops on them.
//
// A step has hundreds of loops of some microseconds each, between which threads
// meet. So they spin while they wait (SpinPolicy.h) and sleep only where that
// takes long, or where other processes want their cores. Nothing else starts
// threads while a program computes: oneDNN runs on the thread that calls it
// (Matmul.h), and threads share a large matmul by pieces (PiecewiseMatmul.h).
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/device/cpu/SpinPolicy.h"
#include "runtime/support/Status.h"
#include "runtime/support/ThreadTeam.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace boostrt {

/// The iterations [begin, end) of one chunk.
struct Chunk {
  int64_t begin = 0;
  int64_t end = 0;
};

/// How many chunks [0, extent) is split into: as many as there are threads, but
/// none with fewer than `grain` iterations (unless there is only one chunk). 0
/// for an empty loop. A function of its arguments alone, so that the same
/// program on as many threads computes the same bits.
int64_t chunkCount(int64_t extent, int64_t grain, uint32_t threads);

/// Chunk `index` of `count`: contiguous, ascending, sizes differ by at most 1.
Chunk chunkAt(int64_t extent, int64_t count, int64_t index);

/// For how many threads loops of strictly reproducible programs are split,
/// however many run the pieces. More than a server's cores would be too many
/// for small loops, fewer would idle some.
inline constexpr uint32_t kStrictShares = 16;

/// For how many threads the loops and library calls of a program are split that
/// runs on `threads`.
constexpr uint32_t countShares(uint32_t threads, bool isStrict) {
  return isStrict ? kStrictShares : threads;
}

/// Used by one thread at a time, which computes with the others.
class ThreadPool final : public ThreadTeam {
public:
  /// Starts `threads` - 1 threads. Fails with ExitCode::Usage where the system
  /// gives no more.
  static Result<std::unique_ptr<ThreadPool>> create(uint32_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  uint32_t threads() const { return threads_; }
  int size() const override { return static_cast<int>(threads_); }
  void run(void (*work)(void *context, int member), void *context) override;

  /// Runs `kernel` over [0, extent) as BoostEnv::parallel_for promises, split
  /// as for `shares` threads. A loop inside a loop runs on its thread alone.
  void parallelFor(uint32_t shares, BoostKernel kernel, void *const *operands,
                   int64_t extent, int64_t grain);

private:
  /// What the threads of a loop share: member i of `team` runs the chunks
  /// chunkAt(chunks, team, i).
  struct Loop {
    BoostKernel kernel;
    void *const *operands;
    int64_t extent, chunks, team;
  };
  /// A thread that waits for loops.
  struct alignas(BOOSTC_ALIGNMENT) Member {
    std::atomic<uint32_t> loops = 0; ///< that it has been given
    std::atomic<bool> sleeps = false;
    std::thread thread;
  };

  explicit ThreadPool(uint32_t threads);
  void serve(int64_t index);
  void give(Member &member);
  /// `isEven`: its threads have about as much to do, each.
  void share(const Loop &loop, bool isEven);
  static void runShare(const Loop &loop, int64_t member);
  Member &member(int64_t index) { return members_[index - 1]; }

  const uint32_t threads_;
  std::unique_ptr<Member[]> members_; ///< all but the caller, who is member 0
  bool isInLoop_ = false;
  SpinPolicy spinning_;
  Loop loop_{};         ///< while a loop runs
  bool isDone_ = false; ///< members that are given something end
  alignas(BOOSTC_ALIGNMENT) std::atomic<uint32_t> running_ = 0; ///< members
  std::atomic<bool> callerSleeps_ = false;
};

} // namespace boostrt
