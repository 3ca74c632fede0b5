// Threads that share the rows of a batch: each row once, and one failure
// whatever the threads do.

#include "runtime/data/RowWorkers.h"

#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace boostrt::data {
namespace {

struct Counting final : RowTask {
  explicit Counting(size_t rows) : times(rows) {}
  Status fill(int worker, int32_t row) override {
    ++times[static_cast<size_t>(row)];
    seen |= 1 << worker;
    if (row % 3 == 0)
      std::this_thread::yield();
    if (row == thrown)
      throw std::runtime_error("row");
    return bad[0] == row || bad[1] == row
               ? Status(ExitCode::Data, std::to_string(row))
               : Status();
  }
  std::vector<std::atomic<int>> times;
  std::atomic<int> seen = 0;
  int32_t bad[2] = {-1, -1}, thrown = -1;
};

/// A team whose members take turns, the last one first.
struct Turns final : ThreadTeam {
  explicit Turns(int members) : members(members) {}
  int size() const override { return members; }
  void run(void (*work)(void *, int), void *context) override {
    ++runs;
    for (int member = members; member-- > 0;)
      work(context, member);
  }
  int members;
  int runs = 0;
};

TEST(RowWorkers, OfATeam) {
  Turns team(3);
  RowWorkers workers(team);
  EXPECT_EQ(workers.count(), 3);
  Counting task(20);
  EXPECT_TRUE(workers.run(20, task, 4).ok());
  for (const std::atomic<int> &times : task.times)
    EXPECT_EQ(times, 1);
  EXPECT_EQ(team.runs, 1);
  EXPECT_EQ(task.seen, 1 << 2); // the first to come takes all there is
  // What one thread would take at once is not worth the others' time.
  Counting few(4);
  EXPECT_TRUE(workers.run(4, few, 4).ok());
  EXPECT_EQ(team.runs, 1);
  EXPECT_EQ(few.seen, 1 << 0);
}

TEST(RowWorkers, TheFirstBadRowOfSeveralAtOnce) {
  for (int count : {1, 2, 5})
    for (int32_t rowsAtOnce : {1, 3, 7, 100}) {
      RowWorkers workers(count);
      Counting task(60);
      task.bad[0] = 41;
      task.bad[1] = 12;
      Status status = workers.run(60, task, rowsAtOnce);
      EXPECT_EQ(status.message(), "12");
      for (size_t row = 0; row < 12; ++row)
        EXPECT_EQ(task.times[row], 1);
    }
}

class Workers : public testing::TestWithParam<int> {
protected:
  RowWorkers workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, Workers, testing::Values(1, 2, 5));

TEST_P(Workers, FillEachRowOnce) {
  EXPECT_EQ(workers.count(), GetParam());
  for (int32_t rows : {1, 2, 7, 64, 0, 1000}) {
    Counting task(static_cast<size_t>(rows));
    EXPECT_TRUE(workers.run(rows, task).ok());
    for (const auto &count : task.times)
      ASSERT_EQ(count, 1);
    EXPECT_LT(task.seen, 1 << GetParam());
  }
}

TEST_P(Workers, ReportTheFirstRowThatFails) {
  for (int repeat = 0; repeat < 200; ++repeat) {
    Counting task(40);
    task.bad[0] = 20 + repeat % 7;
    task.bad[1] = 21 + repeat % 5;
    Status status = workers.run(40, task);
    EXPECT_EQ(status.message(),
              std::to_string(std::min(task.bad[0], task.bad[1])));
    EXPECT_EQ(status.code(), ExitCode::Data);
    for (int32_t row = 0; row < 20; ++row)
      ASSERT_EQ(task.times[static_cast<size_t>(row)], 1);
    // And are good for the next batch.
    Counting next(8);
    EXPECT_TRUE(workers.run(8, next).ok());
  }
}

TEST_P(Workers, AnExceptionIsAFailure) {
  Counting task(6);
  task.thrown = 4;
  Status status = workers.run(6, task);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message(), "");
}

} // namespace
} // namespace boostrt::data
