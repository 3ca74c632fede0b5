// A prediction in words.
#include "runtime/predict/PredictionReport.h"
#include "test/runtime/predict/Job.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

using test::serverOf;
using test::TestProgram;

Prediction predictionOf(const BoostProgram &program, const JobShape &job) {
  Prediction prediction;
  prediction.job = job;
  prediction.microBatches = program.micro_batches;
  prediction.batchSize = program.batch_size;
  prediction.server = serverOf(2);
  prediction.server.comm = {1e-3, 1e-4, 1e-9, 0, 0};
  prediction.server.commRanks = 2;
  prediction.server.wait = 0.5e-3;
  prediction.server.compute = {5e-3, 3e-3, 2e-3};
  prediction.step =
      *predictStep(program, job, prediction.server, prediction.network);
  prediction.alone =
      *predictStep(program, {}, prediction.server, prediction.network);
  return prediction;
}

TEST(PredictionReport, OneRank) {
  TestProgram program(/*isAdasum=*/false);
  EXPECT_EQ(toText(predictionOf(*program, {})),
            "a step on 1 rank, predicted\n"
            "  ranks           1 on 1 server, 1 thread each\n"
            "  micro               5.0000 ms\n"
            "  update              2.0000 ms\n"
            "  step                7.0000 ms, 1429 samples/s\n"
            "  not counted     loading and transforming samples, which overlaps "
            "the steps\n"
            "  measured here   a rank with 1 thread, 1 at once: micro-batch "
            "5 ms, update 2 ms\n");
}

TEST(PredictionReport, ServersThatShareTheirCores) {
  TestProgram program(/*isAdasum=*/true, /*microBatches=*/2);
  Prediction prediction = predictionOf(*program, {8, 2});
  std::string text = toText(prediction);
  for (
      const char *part :
      {"a step on 8 ranks, predicted\n",
       "  ranks           8 on 2 servers, 1 thread each\n",
       "  micro              20.0000 ms  2 x 10 ms\n",
       "  combine             6.0000 ms\n",
       "    wait              1.0000 ms  until all ranks have come\n",
       "    0 all_reduce  ", " ms  4 ranks, sum; each sends 6144 bytes\n",
       " ms  8 ranks, Adasum of 2 in equal slices, shared by 4 ranks each; "
       "each "
       "sends 4096 bytes\n",
       "  one rank           15.0000 ms, 1333 samples/s, with 1 thread and the "
       "machine to itself\n",
       " % of 8 such ranks\n",
       "  shared          2 cores by 4 ranks: computing takes 2 times as long, "
       "exchanging 2 times as long as between 2 ranks\n",
       "the part of the exchange that overlaps the backward: a step may be "
       "shorter by that\n",
       "  measured here   a rank with 1 thread, 1 at once: micro-batch 5 ms, "
       "combine 3 ms, update 2 ms\n",
       "between 2 ranks over TCP: latency 1 ms, 100 us a message, 1 ns a "
       "byte\n",
       "  assumed         between servers: latency 30 us, 10 Gbit/s each; "
       "--network says what it is\n",
       "  assumed         every server is as this one, with 2 cores\n"})
    EXPECT_THAT(text, testing::HasSubstr(part));
  prediction.networkIsAssumed = false;
  prediction.link = RankLink::Memory;
  text = toText(prediction);
  for (const char *part :
       {"between 2 ranks as threads of one process: ",
        "  given           between servers: latency 30 us, 10 Gbit/s each\n"})
    EXPECT_THAT(text, testing::HasSubstr(part));
  prediction.server.computeRanks = prediction.server.commRanks = 4;
  EXPECT_THAT(
      toText(prediction),
      testing::HasSubstr("  shared          2 cores by 4 ranks, as when "
                         "they were measured\n"));
}

TEST(PredictionReport, SaysWhatWasNotMeasured) {
  TestProgram program(/*isAdasum=*/false);
  Prediction prediction = predictionOf(*program, {16});
  prediction.notMeasured = 3600;
  EXPECT_THAT(
      toText(prediction),
      testing::HasSubstr(
          "  assumed         between ranks: latency 1 ms, 100 us a message, 1 "
          "ns a byte\n"
          "                  because measuring 8 ranks together would take "
          "3.6e+03 s, more than 60; a program with a smaller batch_size can be "
          "measured\n"));
  EXPECT_EQ(toJson(prediction)["measured"]["exchange_assumed"], true);
  prediction.notMeasured = 0;
  EXPECT_EQ(toJson(prediction)["measured"]["exchange_assumed"], false);
}

TEST(Measuring, IsAnnounced) {
  EXPECT_EQ(describeMeasuring({}),
            "measuring a step here: one rank for 0.25 s; a long step is run "
            "once");
  EXPECT_EQ(describeMeasuring({64, 8}),
            "measuring a step here: one rank for 0.25 s, then 8 together for 1 "
            "s; a long step is run once, and not together where that would "
            "take more than 60 s");
  EXPECT_EQ(measuredRanks({1, 1}), 1u);
  EXPECT_EQ(measuredRanks({4, 4}), 2u) << "a message needs two";
  EXPECT_EQ(measuredRanks({3, 1}), 3u);
  EXPECT_EQ(measuredRanks({64, 1}), 8u);
}

TEST(PredictionReport, JsonHasTheParts) {
  TestProgram program(/*isAdasum=*/true);
  Prediction prediction = predictionOf(*program, {8, 2});
  nlohmann::ordered_json json = toJson(prediction);
  EXPECT_EQ(json["ranks"], 8);
  EXPECT_EQ(json["servers"], 2);
  EXPECT_EQ(json["collectives"].size(), 3u);
  EXPECT_EQ(json["collectives"][2]["kind"], "adasum");
  EXPECT_EQ(json["step"], prediction.step.total());
  EXPECT_EQ(json["wait"], prediction.step.wait);
  EXPECT_EQ(json["measured"]["wait"], 0.5e-3);
  EXPECT_EQ(json["one_rank"], prediction.alone.total());
  EXPECT_EQ(json["bytes_sent"], prediction.step.bytes());
  EXPECT_EQ(json["network"]["assumed"], true);
  EXPECT_FALSE(toJson(predictionOf(*program, {8})).contains("network"));
}

} // namespace
} // namespace boostrt
