// `boost-run info --ranks` and the processes in which it measures.
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

std::vector<std::string> command(const std::string &ranks) {
  return {"info", fixture("softmax"), "--json", "--ranks=" + ranks};
}

/// What is said before anything is measured.
std::string announced(int ranks) {
  return fmt::format("boost-run: measuring a step here: one rank for 0.25 s, "
                     "then {} together for 1 s; a long step is run once, and "
                     "not together where that would take more than 60 s\n",
                     ranks);
}

TEST(PredictionRun, RanksThatMeasureSayNothingElse) {
  Finished run = boostRunProcess(command("3"));
  EXPECT_EQ(run.exitCode, 0) << run.err;
  EXPECT_EQ(run.err, announced(3));
  nlohmann::json measured =
      nlohmann::json::parse(run.out)["prediction"]["measured"];
  EXPECT_EQ(measured["compute_ranks"], 3);
  EXPECT_EQ(measured["exchange_ranks"], 3);
  EXPECT_GT(measured["micro"], 0);
  EXPECT_GT(measured["per_byte_touched"], 0);
}

TEST(PredictionRun, ARankThatIsKilledIsNamedAndNoneIsLeft) {
  Finished run;
  std::vector<int> ranks;
  // They may be done before the signal comes.
  for (int attempt = 0; attempt < 20 && run.exitCode <= 0; ++attempt) {
    BoostRunProcess launcher(command("3"));
    do
      ranks = childrenOf(launcher.id());
    while (ranks.size() < 3 && usleep(500) == 0);
    kill(ranks[1], SIGKILL);
    run = launcher.wait();
  }
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::RankLost));
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(
      run.err,
      announced(3) +
          fmt::format("boost-run: error: cannot measure a step on 3 ranks: "
                      "rank 1 (pid {}) was killed by SIGKILL (from outside, "
                      "or by the system for want of memory)\n",
                      ranks[1]));
  for (int rank : ranks)
    EXPECT_EQ(kill(rank, 0), -1) << "it is still there";
}

/// Ended, though perhaps not reaped by its new parent.
bool hasEnded(int process) {
  std::string stat = readFile("/proc/" + std::to_string(process) + "/stat");
  size_t name = stat.rfind(") ");
  return name == std::string::npos || stat[name + 2] == 'Z' ||
         stat[name + 2] == 'X';
}

TEST(PredictionRun, ASignalToItEndsItsRanks) {
  BoostRunProcess launcher(command("2"));
  std::vector<int> ranks;
  do
    ranks = childrenOf(launcher.id());
  while (ranks.size() < 2 && usleep(500) == 0);
  kill(launcher.id(), SIGTERM);
  Finished run = launcher.wait();
  // It may have been done.
  EXPECT_TRUE(run.signal == SIGTERM || run.exitCode == 0) << run.err;
  // The kernel kills them when it has died, which takes a moment.
  for (int rank : ranks)
    for (int wait = 0; !hasEnded(rank) && wait < 5000; ++wait)
      usleep(1000);
  for (int rank : ranks)
    EXPECT_TRUE(hasEnded(rank));
}

TEST(PredictionRun, AStepThatIsNotAppliedIsNotMeasured) {
  Finished run =
      boostRunProcess({"info", fixture("explode"), "--json", "--ranks=2"});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Numerical));
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err,
              testing::MatchesRegex(
                  announced(2) +
                  "boost-run: error: step [0-9]+ on generated batches: the "
                  "loss or a gradient is not finite, and a step that is not "
                  "applied cannot be measured; compile with a lower "
                  "learning rate\n"));
}

TEST(PredictionRun, TheArgumentOfItsOwnProcesses) {
  std::string file = fixture("softmax");
  Finished run = boostRunProcess({"--measuring-rank", file, "1", "0.1"});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Usage));
  EXPECT_EQ(run.err, "--measuring-rank is only for processes that a prediction "
                     "starts itself; give boost-run info --ranks N\n");
  run = boostRunProcess({"--measuring-rank", "/nowhere.so", "1", "0.1"});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Input));
  EXPECT_EQ(run.err, "the program in '/nowhere.so' has changed since it was "
                     "loaded; try again\n");
  // In any other form it is a flag that there is not.
  run = boostRunProcess({"--measuring-rank", file});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Usage));
  EXPECT_THAT(run.err, HasSubstr("unknown flag '--measuring-rank'"));
}

} // namespace
