// Collectives that begin while the backward runs: their order, who waits for
// what, and failures.
#include "runtime/device/OverlappedCollectives.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

using namespace boostrt;

namespace {

/// Notes who ran what, and waits at collectives that are held.
class Recorder final : public CollectiveRunner {
public:
  Status run(uint32_t index, void *const *operands) override {
    if (index == held)
      released.wait();
    std::lock_guard lock(mutex);
    order.push_back(index);
    threads.push_back(std::this_thread::get_id());
    if (operands)
      ++*static_cast<int *>(operands[0]);
    return index == failing ? Status(ExitCode::RankLost, "lost") : Status();
  }

  void release() { promise.set_value(); }

  uint32_t held = UINT32_MAX, failing = UINT32_MAX;
  std::vector<uint32_t> order;
  std::vector<std::thread::id> threads;

private:
  std::mutex mutex;
  std::promise<void> promise;
  std::shared_future<void> released = promise.get_future().share();
};

class OverlappedCollectivesTest : public testing::Test {
protected:
  void ready(uint32_t index) { early.ready(index, operands[index]); }
  Status run(uint32_t index) { return early.run(index, operands[index]); }
  /// What ran, when all that began is done.
  const std::vector<uint32_t> &orderAtEnd() {
    early.close();
    return recorder.order;
  }

  int values[3] = {};
  void *operands[3][1] = {{&values[0]}, {&values[1]}, {&values[2]}};
  Recorder recorder;
  OverlappedCollectives early{recorder, 3};
};

TEST_F(OverlappedCollectivesTest, WhatIsReadyOverlapsTheBackward) {
  recorder.held = 1;
  for (int step = 1; step <= 2; ++step) {
    early.open(0);
    ready(0);
    ready(1); // does not wait
    if (step == 1)
      recorder.release();
    for (uint32_t index : {0, 1, 2})
      EXPECT_TRUE(run(index).ok());
    early.close();
  }
  EXPECT_EQ(recorder.order, (std::vector<uint32_t>{0, 1, 2, 0, 1, 2}));
  for (int value : values)
    EXPECT_EQ(value, 2) << "once in each step";
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(recorder.threads[i] == std::this_thread::get_id(), i % 3 == 2);
}

TEST_F(OverlappedCollectivesTest, NothingBeginsUnlessTheMicroBatchIsTheStep) {
  ready(0);
  early.open(0);
  early.close();
  ready(0);
  EXPECT_TRUE(recorder.order.empty());
  EXPECT_TRUE(run(0).ok());
  EXPECT_EQ(recorder.threads.at(0), std::this_thread::get_id());
}

// Others may begin none early; what comes out of order would meet another one.
TEST_F(OverlappedCollectivesTest, TheOrderIsThatOfTheSchedule) {
  early.open(0);
  ready(1); // before 0: left to update
  ready(0);
  early.ready(3, operands[0]); // no such one
  EXPECT_TRUE(run(0).ok());
  EXPECT_TRUE(run(1).ok());
  EXPECT_EQ(orderAtEnd(), (std::vector<uint32_t>{0, 1}));
}

TEST_F(OverlappedCollectivesTest, ACollectiveOfUpdateComesAfterThoseThatBegan) {
  recorder.held = 0;
  early.open(0);
  ready(0);
  std::future<Status> later =
      std::async(std::launch::async, [&] { return run(1); });
  recorder.release();
  EXPECT_TRUE(later.get().ok());
  EXPECT_EQ(orderAtEnd(), (std::vector<uint32_t>{0, 1}));
}

TEST_F(OverlappedCollectivesTest, AFailureIsWhatUpdateGets) {
  recorder.failing = 0;
  early.open(0);
  ready(0);
  ready(1);
  EXPECT_EQ(run(0).message(), "lost");
  EXPECT_EQ(run(1).code(), ExitCode::RankLost);
  EXPECT_EQ(orderAtEnd(), std::vector<uint32_t>{0});
  EXPECT_EQ(values[1], 0);
}

TEST_F(OverlappedCollectivesTest, OtherMemoryIsADefect) {
  early.open(0);
  ready(0);
  Status status = early.run(0, operands[1]);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "collective 0 began on other memory than update "
                              "has for it; please report this");
  early.close();
}

// It is generated code that calls, which no exception may pass through.
TEST_F(OverlappedCollectivesTest, WhatHasNoMemoryToBeginIsLeftToUpdate) {
  early.open(0);
  std::span<void *const> tooMany(operands[0], size_t(1) << 60);
  EXPECT_NO_THROW(early.ready(0, tooMany));
  EXPECT_TRUE(run(0).ok());
  EXPECT_EQ(recorder.threads.at(0), std::this_thread::get_id());
}

TEST_F(OverlappedCollectivesTest, TheEndWaitsForWhatBegan) {
  recorder.held = 0;
  {
    OverlappedCollectives ending(recorder, 3);
    ending.open(0);
    ending.ready(0, operands[0]);
    ending.ready(1, operands[1]);
    recorder.release();
  }
  EXPECT_EQ(recorder.order, (std::vector<uint32_t>{0, 1}));
}

} // namespace
