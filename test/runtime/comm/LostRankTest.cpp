// Processes that die or stop: the others say which, where and why, in time.
#include "runtime/comm/Collectives.h"
#include "test/runtime/comm/Processes.h"
#include "test/runtime/comm/WrappedTransport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <unistd.h>

using namespace boostrt;
using namespace boostrt::test;

using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Sends itself a signal before call number `calls` of exchange().
class Mortal : public WrappedTransport {
public:
  Mortal(Transport &base, int calls, int signal)
      : WrappedTransport(base), calls_(calls), signal_(signal) {}
  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override {
    if (calls_-- == 0) {
      markTime();
      raise(signal_);
    }
    return WrappedTransport::exchangeEach(sends, receives, received);
  }

private:
  int calls_, signal_;
};

/// All-reduces in step 7 until one fails.
Status train(Transport &transport, uint32_t culprit, int calls, int signal,
             AllReduceAlgorithm algorithm) {
  Group all(transport);
  Status together = barrier(all);
  transport.setActivity({7, "bucket 2 (fc1.weight)", "model.json:14:5"});
  // The control plane hears of it within 20 ms.
  std::this_thread::sleep_for(milliseconds(150));
  bool isCulprit = transport.rank() == culprit;
  Mortal mortal(transport, isCulprit ? calls : -1, signal);
  Group group(mortal);
  Workspace workspace;
  std::vector<float> values(200000, 1);
  while (together.ok())
    together = allReduceSum(group, std::span(values), workspace, algorithm);
  return together;
}

void expectLost(const std::vector<ProcessReport> &reports, uint32_t culprit,
                const std::string &how, seconds limit) {
  EXPECT_FALSE(reports[culprit].hasReported);
  std::string rank = "rank " + std::to_string(culprit) + " ";
  for (uint32_t i = 0; i < reports.size(); ++i) {
    if (i == culprit)
      continue;
    EXPECT_TRUE(reports[i].hasReported) << "rank " << i;
    EXPECT_EQ(reports[i].code, ExitCode::RankLost);
    EXPECT_THAT(reports[i].message, StartsWith(rank));
    EXPECT_THAT(reports[i].message,
                HasSubstr("in step 7, bucket 2 (fc1.weight) "
                          "(model.json:14:5)"));
    EXPECT_THAT(reports[i].message, HasSubstr(how));
    EXPECT_LT(reports[i].returnedAt - reports[culprit].markedAt, limit);
  }
}

TEST(LostRank, KilledBeforeEveryCallOfAnAllReduce) {
  GlooOptions options;
  options.size = 4;
  struct Point {
    AllReduceAlgorithm algorithm;
    int calls; // to exchange(), before which the rank dies
  };
  std::vector<Point> points = {{AllReduceAlgorithm::Direct, 0},
                               {AllReduceAlgorithm::Direct, 1}};
  for (int calls = 0; calls < 5; ++calls) // the last is in the next all-reduce
    points.push_back({AllReduceAlgorithm::Halving, calls});
  for (Point point : points)
    for (uint32_t culprit : {0, 1, 3}) {
      SCOPED_TRACE(::testing::Message()
                   << culprit << " before " << point.calls);
      auto reports = runProcesses(options, [&](Transport &transport) {
        return train(transport, culprit, point.calls, SIGKILL, point.algorithm);
      });
      expectLost(reports, culprit, "closed without a goodbye", seconds(2));
    }
}

TEST(LostRank, StoppedIsNamedAfterTheDeadline) {
  GlooOptions options;
  options.size = 3;
  options.silenceDeadline = milliseconds(800);
  options.heartbeat = milliseconds(100);
  for (uint32_t culprit : {0, 2}) {
    auto reports = runProcesses(
        options,
        [&](Transport &transport) {
          return train(transport, culprit, 3, SIGSTOP,
                       AllReduceAlgorithm::Auto);
        },
        int(culprit));
    expectLost(reports, culprit, "silent for 0.", seconds(3));
  }
}

TEST(LostRank, AProcessThatExitsEarlyIsLost) {
  GlooOptions options;
  options.size = 2;
  auto reports = runProcesses(options, [&](Transport &transport) {
    if (transport.rank() == 1) {
      transport.setActivity({7, "bucket 2 (fc1.weight)", "model.json:14:5"});
      std::this_thread::sleep_for(milliseconds(150));
      markTime();
      _exit(1);
    }
    Group group(transport);
    return barrier(group);
  });
  expectLost(reports, 1, "exited early; see its own output", seconds(2));
}

// A rank computes, saves or evaluates for long: it is not lost.
TEST(LostRank, SlowIsNotLost) {
  GlooOptions options;
  options.size = 2;
  options.silenceDeadline = milliseconds(600);
  options.heartbeat = milliseconds(100);
  auto reports = runProcesses(options, [&](Transport &transport) {
    if (transport.rank() == 1)
      std::this_thread::sleep_for(milliseconds(1500));
    Group group(transport);
    return barrier(group);
  });
  for (const ProcessReport &report : reports)
    EXPECT_TRUE(report.hasReported && report.code == ExitCode::Ok)
        << report.message;
}

// The rank that serves ends first, and waits for the others' goodbye.
TEST(LostRank, LeavingAtDifferentTimesIsNoFailure) {
  GlooOptions options;
  options.size = 3;
  auto reports = runProcesses(options, [&](Transport &transport) {
    Group all(transport);
    BOOSTRT_RETURN_IF_ERROR(barrier(all));
    if (transport.rank() == 0)
      return Status();
    std::this_thread::sleep_for(milliseconds(300));
    Group others(transport, {1, 2});
    Workspace workspace;
    std::vector<float> values(100000, 1);
    BOOSTRT_RETURN_IF_ERROR(allReduceSum(others, std::span(values), workspace));
    return values[0] == 2 ? Status() : Status(ExitCode::Internal, "wrong");
  });
  for (const ProcessReport &report : reports)
    EXPECT_TRUE(report.hasReported && report.code == ExitCode::Ok)
        << report.message;
}

// The message says where, and what to look at.
TEST(LostRank, NoRankServes) {
  GlooOptions options;
  options.size = 3;
  options.connectDeadline = milliseconds(1000);
  options.rank = 1;
  uint16_t port = freePort();
  options.masterPort = port;
  auto alone = connectGloo(options);
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.status().code(), ExitCode::RankLost);
  EXPECT_THAT(alone.status().message(),
              StartsWith("no process answers at 127.0.0.1:" +
                         std::to_string(port) + " after "));
  EXPECT_THAT(alone.status().message(), HasSubstr("firewall"));
}

} // namespace
