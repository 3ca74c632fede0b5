// Training on several ranks, here threads of this process: the same bits as on
// one, and what happens when one of them fails.
#include "runtime/cli/Commands.h"
#include "runtime/trainer/ReplicaCheck.h"
#include "runtime/trainer/RunOnRanks.h"
#include "test/runtime/trainer/RanksJob.h"
#include "test/runtime/trainer/Training.h"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

using namespace boostrt;
using testing::AllOf;
using testing::HasSubstr;

namespace {

TEST(Ranks, AnySplitOfAWindowHasTheSameBits) {
  Job one("window", 1), two("window2", 2), four("window1", 4);
  for (const Job *job : {&one, &two, &four})
    expectOk(job->run());
  EXPECT_FALSE(one.weights().empty());
  EXPECT_EQ(one.events("step").size(), 6u);
  for (const Job *job : {&two, &four}) {
    EXPECT_TRUE(one.weights() == job->weights());
    EXPECT_EQ(one.events("step"), job->events("step"));
    // Counts are exact; sums of parts in another order may differ in the last
    // of a double's bits.
    auto expected = one.events("eval"), found = job->events("eval");
    ASSERT_EQ(expected.size(), found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(expected[i]["top_1"], found[i]["top_1"]);
      EXPECT_NEAR(expected[i]["loss"], found[i]["loss"], 1e-14);
    }
  }
}

TEST(Ranks, MustBeStartedAlike) {
  Job job("window1", 2);
  auto expect = [&](const std::function<void(Options &)> &change,
                    const std::string &text) {
    Status status = job.run([&](const Options &options, Ranks &ranks) {
      Options own = options;
      if (ranks.rank() == 1)
        change(own);
      return trainCommand(own, ranks);
    });
    EXPECT_EQ(status.code(), ExitCode::RankLost);
    EXPECT_THAT(status.message(), HasSubstr(text));
  };
  expect([](Options &o) { o.seed = 4; },
         "--seed is '4' on rank 1 and 'not given' on rank 0; start all ranks "
         "with the same program, options and data");
  expect([](Options &o) { o.shuffle = false; },
         "--shuffle is 'off' on rank 1 and 'not given' on rank 0");
  expect([](Options &o) { o.init = "w"; },
         "--init is 'w' on rank 1 and 'not given' on rank 0");
  expect([](Options &o) { o.resume = "never"; },
         "--resume is 'never' on rank 1 and 'not given' on rank 0");
}

// The order of sums is a tree of micro-batches, also where it is not full.
TEST(Ranks, ThreeRanksHaveTheBitsOfThreeMicroBatches) {
  Job one("window3", 1), three("window1", 3);
  expectOk(one.run());
  expectOk(three.run());
  EXPECT_EQ(one.events("step").size(), 9u);
  EXPECT_EQ(one.events("step"), three.events("step"));
  EXPECT_TRUE(one.weights() == three.weights());
}

// Without Adasum it does not matter on which server a rank is.
TEST(Ranks, ServersMayDifferInSize) {
  Job one("window1", 3), two("window1", 3);
  two.servers = {0, 0, 1};
  expectOk(one.run());
  expectOk(two.run());
  EXPECT_TRUE(one.weights() == two.weights());
}

TEST(Ranks, ThoseThatAverageBeforeAdasum) {
  Job job("window1", 3);
  job.servers = {0, 0, 1};
  expectOk(job.run([](const Options &, Ranks &ranks) {
    EXPECT_EQ(ranks.innerGroup(BOOSTC_ADASUM_SCOPE_RANKS)->size(), 1u);
    for (uint32_t across :
         {BOOSTC_ADASUM_SCOPE_AUTO, BOOSTC_ADASUM_SCOPE_SERVERS}) {
      Result<Group> group = ranks.innerGroup(across);
      EXPECT_EQ(group.status().code(), ExitCode::Input);
      if (ranks.isFirst()) {
        EXPECT_EQ(group.status().message(),
                  "server 0 has 2 ranks and server 1 has 1, but Adasum across "
                  "servers gives each server's mean the same weight; start as "
                  "many ranks on each, or compile with adasum.across = ranks");
      }
    }
    return Status();
  }));
  job.servers = {0, 0, 0};
  expectOk(job.run([](const Options &, Ranks &ranks) {
    EXPECT_EQ(ranks.innerGroup(BOOSTC_ADASUM_SCOPE_AUTO)->size(), 1u);
    EXPECT_EQ(ranks.innerGroup(BOOSTC_ADASUM_SCOPE_SERVERS)->size(), 3u);
    return Status();
  }));
}

TEST(Ranks, EvaluationIsShared) {
  Job trained("window", 1);
  expectOk(trained.run());
  auto evaluated = [&](uint32_t ranks) {
    Job job("window", ranks);
    job.options.checkpoint = *trained.options.save;
    expectOk(job.run(evalCommand));
    auto events = job.events("eval");
    EXPECT_EQ(events.size(), 1u);
    return events.at(0);
  };
  auto alone = evaluated(1), shared = evaluated(4);
  EXPECT_EQ(alone["top_1"], shared["top_1"]);
  EXPECT_NEAR(alone["loss"], shared["loss"], 1e-14);
}

TEST(Ranks, AFailureOfOneIsKnownToAll) {
  Job job("window1", 3);
  std::vector<Status> statuses(3);
  Status told = job.run([&](const Options &options, Ranks &ranks) {
    Status &own = statuses[ranks.rank()];
    own = ranks.rank() == 1 ? Status(ExitCode::Data, "the disk is on fire")
                            : trainCommand(options, ranks);
    return own;
  });
  EXPECT_EQ(told.code(), ExitCode::Data);
  for (uint32_t rank : {0, 2}) {
    EXPECT_EQ(statuses[rank].code(), ExitCode::RankLost);
    EXPECT_THAT(statuses[rank].message(),
                AllOf(HasSubstr("rank 1"), HasSubstr("the disk is on fire")));
  }
}

TEST(Ranks, ASignalStopsAllAtTheSameStep) {
  Job job("window1", 2);
  job.options.epochs = 1'000'000;
  job.options.checkpointEvery.steps = 1'000'000;
  std::vector<Status> statuses(2);
  std::thread sender([&] {
    while (readFile(*job.options.metrics).empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    raise(SIGTERM);
  });
  Status status = job.run([&](const Options &options, Ranks &ranks) {
    return statuses[ranks.rank()] = trainCommand(options, ranks);
  });
  sender.join();
  EXPECT_EQ(status.code(), ExitCode::Signal);
  EXPECT_THAT(statuses[0].message(),
              AllOf(HasSubstr("stopped by SIGTERM after global step "),
                    HasSubstr("; saved as ")));
  EXPECT_THAT(statuses[1].message(), HasSubstr("rank 0 saves"));
  auto stepOf = [](const Status &status) {
    return std::stoll(
        status.message().substr(status.message().find("global step ") + 12));
  };
  EXPECT_EQ(stepOf(statuses[0]), stepOf(statuses[1]));
}

/// Trains two pieces of a run on `ranks` ranks and calls `between` on each.
Status trainInTwo(uint32_t ranks,
                  const std::function<void(Session &, Ranks &)> &between) {
  Options options;
  options.program = fixture("window1");
  options.data = kData;
  options.threads = 2;
  options.progress = ProgressKind::None;
  return runOnThreads(
      options, std::vector<uint32_t>(ranks),
      [&](const Options &own, Ranks &ranks) -> Status {
        Console console(own.progress, /*isQuiet=*/true);
        auto session = Session::open(own, console);
        if (!session.ok())
          return session.status();
        Session &run = **session;
        BOOSTRT_RETURN_IF_ERROR(run.reserve(
            run.planTraining(ranks, /*keepsCheckpoints=*/false), ranks));
        BOOSTRT_RETURN_IF_ERROR(run.trainWith(ranks, CommKind::Auto, 0));
        BOOSTRT_RETURN_IF_ERROR(run.execution().init(kTrainingSeed));
        Saving saving(own, run.execution(), nullptr, ranks, console);
        CheckpointPosition position;
        for (int64_t steps : {2, 4}) {
          Trainer trainer(run.execution(), run.arenas(), run.data(), ranks,
                          position, {{3, steps}, {}, 1}, saving, console,
                          nullptr);
          Result<StopReason> reason = trainer.run();
          if (!reason.ok())
            return reason.status();
          position = trainer.position();
          if (steps == 2)
            between(run, ranks);
        }
        return Status();
      });
}

TEST(Ranks, AFlippedBitIsFoundAndItsRankNamed) {
  expectOk(trainInTwo(3, [](Session &, Ranks &) {}));
  Status status = trainInTwo(3, [](Session &session, Ranks &ranks) {
    if (ranks.rank() == 1)
      session.arenas().base(BOOSTC_ARENA_PARAMETER)[40] ^= std::byte{1};
  });
  EXPECT_EQ(status.code(), ExitCode::RankLost);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("after global step 3 "),
                    HasSubstr("rank 1 differs from the other 2")));
}

TEST(Ranks, DifferencesAreDescribed) {
  auto describe = [](std::vector<uint64_t> hashes) {
    return describeDifference(hashes);
  };
  EXPECT_EQ(describe({7}), "");
  EXPECT_EQ(describe({7, 7, 7}), "");
  EXPECT_EQ(describe({7, 8, 7}), "rank 1 differs from the other 2");
  EXPECT_EQ(describe({7, 8, 7, 7, 9}), "ranks 1, 4 differ from the other 3");
  EXPECT_EQ(describe({7, 8}), "ranks 0 and 1 differ from each other; which are "
                              "right, numbers cannot tell");
  EXPECT_EQ(describe({8, 7, 7, 8}),
            "ranks 0,3 and 1,2 differ from each other; which are right, "
            "numbers cannot tell");
}

TEST(Ranks, EveryBitOfTheWeightsCounts) {
  auto session = initialised("window1", kData);
  ASSERT_TRUE(session);
  uint64_t before = hashOfWeights(session->execution());
  for (const BoostParameter &parameter : session->program().parameters()) {
    std::byte *data = session->execution().tensor(parameter.tensor);
    for (uint64_t at = 0; at < parameter.tensor.bytes; ++at)
      for (int bit = 0; bit < 8; ++bit) {
        data[at] ^= std::byte(1 << bit);
        ASSERT_NE(hashOfWeights(session->execution()), before);
        data[at] ^= std::byte(1 << bit);
      }
  }
  EXPECT_EQ(hashOfWeights(session->execution()), before);
}

} // namespace
