// Runs that other ranks go on with. test/e2e/resume-ranks.test counts samples.
#include "test/runtime/trainer/RanksJob.h"

using namespace boostrt;

namespace {

TEST(ResumeOnRanks, ARunResumesOnAnotherNumberOfRanks) {
  Job whole("window", 1);
  expectOk(whole.run());
  Job first("window1", 4), second("window2", 2);
  second.options.save = first.options.save;
  second.options.metrics = first.options.metrics;
  second.options.checkpointDir = first.options.checkpointDir;
  first.options.steps = 3;
  expectOk(first.run());
  expectOk(second.run());
  EXPECT_TRUE(whole.weights() == first.weights());
  EXPECT_EQ(whole.events("step"), first.events("step"));
}

/// Trains in pieces that end at these global steps, on so many ranks of that
/// program; the last goes on to the end.
struct Piece {
  const char *program;
  uint32_t ranks;
  std::optional<int64_t> steps;
};
void trainInPieces(Job &job, const std::vector<Piece> &pieces) {
  for (const Piece &piece : pieces) {
    job.options.program = fixture(piece.program);
    job.servers.assign(piece.ranks, 0);
    job.options.steps = piece.steps;
    expectOk(job.run());
  }
}

TEST(ResumeOnRanks, WhereWindowsAreTheSameSoAreBits) {
  Job whole("window", 1), pieces("window", 1);
  expectOk(whole.run());
  // Inside an epoch, at its end, inside one again.
  trainInPieces(pieces, {{"window1", 4, 1},
                         {"window2", 2, 2},
                         {"window", 1, 3},
                         {"window1", 4, std::nullopt}});
  EXPECT_TRUE(whole.weights() == pieces.weights());
  EXPECT_EQ(whole.events("step"), pieces.events("step"));
}

// The same pieces with a stop more in each: 100 samples are 3 steps of 48, 7 of
// 16, and a mixture of both where an epoch is begun on other ranks.
TEST(ResumeOnRanks, StopsChangeNothingWhereWindowsDiffer) {
  Job few("window1", 1), many("window1", 1);
  trainInPieces(
      few,
      {{"window1", 3, 4}, {"window1", 1, 6}, {"window1", 3, std::nullopt}});
  trainInPieces(many, {{"window1", 3, 2},
                       {"window1", 3, 4},
                       {"window1", 1, 5},
                       {"window1", 1, 6},
                       {"window1", 3, 7},
                       {"window1", 3, std::nullopt}});
  EXPECT_FALSE(few.weights().empty());
  EXPECT_TRUE(few.weights() == many.weights());
  EXPECT_EQ(few.events("step"), many.events("step"));
  std::vector<std::vector<int64_t>> steps;
  for (const nlohmann::json &event : few.events("step"))
    steps.push_back({event["epoch"], event["step"], event["global_step"]});
  // 48 + 48 + 4; 48 + 16 + 16 + 20; 48 + 48 + 4.
  EXPECT_EQ(steps, (std::vector<std::vector<int64_t>>{{1, 1, 1},
                                                      {1, 2, 2},
                                                      {1, 3, 3},
                                                      {2, 1, 4},
                                                      {2, 2, 5},
                                                      {2, 3, 6},
                                                      {2, 4, 7},
                                                      {3, 1, 8},
                                                      {3, 2, 9},
                                                      {3, 3, 10}}));
}

} // namespace
