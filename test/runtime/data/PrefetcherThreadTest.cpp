// What the thread of a prefetcher does with its time: how far it runs
// ahead, that it ends, that it waits without working.

#include "runtime/data/Digits.h"
#include "test/runtime/data/BatchArenas.h"
#include "test/runtime/data/Sanitizers.h"
#include "test/runtime/support/NoThreads.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace boostrt {
namespace {

// With n arenas, one in use, n - 1 are filled ahead and not one more, even
// though there is time: the one in use stays as it is. They are filled
// together, for which the thread wakes once.
TEST(Prefetcher, FillsAheadButNeverTheArenaInUse) {
  GatedData data(400);
  Arenas arenas(4, 3);
  auto prefetcher = Prefetcher::create(data, half(), Sampler(400, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  data.waitForAsked(3 * 4); // before next(), all three
  ASSERT_TRUE((*prefetcher)->next().ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(data.asked, 3 * 4);
  ASSERT_TRUE((*prefetcher)->next().ok()); // gives the first one back
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(data.asked, 3 * 4) << "one is ready: the thread sleeps";
  ASSERT_TRUE((*prefetcher)->next().ok()); // the second one; none is ready
  data.waitForAsked(5 * 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(data.asked, 5 * 4);
}

TEST(Prefetcher, EndsWhileABatchIsUnderWay) {
  GatedData data(400);
  data.open = false;
  Arenas arenas(4, 2);
  auto prefetcher = Prefetcher::create(data, half(), Sampler(400, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  data.waitForAsked(1);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    data.open = true;
    data.open.notify_all();
  });
  prefetcher->reset(); // returns once the sample under way is there
  opener.join();
  EXPECT_LT(data.asked, 8);
}

TEST(Prefetcher, EndsAtAnyTime) {
  auto data = countingData(100);
  for (int round = 0; round < 200; ++round) {
    Arenas arenas(4, 2 + round % 3);
    auto prefetcher = Prefetcher::create(*data, half(), Sampler(100, 7, true),
                                         arenas.layout, arenas.bases());
    ASSERT_TRUE(prefetcher.ok());
    if (round % 4)
      (*prefetcher)->start(round);
    for (int taken = 0; taken < round % 7; ++taken)
      ASSERT_TRUE((*prefetcher)->next().ok());
    arenas.expectIntact();
  }
}

/// Threads that exist for as long as they have work.
struct Team final : ThreadTeam {
  explicit Team(int members) : members(members) {}
  int size() const override { return members; }
  void run(void (*work)(void *, int), void *context) override {
    std::vector<std::thread> threads;
    for (int member = 1; member < members; ++member)
      threads.emplace_back(work, context, member);
    work(context, 0);
    for (std::thread &thread : threads)
      thread.join();
    ++runs;
  }
  const int members;
  int runs = 0;
};

// The threads that compute make the same batches, when they are asked for.
TEST(Prefetcher, ATeamMakesTheBatches) {
  constexpr int64_t kBatch = 700;
  auto data = countingData(2 * kBatch + 1);
  Sampler sampler(data->size(), 7, true);
  for (int members : {1, 2, 5}) {
    Team team(members);
    Arenas arenas(kBatch, 1);
    auto prefetcher = Prefetcher::create(
        *data, half(), sampler, arenas.layout, arenas.bases(),
        Prefetcher::Mode::Inline, {}, {.team = &team});
    ASSERT_TRUE(prefetcher.ok());
    (*prefetcher)->start(3);
    EXPECT_EQ(team.runs, 0);
    for (int64_t first = 0; first < data->size(); first += kBatch) {
      Result<Batch> batch = (*prefetcher)->next();
      ASSERT_TRUE(batch.ok());
      EXPECT_EQ(batch->first, first);
      expectRows(arenas, *batch, sampler, 3);
    }
    EXPECT_TRUE((*prefetcher)->next()->end());
    // A batch of one row is not worth a thread.
    EXPECT_EQ(team.runs, members == 1 ? 0 : 2);
    arenas.expectIntact();
  }
}

TEST(Prefetcher, ABadLabelComesInItsPlaceFromATeam) {
  auto data = countingData(2000); // labels 0 .. 4
  Team team(3);
  Arenas arenas(1000, 1);
  arenas.layout.classes = 4;
  auto prefetcher = Prefetcher::create(
      *data, half(), Sampler(2000, 7, false), arenas.layout, arenas.bases(),
      Prefetcher::Mode::Inline, {}, {.team = &team});
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ((*prefetcher)->next().status().message(),
              "labels.bin: found label 4 at sample 4, expected 0 to 3 because "
              "the model has 4 classes; check that the data set belongs to "
              "this model");
}

TEST(Prefetcher, WaitingTakesNoTime) {
  GatedData data(400);
  data.open = false;
  Arenas arenas(4, 2);
  auto prefetcher = Prefetcher::create(data, half(), Sampler(400, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    data.open = true;
    data.open.notify_all();
  });
  std::clock_t before = std::clock(); // of all threads
  ASSERT_TRUE((*prefetcher)->next().ok());
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
  opener.join();
}

// Two readers and a prefetch thread on one lazily drawn set: each sees what
// drawDigit() gives.
TEST(Prefetcher, SharesDigitsWithOtherReaders) {
  Result<DataSource> source = openDigits({.train = 256, .test = 1, .seed = 3});
  ASSERT_TRUE(source.ok());
  const Dataset &data = *source->train;
  Arenas arenas(16, 3, kDigitBytes);
  auto prefetcher =
      Prefetcher::create(data, half({1, 28, 28}), Sampler(256, 7, false),
                         arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  std::atomic<int> wrong = 0;
  auto reader = [&] {
    uint8_t expected[kDigitBytes];
    for (int64_t i = 0; i < data.size(); ++i) {
      drawDigit(3, DigitsSplit::Train, i, data.label(i), expected);
      wrong += !std::equal(expected, expected + kDigitBytes, data.sample(i));
    }
  };
  std::thread one(reader), two(reader);
  for (int batches = 0; batches < 16; ++batches) {
    Result<Batch> batch = (*prefetcher)->next();
    ASSERT_TRUE(batch.ok());
    const uint8_t *last = data.sample(batch->first + 15);
    for (int64_t j = 0; j < kDigitBytes; ++j)
      ASSERT_EQ(arenas.features(*batch)[15 * kDigitBytes + j], last[j] * 0.5f);
  }
  one.join();
  two.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Prefetcher, AThreadThatCannotBeStarted) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "a sanitizer takes address space of its own";
  GatedData data(4);
  Arenas arenas(4, 3);
  NoThreads none;
  auto prefetcher = Prefetcher::create(data, half(), Sampler(4, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_FALSE(prefetcher.ok());
  EXPECT_EQ(prefetcher.status().code(), ExitCode::Memory);
  EXPECT_TRUE(prefetcher.status().message().starts_with(
      "cannot start a thread that loads samples: out of memory for a stack"))
      << prefetcher.status().message();
}

} // namespace
} // namespace boostrt
