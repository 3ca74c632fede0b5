// What the model of a step says, and what pencil and paper do.
#include "test/runtime/predict/Job.h"

#include "runtime/comm/CostModel.h"
#include "runtime/comm/adasum/Adasum.h"

#include <gmock/gmock.h>

#include <ctime>

namespace boostrt {
namespace {

using test::serverOf;
using test::TestProgram;
using testing::HasSubstr;

StepPrediction predicted(const BoostProgram &program, const JobShape &job,
                         const ServerCosts &server,
                         const NetworkCosts &network = {}) {
  Result<StepPrediction> step = predictStep(program, job, server, network);
  EXPECT_TRUE(step.ok()) << step.status().message();
  return step.ok() ? *step : StepPrediction();
}

TEST(StepModel, OneRankExchangesNothing) {
  TestProgram program(/*isAdasum=*/false, /*microBatches=*/4);
  StepPrediction step = predicted(*program, {}, serverOf(8));
  EXPECT_EQ(step.micro, 4 * 5);
  EXPECT_EQ(step.combine, 3 * 3);
  EXPECT_EQ(step.update, 2);
  EXPECT_TRUE(step.collectives.empty());
  EXPECT_EQ(step.exchange(), 0);
  EXPECT_EQ(step.bytes(), 0u);
  EXPECT_EQ(step.total(), 31);
  EXPECT_EQ(step.samples, 40);
  EXPECT_EQ(step.samplesPerSecond(), 40.0 / 31);
}

TEST(StepModel, AnAllReduceIsTwoRoundsForFloatsAndTwoForIntegers) {
  TestProgram program(/*isAdasum=*/false);
  ServerCosts server = serverOf(8);
  StepPrediction step = predicted(*program, {4}, server);
  ASSERT_EQ(step.collectives.size(), 1u);
  EXPECT_EQ(step.collectives[0].members, 4u);
  EXPECT_EQ(step.exchange(), 4);
  EXPECT_EQ(step.total(), 5 + 2 + 4);
  EXPECT_EQ(step.samples, 40);
  // 1025 floats; the count of samples and the signal to stop. 3/4 of it twice.
  EXPECT_EQ(step.bytes(), 2 * (1025 * 4 + 16) * 3u / 4);
  // Three messages in each round.
  server.comm = {0, 1, 0, 0, 0};
  EXPECT_EQ(predicted(*program, {4}, server).exchange(), 4 * 3);
  server.comm = {0, 0, 1, 0, 0};
  EXPECT_EQ(predicted(*program, {4}, server).exchange(), step.bytes());
}

TEST(StepModel, MessagesAreCountedWithoutTime) {
  TestProgram program(/*isAdasum=*/false);
  for (JobShape job : {JobShape{4, 1}, JobShape{4, 2}}) {
    auto collectives = countMessages(*program, job);
    ASSERT_TRUE(collectives.ok()) << collectives.status().message();
    ASSERT_EQ(collectives->size(), 1u);
    EXPECT_EQ(collectives->front().seconds, 4 * 3) << "messages";
    EXPECT_EQ(collectives->front().bytes, 2 * (1025 * 4 + 16) * 3u / 4);
  }
  auto none = countMessages(*program, {1, 1});
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(countMessages(*program, {3, 2}).status().code(), ExitCode::Usage);
}

TEST(StepModel, RanksWaitForEachOtherOnceAStep) {
  TestProgram program(/*isAdasum=*/true);
  ServerCosts server = serverOf(8);
  double without = predicted(*program, {8}, server).exchange();
  server.wait = 7;
  StepPrediction step = predicted(*program, {8}, server);
  EXPECT_EQ(step.wait, 7);
  EXPECT_DOUBLE_EQ(step.exchange(), without + 7);
  EXPECT_EQ(step.total(), step.micro + step.update + step.exchange());
  // As long as all else, where ranks share cores that did not when measured.
  EXPECT_EQ(predicted(*program, {16}, server).wait, 14);
  EXPECT_EQ(predicted(*program, {16, 2}, server).wait, 7);
  EXPECT_EQ(predicted(*program, {}, server).exchange(), 0);
}

TEST(StepModel, RanksShareTheCoresOfTheirServer) {
  TestProgram program(/*isAdasum=*/false);
  ServerCosts server = serverOf(2);
  server.threads = 2;
  // Measured alone; 4 ranks of 2 threads want four times the cores there are.
  StepPrediction step = predicted(*program, {4}, server);
  EXPECT_EQ(step.computeStretch, 4);
  EXPECT_EQ(step.micro, 20);
  EXPECT_EQ(step.update, 8);
  EXPECT_EQ(step.exchangeStretch, 2);
  EXPECT_EQ(step.exchange(), 2 * 4);
  // What was measured with as many ranks has it already.
  server.commRanks = 4;
  EXPECT_EQ(predicted(*program, {4}, server).exchange(), 4);
  EXPECT_EQ(predicted(*program, {16}, server).exchangeStretch, 4);
  // On two servers there are two ranks on each.
  EXPECT_EQ(predicted(*program, {4, 2}, server).computeStretch, 2);
}

TEST(StepModel, TwiceTheBandwidthIsHalfTheTimeOnTheWire) {
  TestProgram program(/*isAdasum=*/false);
  ServerCosts server = serverOf(8);
  server.comm = {0, 0, 0, 0, 0};
  // Both ranks of a server send 2 of 3 messages to the other one, and share its
  // network.
  JobShape job{4, 2};
  double bytes = 2 * (1025 * 4 + 16) * 3.0 / 4 * 2 / 3 * 2;
  EXPECT_DOUBLE_EQ(predicted(*program, job, server, {0, 1000}).exchange(),
                   bytes / 1000);
  EXPECT_DOUBLE_EQ(predicted(*program, job, server, {0, 2000}).exchange(),
                   bytes / 2000);
  // Latency is the network's where it is longer, in every round.
  server.comm.latency = 1;
  EXPECT_DOUBLE_EQ(predicted(*program, job, server, {3, 1e30}).exchange(),
                   4 * 3);
  EXPECT_DOUBLE_EQ(predicted(*program, job, server, {0.1, 1e30}).exchange(), 4);
  // A network that nothing uses costs nothing.
  EXPECT_DOUBLE_EQ(predicted(*program, {4}, server, {3, 1}).exchange(), 4);
}

TEST(StepModel, AdasumOfServersAfterTheMeanOfTheirRanks) {
  TestProgram program(/*isAdasum=*/true);
  ServerCosts server = serverOf(8);
  StepPrediction step = predicted(*program, {8, 2}, server, {0, 1e30});
  ASSERT_EQ(step.collectives.size(), 3u);
  const PredictedCollective &mean = step.collectives[0],
                            &loss = step.collectives[1],
                            &adasum = step.collectives[2];
  EXPECT_EQ(mean.members, 4u);
  EXPECT_EQ(mean.seconds, 2);
  EXPECT_EQ(mean.bytes, 2 * 1024 * 4 * 3u / 4);
  EXPECT_EQ(loss.members, 8u);
  EXPECT_DOUBLE_EQ(loss.seconds, 2 * 6); // halving, for both kinds
  EXPECT_EQ(adasum.kind, BOOSTC_COLLECTIVE_ADASUM);
  EXPECT_EQ(adasum.members, 8u);
  EXPECT_EQ(adasum.how, "Adasum of 2 in equal slices, shared by 4 ranks each");
  // A server's ranks share its 1024 elements: 256 each, of which one half goes
  // to the other server and the combination of the other half comes back; then
  // these go to the three others. Products and coefficients are exchanged, as
  // vectors are cut.
  EXPECT_EQ(adasum.bytes, (2 * 128 + 3 * 256) * 4u);
  EXPECT_DOUBLE_EQ(adasum.seconds, 2 + 1 + 2);
  // On one server ranks are combined, and the mean is of one.
  step = predicted(*program, {8}, server);
  EXPECT_EQ(step.collectives[0].members, 1u);
  EXPECT_EQ(step.collectives[0].seconds, 0);
  EXPECT_EQ(step.collectives[0].bytes, 0u);
  EXPECT_EQ(step.collectives[2].members, 8u);
  EXPECT_EQ(step.collectives[2].how, "Adasum of 8 in equal slices");
}

/// What one collective of 1024 floats and an integer costs 4 ranks.
PredictedCollective exchangeOf(uint32_t kind, int32_t peer,
                               const CommCosts &costs, JobShape job = {4},
                               const NetworkCosts &network = {}) {
  TestProgram program(/*isAdasum=*/false);
  program.exchange(kind, peer);
  ServerCosts server = serverOf(8);
  server.comm = costs;
  StepPrediction step = predicted(*program, job, server, network);
  EXPECT_EQ(step.collectives.size(), 1u);
  EXPECT_EQ(step.collectives[0].kind, kind);
  return step.collectives[0];
}

// Floats, then integers, of which 4 ranks have none to divide: the time is that
// of the rank whose slice has 8 bytes, and on the average 2 are sent.
TEST(StepModel, PartsOfAVectorAreSentOnce) {
  constexpr CommCosts latency{1, 0, 0, 0, 0}, byte{0, 0, 1, 0, 0},
      message{0, 1, 0, 0, 0}, touched{0, 0, 0, 0, 1};
  constexpr double part = 1024 * 4 / 4, count = 8;
  auto scatter = [](const CommCosts &costs) {
    return exchangeOf(BOOSTC_COLLECTIVE_REDUCE_SCATTER, 0, costs);
  };
  auto gather = [](const CommCosts &costs) {
    return exchangeOf(BOOSTC_COLLECTIVE_ALL_GATHER, 0, costs);
  };
  EXPECT_EQ(scatter(latency).seconds, 2);
  EXPECT_EQ(scatter(message).seconds, 2 * 3);
  EXPECT_EQ(scatter(byte).seconds, 3 * (part + count));
  EXPECT_EQ(scatter(byte).bytes, 3 * (part + 2));
  EXPECT_EQ(scatter(touched).seconds, 5 * (part + count));
  EXPECT_EQ(scatter(byte).how, "sum of a slice each");
  EXPECT_EQ(gather(latency).seconds, 2);
  EXPECT_EQ(gather(byte).bytes, 3 * (part + 2));
  EXPECT_EQ(gather(touched).seconds, 0);
  EXPECT_EQ(gather(byte).how, "slices to all");
  // Together they are an all-reduce of the direct kind, of four such slices.
  for (const CommCosts &costs : {latency, message, byte, touched})
    EXPECT_DOUBLE_EQ(
        scatter(costs).seconds + gather(costs).seconds,
        allReduceSeconds(costs, AllReduceAlgorithm::Direct, 1024, 4) +
            allReduceSeconds(costs, AllReduceAlgorithm::Direct, 8, 4));
}

TEST(StepModel, WhatIsKeptIsNotSent) {
  PredictedCollective kept =
      exchangeOf(BOOSTC_COLLECTIVE_OWN_SLICE, 0, {1, 1, 1, 1, 1});
  EXPECT_EQ(kept.seconds, 0);
  EXPECT_EQ(kept.bytes, 0u);
  EXPECT_EQ(kept.how, "nothing is sent");
}

TEST(StepModel, WholeVectorsGoAlongATree) {
  constexpr CommCosts latency{1, 0, 0, 0, 0};
  constexpr double bytes = 1024 * 4 + 8;
  PredictedCollective tree =
      exchangeOf(BOOSTC_COLLECTIVE_BROADCAST, -1, latency);
  EXPECT_EQ(tree.seconds, 2 * 2); // two rounds for each type
  EXPECT_EQ(tree.bytes, 2 * bytes);
  EXPECT_EQ(tree.how, "from rank 3 on");
}

TEST(StepModel, ShortPartsTravelTogether) {
  using Sizes = std::vector<size_t>;
  constexpr size_t kilo = 1024;
  // Short ones, one long, short ones again.
  EXPECT_EQ(messagesPerSlice(Sizes{100, 100 * kilo, 100, 100}, 1), 3);
  EXPECT_EQ(messagesPerSlice(Sizes{100, 100, 100}, 1), 1);
  // What is long is cut at a megabyte.
  EXPECT_EQ(messagesPerSlice(Sizes{2048 * kilo + 1}, 1), 3);
  // Halves of 100 KB: the first is one piece, the second one and a short one.
  EXPECT_EQ(messagesPerSlice(Sizes{180 * kilo, 20 * kilo}, 2), 1.5);
  EXPECT_EQ(messagesPerSlice(Sizes{40}, 4), 1);
}

TEST(StepModel, OfAServersRanksOneIsAcross) {
  Placement placement;
  placement.ranksPerServer = 4;
  EXPECT_EQ(placement.outside(1), 0);
  EXPECT_EQ(placement.outside(4), 0);
  EXPECT_EQ(placement.outside(8), 4.0 / 7);
  EXPECT_EQ(placement.outside(2, 2), 0); // ranks 0 and 2
  EXPECT_EQ(placement.outside(2, 4), 1); // ranks 0 and 4
  EXPECT_EQ(placement.outside(4, 2), 2.0 / 3);
  placement.stride = 4; // a rank of each server
  EXPECT_EQ(placement.outside(2), 1);
  EXPECT_EQ(Placement().outside(4096), 0);
}

TEST(StepModel, FourThousandRanksTakeNoTime) {
  for (bool isAdasum : {false, true}) {
    TestProgram program(isAdasum);
    std::clock_t begin = std::clock(); // of the CPU: others use it, too
    for (JobShape job : {JobShape{4096, 512}, {4096, 1}, {4096, 4096}})
      EXPECT_GT(predicted(*program, job, serverOf(8)).exchange(), 0);
    EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 2);
  }
}

TEST(StepModel, MoreRanksSendNoLess) {
  TestProgram program(/*isAdasum=*/false);
  double before = 0;
  for (uint32_t ranks = 1; ranks <= 4096; ranks *= 2) {
    StepPrediction step = predicted(*program, {ranks, ranks}, serverOf(8));
    EXPECT_GE(step.total(), before);
    EXPECT_LE(step.bytes(), 2 * (1025 * 4 + 16u));
    before = step.total();
  }
}

TEST(StepModel, ServersHaveAsManyRanksEach) {
  TestProgram program(/*isAdasum=*/false);
  for (JobShape job : {JobShape{3, 2}, {2, 3}, {0, 1}, {1, 0}}) {
    Result<StepPrediction> step = predictStep(*program, job, serverOf(8), {});
    ASSERT_FALSE(step.ok());
    EXPECT_EQ(step.status().code(), ExitCode::Usage);
    EXPECT_THAT(step.status().message(),
                HasSubstr("give --servers a number that divides --ranks"));
  }
}

} // namespace
} // namespace boostrt
