// What the transport over NCCL does when NCCL does not do what it should; what
// it does otherwise is held by the suite for all transports.
#include "test/runtime/device/cuda/nccl/FakeGpu.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/control/ControlPlane.h"
#include "test/runtime/comm/Ranks.h"

#include <gmock/gmock.h>

#include <mutex>
#include <set>
#include <thread>

using namespace boostrt;
using namespace boostrt::test;
using fake_nccl::Behavior;
using fake_nccl::Connection;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

namespace {

using Clock = std::chrono::steady_clock;

class Nccl : public testing::Test {
protected:
  Nccl() {
    options.verdictTime = milliseconds(100);
    options.abortDeadline = milliseconds(300);
    options.onStuck = [this](const Status &status) {
      ++stuck;
      EXPECT_EQ(status.code(), ExitCode::RankLost);
    };
  }
  ~Nccl() override {
    fake_nccl::control().release();
    while (fake_nccl::control().communicators() > 0 &&
           Clock::now() - begin < std::chrono::seconds(30))
      std::this_thread::sleep_for(milliseconds(5));
    EXPECT_EQ(fake_nccl::control().communicators(), 0);
    fake_nccl::control().behave({});
  }

  using RankFunction = std::function<Status(Connection &)>;
  std::vector<Status> run(uint32_t size, const Behavior &behavior,
                          const RankFunction &rank) {
    fake_nccl::control().behave(behavior);
    const TransportKind &gloo = transportKinds()[1];
    std::unique_ptr<TestJob> job = gloo.start(size, std::chrono::seconds(60));
    std::vector<Status> statuses(size);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < size; ++i)
      threads.emplace_back([&, i] {
        Result<std::unique_ptr<Transport>> host = job->connect(i);
        ASSERT_TRUE(host.ok());
        auto connection = fake_nccl::connect(std::move(host).value(), options);
        statuses[i] =
            connection.ok() ? rank(**connection) : connection.status();
      });
    for (std::thread &thread : threads)
      thread.join();
    return statuses;
  }
  void expectAll(const std::vector<Status> &statuses,
                 const std::string &message) {
    for (const Status &status : statuses) {
      EXPECT_EQ(status.code(), ExitCode::RankLost);
      EXPECT_EQ(status.message(), message);
    }
  }

  /// Two exchanges with all ranks.
  static Status talk(Connection &connection) {
    connection.setActivity({4, "bucket 1", "model.json:3:5"});
    Group group(connection);
    BOOSTRT_RETURN_IF_ERROR(barrier(group));
    return barrier(group);
  }

  NcclOptions options;
  std::atomic<int> stuck = 0;
  const Clock::time_point begin = Clock::now();
};

TEST_F(Nccl, IsPolledForAsLongAsItTakes) {
  for (int polls : {0, 1, 300})
    for (const Status &status : run(3, {.pollsPerCall = polls}, talk))
      EXPECT_TRUE(status.ok()) << polls << ": " << status.message();
  EXPECT_EQ(stuck, 0);
}

// The barrier of connect() is group 0 of two ranks, talk() makes 1 and 2.
TEST_F(Nccl, AnErrorThatComesLaterIsTheJobsFailure) {
  expectAll(
      run(2, {.failingRank = 1, .failingGroup = 2}, talk),
      "rank 1 gave up in step 4, bucket 1 (model.json:3:5): communication "
      "failed: remote process exited (Call to connect returned Connection "
      "refused)");
  EXPECT_EQ(stuck, 0);
}

TEST_F(Nccl, AnErrorOfTheCallItselfToo) {
  expectAll(
      run(2, {.failingRank = 0, .failingGroup = 1, .failsAtOnce = true}, talk),
      "rank 0 gave up in step 4, bucket 1 (model.json:3:5): ncclGroupEnd "
      "failed: unhandled system error (Call to connect returned Connection "
      "refused)");
}

TEST_F(Nccl, AnErrorWhileRanksConnect) {
  expectAll(run(2, {.failingRank = 1}, talk),
            "rank 1 gave up before the first step: communication failed: "
            "remote process exited (Call to connect returned Connection "
            "refused)");
}

// The control plane knows who is to blame before NCCL's error says what.
TEST_F(Nccl, TheControlPlanesVerdictComesFirst) {
  options.verdictTime = std::chrono::seconds(30);
  auto statuses =
      run(3, {.failingRank = 1, .failingGroup = 3}, [](Connection &connection) {
        if (connection.rank() == 2) {
          std::this_thread::sleep_for(milliseconds(200));
          connection.abort("killed");
        }
        return talk(connection);
      });
  expectAll(statuses, "rank 2 gave up before the first step: killed");
}

TEST_F(Nccl, AGpuThatFailsIsTheJobsFailure) {
  auto statuses = run(2, {}, [](Connection &connection) {
    Group group(connection);
    BOOSTRT_RETURN_IF_ERROR(barrier(group));
    if (connection.rank() == 1)
      connection.gpu().stream().isBroken = true;
    return barrier(group);
  });
  // Rank 0 had all that it needed, or was told.
  EXPECT_EQ(statuses[1].message(),
            "rank 1 gave up before the first step: cuStreamQuery failed: "
            "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(Nccl, RanksThatDoNotFindEachOther) {
  options.connectDeadline = milliseconds(300);
  for (const Status &status : run(2, {.initHangs = true}, talk)) {
    EXPECT_EQ(status.code(), ExitCode::RankLost);
    EXPECT_THAT(
        status.message(),
        AllOf(HasSubstr("gave up before the first step: NCCL has not connected "
                        "the GPUs within 0.3 s; run with NCCL_DEBUG=INFO to "
                        "see what it waits for, or with --comm=gloo to do "
                        "without it")));
  }
  EXPECT_EQ(stuck, 0);
}

// One after the other in one job; each has an id of its own.
TEST_F(Nccl, ConnectsAnew) {
  auto statuses = run(2, {}, [&](Connection &connection) {
    BOOSTRT_RETURN_IF_ERROR(talk(connection));
    for (int i = 0; i < 2; ++i) {
      fake_nccl::Gpu gpu;
      auto again = connectNccl(connection, fake_nccl::api(), gpu, options);
      if (!again.ok())
        return again.status();
      Group group(**again);
      BOOSTRT_RETURN_IF_ERROR(barrier(group));
    }
    return talk(connection);
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Nccl, AnIdOfAnotherLength) {
  fake_nccl::control().behave({});
  std::unique_ptr<TestJob> job =
      transportKinds()[1].start(2, std::chrono::seconds(60));
  std::thread first([&] {
    auto host = job->connect(0);
    ASSERT_TRUE(host.ok());
    // The other may have given up by it before this returns.
    (void)(*host)->controlPlane()->client().set("nccl/1/id", "short");
    EXPECT_TRUE((*host)->controlPlane()->client().awaitFailure(
        std::chrono::seconds(30)));
  });
  auto host = job->connect(1);
  ASSERT_TRUE(host.ok());
  auto connection = fake_nccl::connect(std::move(host).value(), options);
  first.join();
  ASSERT_FALSE(connection.ok());
  EXPECT_EQ(connection.status().message(),
            "rank 1 gave up before the first step: rank 0 gave an id of 5 "
            "bytes for NCCL, and this rank's has 128; install the same version "
            "of boost-run on all machines");
}

/// Rank 1 gives up while rank 0 waits for it.
Status giveUp(Connection &connection) {
  if (connection.rank() == 1) {
    connection.abort("stopped");
    return Status(ExitCode::RankLost, "stopped");
  }
  Group group(connection);
  return barrier(group);
}

// Within the second deadline the run goes on to its end.
TEST_F(Nccl, AnAbortThatHangsHoldsNoRankUp) {
  Clock::time_point started = Clock::now();
  std::vector<Status> statuses = run(2, {.abortHangs = true}, giveUp);
  EXPECT_EQ(statuses[0].message(),
            "rank 1 gave up before the first step: stopped");
  EXPECT_EQ(stuck, 2);
  EXPECT_GE(Clock::now() - started, options.abortDeadline);
  EXPECT_LT(Clock::now() - started, std::chrono::seconds(10));
}

TEST_F(Nccl, AStreamThatStaysBusyIsAGpuThatHangs) {
  std::atomic<const fake_nccl::Stream *> waiting = nullptr;
  auto statuses = run(2, {.streamsHang = true}, [&](Connection &connection) {
    // Rank 1 gives up when the other's messages are on the stream.
    if (connection.rank() == 0)
      waiting = &connection.gpu().stream();
    else
      while (!waiting || waiting.load()->pending == 0)
        std::this_thread::yield();
    return giveUp(connection);
  });
  EXPECT_EQ(statuses[0].message(),
            "rank 1 gave up before the first step: stopped");
  // Rank 1 had asked for nothing.
  EXPECT_EQ(stuck, 1);
}

TEST_F(Nccl, AnEndThatHangsIsAnAbort) {
  for (const Status &status : run(2, {.finalizeHangs = true}, talk))
    EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(stuck, 0);
}

TEST_F(Nccl, AnEndAndAnAbortThatHang) {
  std::mutex mutex;
  std::set<std::string> said;
  options.onStuck = [&](const Status &status) {
    std::lock_guard lock(mutex);
    said.insert(status.message());
  };
  run(2, {.abortHangs = true, .finalizeHangs = true}, talk);
  EXPECT_THAT(said, testing::ElementsAre("the communicator of this rank's GPU "
                                         "does not end"));
}

TEST_F(Nccl, AStuckProcessEndsAsOneOfALostJob) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  options.onStuck = nullptr;
  EXPECT_EXIT(run(2, {.abortHangs = true}, giveUp), testing::ExitedWithCode(5),
              "boost-run: error: rank 1 gave up before the first step: "
              "stopped; NCCL does not give the GPU back within 0.3 s, so this "
              "process ends without leaving it in order");
}

TEST_F(Nccl, WhatARankSendsItselfMustFit) {
  auto statuses = run(2, {}, [](Connection &connection) {
    std::byte out[3] = {}, in[2] = {};
    Outgoing send{connection.rank(), out};
    Incoming receive{connection.rank(), in};
    if (connection.rank() == 0)
      return connection.exchange({&send, 1}, {&receive, 1});
    Group group(connection);
    return barrier(group);
  });
  expectAll(statuses, "rank 0 gave up before the first step: it expected 2 "
                      "bytes of itself and sent 3");
}

} // namespace
