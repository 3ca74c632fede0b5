#include "runtime/device/cpu/ThreadPool.h"
#include "runtime/device/cpu/Matmul.h"
#include "runtime/device/cpu/OnCallingThread.h"
#include "test/runtime/data/Sanitizers.h"
#include "test/runtime/support/NoThreads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace boostrt;

namespace {

TEST(ThreadPool, SplitsIntoAsManyChunksAsThreadsButNoneBelowGrain) {
  EXPECT_EQ(chunkCount(0, 1, 4), 0);
  EXPECT_EQ(chunkCount(-5, 1, 4), 0);
  EXPECT_EQ(chunkCount(1, 1, 4), 1);
  EXPECT_EQ(chunkCount(3, 1, 4), 3);
  EXPECT_EQ(chunkCount(100, 1, 4), 4);
  EXPECT_EQ(chunkCount(100, 100, 4), 1);
  EXPECT_EQ(chunkCount(100, 101, 4), 1) << "a short loop is one chunk";
  EXPECT_EQ(chunkCount(100, 34, 4), 2);
  EXPECT_EQ(chunkCount(100, 0, 4), 4) << "no grain is a grain of 1";
  EXPECT_EQ(chunkCount(100, 1, 0), 1);
  int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(chunkCount(most, 1, 64), 64);
}

TEST(ThreadPool, ChunksAreContiguousOrderedAndNearlyEqual) {
  for (int64_t extent : {1, 2, 5, 7, 64, 97, 1000})
    for (int64_t grain : {1, 3, 16})
      for (uint32_t threads : {1u, 2u, 3u, 8u, 64u}) {
        int64_t count = chunkCount(extent, grain, threads);
        int64_t next = 0, shortest = extent, longest = 0;
        for (int64_t i = 0; i < count; ++i) {
          Chunk chunk = chunkAt(extent, count, i);
          ASSERT_EQ(chunk.begin, next);
          next = chunk.end;
          shortest = std::min(shortest, chunk.end - chunk.begin);
          longest = std::max(longest, chunk.end - chunk.begin);
        }
        ASSERT_EQ(next, extent);
        ASSERT_LE(longest - shortest, 1);
        ASSERT_TRUE(count == 1 || shortest >= grain);
      }
}

TEST(ThreadPool, SplitsTheLargestLoopWithoutOverflow) {
  int64_t most = std::numeric_limits<int64_t>::max();
  Chunk last = chunkAt(most, 64, 63);
  EXPECT_EQ(last.end, most);
  EXPECT_GT(last.begin, 0);
}

struct Visits {
  std::vector<std::atomic<int>> count;
  std::atomic<int> calls{0};
};

void visit(void *const *operands, int64_t begin, int64_t end) {
  Visits &visits = *static_cast<Visits *>(operands[0]);
  ++visits.calls;
  for (int64_t i = begin; i < end; ++i)
    ++visits.count[i];
}

std::unique_ptr<ThreadPool> makePool(uint32_t threads) {
  Result<std::unique_ptr<ThreadPool>> pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool.ok());
  return std::move(pool).value();
}

TEST(ThreadPool, RunsEveryIterationOnceWhateverTheTeam) {
  for (uint32_t threads : {1u, 2u, 5u})
    for (int64_t extent : {0, 1, 2, 4, 9, 1000})
      for (uint32_t shares : {threads, 3u, kStrictShares}) {
        auto pool = makePool(threads);
        Visits visits{std::vector<std::atomic<int>>(extent), {}};
        void *operands[] = {&visits};
        pool->parallelFor(shares, visit, operands, extent, 1);
        for (auto &count : visits.count)
          ASSERT_EQ(count, 1);
        ASSERT_EQ(visits.calls, chunkCount(extent, 1, shares));
      }
}

TEST(ThreadPool, LoopsInsideLoopsRunEveryIteration) {
  auto pool = makePool(2);
  Visits visits{std::vector<std::atomic<int>>(100), {}};
  void *operands[] = {&visits, pool.get()};
  pool->parallelFor(
      2,
      [](void *const *inner, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          static_cast<ThreadPool *>(inner[1])->parallelFor(2, visit, inner, 100,
                                                           1);
      },
      operands, 6, 1);
  for (auto &count : visits.count)
    ASSERT_EQ(count, 6);
}

/// Loops one after the other, each of which sees what the one before wrote,
/// with a pause of so many microseconds now and then.
void countInTurns(ThreadPool &pool, int loops, int pause) {
  std::vector<int64_t> values(64);
  void *operands[] = {values.data()};
  for (int i = 0; i < loops; ++i) {
    pool.parallelFor(
        pool.threads(),
        [](void *const *operands, int64_t begin, int64_t end) {
          auto *values = static_cast<int64_t *>(operands[0]);
          for (int64_t k = begin; k < end; ++k)
            values[k] += k;
        },
        operands, 64, 1);
    // Others may have a different part of it next time.
    pool.parallelFor(
        1,
        [](void *const *operands, int64_t begin, int64_t end) {
          auto *values = static_cast<int64_t *>(operands[0]);
          for (int64_t k = begin; k < end; ++k)
            ++values[k];
        },
        operands, 64, 1);
    if (pause && i % 8 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
  }
  for (int64_t k = 0; k < 64; ++k)
    ASSERT_EQ(values[k], loops * (k + 1));
}

TEST(ThreadPool, ThreadsMeetWhetherTheySpinOrSleep) {
  for (uint32_t threads : {2u, 3u, 7u}) { // more than there are cores
    auto pool = makePool(threads);
    countInTurns(*pool, 2000, 0);
    countInTurns(*pool, 200, 5000);
  }
}

TEST(ThreadPool, TwoPoolsWorkSideBySide) {
  auto count = [] { countInTurns(*makePool(2), 1000, 100); };
  std::thread other(count);
  count();
  other.join();
}

TEST(ThreadPool, APoolThatNeverWorkedEnds) { makePool(4); }

TEST(ThreadPool, ThreadsThatCannotBeStarted) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "a sanitizer takes address space of its own";
  NoThreads none;
  auto pool = ThreadPool::create(3);
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.status().code(), ExitCode::Memory);
  EXPECT_TRUE(pool.status().message().starts_with(
      "cannot start 3 threads: out of memory for a stack"))
      << pool.status().message();
  EXPECT_TRUE(ThreadPool::create(1).ok()) << "which is the caller";
}

size_t threadsOfThisProcess() {
  std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(ThreadPool, TheLibraryStartsNoThreads) {
  omp_set_num_threads(7);
  size_t before = threadsOfThisProcess();
  auto library = DnnlContext::create();
  ASSERT_TRUE(library.ok());
  const BoostMatmul call{64, 320, 480, {480, 1}, {320, 1}, 0, 0};
  auto matmul = Matmul::create(**library, call);
  ASSERT_TRUE(matmul.ok());
  EXPECT_EQ(*Matmul::queryScratchBytes(**library, call),
            (*matmul)->scratchBytes());
  std::vector<float> a(64 * 480), b(480 * 320), c(64 * 320);
  std::vector<std::byte> scratch((*matmul)->scratchBytes() + 64);
  void *operands[] = {a.data(), b.data(), nullptr, c.data(), scratch.data()};
  EXPECT_EQ((*matmul)->execute(operands), BOOSTC_CALL_OK);
  EXPECT_EQ(omp_get_max_threads(), 7) << "what the caller had";
  EXPECT_EQ(threadsOfThisProcess(), before);
}

TEST(ThreadPool, OneOpenMpLibraryIsMapped) {
  ASSERT_TRUE(DnnlContext::create().ok());
  std::set<std::string> libraries;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::string name = line.substr(line.find_last_of('/') + 1);
    for (const char *openmp : {"libgomp", "libomp", "libiomp"})
      if (name.starts_with(openmp))
        libraries.insert(line.substr(line.find('/')));
  }
  ASSERT_EQ(libraries.size(), 1u);
  EXPECT_NE(libraries.begin()->find("libgomp.so.1"), std::string::npos);
  EXPECT_EQ(libraries.begin()->find("llvm"), std::string::npos)
      << "LLVM installs libomp under the name of libgomp";
}

// Each member once, whatever the calls before were.
TEST(ThreadPool, ATeamCallsEachMemberOnce) {
  for (uint32_t threads : {1, 3, 2}) {
    auto pool = makePool(threads);
    ThreadTeam &team = *pool;
    EXPECT_EQ(team.size(), static_cast<int>(threads));
    std::vector<std::atomic<int>> times(threads);
    for (int run = 1; run <= 3; ++run) {
      team.run(
          [](void *context, int member) {
            ++(*static_cast<std::vector<std::atomic<int>> *>(
                context))[static_cast<size_t>(member)];
          },
          &times);
      for (const std::atomic<int> &count : times)
        EXPECT_EQ(count, run);
    }
  }
}

} // namespace
