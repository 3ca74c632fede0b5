// Ranks that reach a limit of their machine: the cause is that limit, and not
// that another rank was lost.
#include "runtime/comm/Collectives.h"
#include "runtime/comm/gloo/GlooTransport.h"
#include "runtime/comm/local/RankThreads.h"
#include "runtime/support/CaughtException.h"
#include "test/runtime/comm/Processes.h"
#include "test/runtime/support/ThreadAllocations.h"

#include <gtest/gtest.h>

#include <set>
#include <sys/resource.h>
#include <thread>

using namespace boostrt;
using namespace boostrt::test;

namespace {

struct Ends {
  Status limited, other;
};

/// Connects two ranks. `limit` is called in rank 1, when it has joined the job
/// and has no connection to rank 0 yet.
Ends connectTwo(const std::function<void()> &limit) {
  GlooOptions options;
  options.size = 2;
  options.masterPort = freePort();
  options.token = "secret";
  options.connectDeadline = std::chrono::seconds(10);
  Ends ends;
  std::thread master([&, own = options]() mutable {
    own.isMaster = true;
    ends.other = connectGloo(own).status();
  });
  options.rank = 1;
  options.notice = {std::chrono::seconds(0), [&](const std::string &text) {
                      if (text.starts_with("waiting for other ranks"))
                        limit();
                    }};
  try {
    ends.limited = connectGloo(options).status();
  } catch (...) {
    ends.limited = caughtException();
  }
  failThreadAllocation(0);
  master.join();
  return ends;
}

TEST(Limits, WantOfMemoryIsNoLostRank) {
  std::set<std::string> causes;
  for (int64_t number = 1; number <= 150; ++number) {
    Ends ends = connectTwo([&] { failThreadAllocation(number); });
    if (ends.limited.ok())
      continue;
    EXPECT_EQ(ends.limited.code(), ExitCode::Memory)
        << number << ": " << ends.limited.message();
    EXPECT_EQ(ends.other.code(), ExitCode::RankLost);
    causes.insert(ends.other.message());
  }
  EXPECT_EQ(causes,
            std::set<std::string>{
                "rank 1 gave up before the first step: out of memory: the "
                "system gives this process no more; use a smaller batch_size, "
                "fewer ranks on this machine, or a machine or a limit (ulimit "
                "-v) with more memory"});
}

TEST(Limits, ThreadsOfRanksThatCannotStartAreTold) {
  int failed = 0;
  for (int64_t number = 1; number <= 60; ++number) {
    LocalJob job(4, std::chrono::seconds(20));
    failThreadAllocation(number);
    Status status = catching([&] {
      return runRankThreads(job, 4, [](std::unique_ptr<Transport> transport) {
        Group all(*transport);
        return barrier(all);
      });
    });
    failThreadAllocation(0);
    failed += !status.ok();
    EXPECT_TRUE(status.ok() || status.code() == ExitCode::Memory)
        << number << ": " << status.message();
  }
  EXPECT_GT(failed, 10);
}

TEST(Limits, WhatARankThrowsIsItsFailure) {
  LocalJob job(2);
  Status status =
      runRankThreads(job, 2, [](std::unique_ptr<Transport> transport) {
        if (transport->rank() == 1)
          throw std::bad_alloc();
        Group all(*transport);
        return barrier(all);
      });
  EXPECT_EQ(status.code(), ExitCode::Memory) << status.message();
}

TEST(Limits, TheLimitOnOpenFilesIsNoLostRank) {
  control::ServerOptions serving;
  serving.size = 2;
  serving.token = "secret";
  auto server = control::ControlServer::start(serving);
  ASSERT_TRUE(server.ok());
  GlooOptions options;
  options.rank = 1;
  options.size = 2;
  options.masterPort = (*server)->port();
  options.token = serving.token;
  control::ClientOptions first;
  first.port = options.masterPort;
  first.token = serving.token;
  first.size = 2;
  std::unique_ptr<control::ControlClient> other;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  // Rank 1 has joined the job, and rank 0 comes now.
  options.notice = {std::chrono::seconds(0), [&](const std::string &) {
                      other = std::move(
                          control::ControlClient::connect(first).value());
                      rlimit low = before;
                      low.rlim_cur = 3;
                      EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
                    }};
  Status status = connectGloo(options).status();
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_EQ(status.message(),
            "this process may open 3 files and connections (ulimit -n), too "
            "few for so many ranks: raise that limit or start fewer");
}

} // namespace
