#include "runtime/device/cpu/ThreadPool.h"

#include "runtime/support/CaughtException.h"

#include <algorithm>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace boostrt {

using namespace std::chrono_literals;

int64_t chunkCount(int64_t extent, int64_t grain, uint32_t threads) {
  if (extent <= 0)
    return 0;
  int64_t fitting = extent / std::max<int64_t>(grain, 1);
  return std::clamp<int64_t>(fitting, 1, std::max<uint32_t>(threads, 1));
}

Chunk chunkAt(int64_t extent, int64_t count, int64_t index) {
  // Not extent * index / count: that product can overflow.
  int64_t base = extent / count;
  int64_t longer = extent % count;
  int64_t begin = index * base + std::min(index, longer);
  return {begin, begin + base + (index < longer ? 1 : 0)};
}

// Not atomic's wait(), which calls sched_yield() before it sleeps: where others
// want the core, that takes a slice of their time.

/// Sleeps while `word` is `value`; returns now and then for no reason.
static void sleepWhile(std::atomic<uint32_t> &word, uint32_t value) {
  static_assert(sizeof word == sizeof value);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
static void wake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

ThreadPool::ThreadPool(uint32_t threads)
    : threads_(std::max<uint32_t>(threads, 1)),
      members_(std::make_unique<Member[]>(threads_ - 1)) {}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(uint32_t threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads));
  for (int64_t i = 1; i < pool->size(); ++i)
    try {
      pool->member(i).thread =
          std::thread([pool = pool.get(), i] { pool->serve(i); });
    } catch (const std::system_error &error) {
      return cannotStart(fmt::format("{} threads", threads),
                         error.code().value());
    }
  return pool;
}

ThreadPool::~ThreadPool() {
  isDone_ = true;
  for (int64_t i = 1; i < size(); ++i)
    if (std::thread &thread = member(i).thread; thread.joinable()) {
      give(member(i));
      thread.join();
    }
}

/// Publishes what the caller wrote to the pool.
void ThreadPool::give(Member &member) {
  // Either this sees that it sleeps, or it sees the loop before it does.
  member.loops.fetch_add(1, std::memory_order_seq_cst);
  if (member.sleeps.load(std::memory_order_seq_cst))
    wake(member.loops);
}

/// How long a thread waits for a loop without sleep: longer than what a step
/// computes on one thread, short enough not to heat a machine whose trainer
/// waits for data, and to leave the core to that trainer if it has no other.
static constexpr std::chrono::nanoseconds kPatience = 500us;

/// How much longer than it computed itself a caller waits for the others. They
/// have as much to do, so those who take longer may have no core but this.
static constexpr std::chrono::nanoseconds kPatienceForOthers = 100us;

void ThreadPool::serve(int64_t index) {
  Member &self = member(index);
  for (uint32_t done = 0;; ++done) {
    auto isGiven = [&] {
      return self.loops.load(std::memory_order_acquire) != done;
    };
    if (!spinning_.spinUntil(isGiven, kPatience)) {
      self.sleeps.store(true, std::memory_order_seq_cst);
      while (self.loops.load(std::memory_order_seq_cst) == done)
        sleepWhile(self.loops, done);
      self.sleeps.store(false, std::memory_order_relaxed);
    }
    if (isDone_)
      return;
    runShare(loop_, index);
    if (running_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        callerSleeps_.load(std::memory_order_seq_cst))
      wake(running_);
  }
}

void ThreadPool::runShare(const Loop &loop, int64_t member) {
  Chunk own = chunkAt(loop.chunks, loop.team, member);
  for (int64_t index = own.begin; index < own.end; ++index) {
    Chunk chunk = chunkAt(loop.extent, loop.chunks, index);
    loop.kernel(loop.operands, chunk.begin, chunk.end);
  }
}

void ThreadPool::share(const Loop &loop, bool isEven) {
  isInLoop_ = true;
  loop_ = loop;
  Clock::time_point begin = Clock::now();
  running_.store(static_cast<uint32_t>(loop.team - 1),
                 std::memory_order_relaxed);
  for (int64_t i = 1; i < loop.team; ++i)
    give(member(i));
  runShare(loop_, 0);
  Clock::time_point computed = Clock::now();
  auto isDone = [&] { return running_.load(std::memory_order_acquire) == 0; };
  if (!spinning_.spinUntil(isDone, kPatienceForOthers + (computed - begin))) {
    callerSleeps_.store(true, std::memory_order_seq_cst);
    while (uint32_t left = running_.load(std::memory_order_seq_cst))
      sleepWhile(running_, left);
    callerSleeps_.store(false, std::memory_order_relaxed);
  }
  if (isEven)
    spinning_.report(begin, computed, Clock::now());
  isInLoop_ = false;
}

void ThreadPool::parallelFor(uint32_t shares, BoostKernel kernel,
                             void *const *operands, int64_t extent,
                             int64_t grain) {
  int64_t chunks = chunkCount(extent, grain, shares);
  if (chunks == 0)
    return;
  // A loop inside another one runs on the thread that reached it.
  Loop loop{kernel, operands, extent, chunks,
            isInLoop_ ? 1 : std::min<int64_t>(chunks, threads_)};
  if (loop.team == 1)
    return runShare(loop, 0);
  share(loop, /*isEven=*/true);
}

void ThreadPool::run(void (*work)(void *context, int member), void *context) {
  if (threads_ == 1)
    return work(context, 0);
  void *operands[] = {reinterpret_cast<void *>(work), context};
  auto call = [](void *const *operands, int64_t begin, int64_t) {
    auto work =
        reinterpret_cast<void (*)(void *context, int member)>(operands[0]);
    work(operands[1], static_cast<int>(begin));
  };
  share({call, operands, threads_, threads_, threads_}, /*isEven=*/false);
}

} // namespace boostrt
