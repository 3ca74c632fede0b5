// boost-run as a launcher, from outside. A job of one rank trains, and is
// started and watched as one of many.
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace boostrt;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

constexpr const char *kSmall = "--data=digits:train=100,test=50";

/// Fails the test where `isSo` is not within a minute: what was to make it so
/// may have ended.
void waitUntil(const std::function<bool()> &isSo, const std::string &what) {
  for (int attempt = 0; attempt < 30000; ++attempt) {
    if (isSo())
      return;
    usleep(2000);
  }
  ADD_FAILURE() << "not within a minute: " << what;
}

void waitForText(const std::string &path, const std::string &text) {
  waitUntil([&] { return readFile(path).find(text) != std::string::npos; },
            "'" + text + "' in " + path);
}

/// For a launcher of one rank: that rank.
int childOf(int launcher) {
  std::vector<int> children = childrenOf(launcher);
  EXPECT_FALSE(children.empty());
  return children.empty() ? -1 : children[0];
}

TEST(LaunchRun, TheOnlyRankTrainsAndWritesItsLogs) {
  TemporaryDirectory directory;
  Finished run =
      boostRunProcess({fixture("softmax"), kSmall, "--epochs=1", "--ranks=1",
                       "--log-dir=" + (directory / "a/b")});
  EXPECT_EQ(run.exitCode, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "boost-run: starting rank 0 of 1, on server 0 of 1, from "
                     "the command line (--ranks)\n");
  EXPECT_THAT(readFile(directory / "a/b/1/rank.0/stdout"),
              HasSubstr("============== Starting Testing"));
  EXPECT_THAT(readFile(directory / "a/b/1/rank.0/stderr"),
              testing::StartsWith("boost-run: softmax on cpu"));
}

TEST(LaunchRun, TheFailureOfARankIsTheLaunchers) {
  TemporaryDirectory directory;
  Finished run =
      boostRunProcess({fixture("softmax"), "--data=mnist:nowhere", "--ranks=1",
                       "--log-dir=" + (directory / "log")});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Data));
  EXPECT_THAT(run.err,
              HasSubstr("ended with exit code 3; its last words are in " +
                        (directory / "log/1/rank.0/stderr")));
  EXPECT_THAT(readFile(directory / "log/1/rank.0/stderr"),
              HasSubstr("boost-run: error: nowhere: no such directory"));
}

TEST(LaunchRun, RanksTrainTogether) {
  Finished run = boostRunProcess({fixture("softmax"), kSmall, "--ranks=3"});
  EXPECT_EQ(run.exitCode, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("result: {"));
  EXPECT_EQ(run.out.find("result: {"), run.out.rfind("result: {"))
      << "rank 0 speaks for all";
  EXPECT_THAT(run.err,
              HasSubstr("boost-run: starting ranks 0 to 2 of 3, on server 0 of "
                        "1, from the command line (--ranks)\n"));
  EXPECT_EQ(run.err.find("[rank "), std::string::npos) << run.err;
}

TEST(LaunchRun, OneOfSeveralThatIsKilledIsNamedByAll) {
  TemporaryDirectory directory;
  BoostRunProcess launcher({fixture("softmax"), kSmall, "--epochs=1000000",
                            "--ranks=3", "--log-dir=" + (directory / "log"),
                            "--eval-every=0", "--check-replicas=0"});
  std::string log = directory / "log/1/rank.0/stdout";
  // Long enough for all to have heard from each other in which step they are:
  // they tell it 20 ms after they began it.
  waitForText(log, "epoch: 100 ");
  int victim = childOf(launcher.id());
  ASSERT_GT(victim, 0);
  kill(victim, SIGKILL);
  Finished run = launcher.wait();
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::RankLost));
  std::string pid =
      " (pid " + std::to_string(victim) + ") was killed by SIGKILL";
  size_t at = run.err.find(pid);
  ASSERT_NE(at, std::string::npos) << run.err;
  std::string rank = run.err.substr(at - 1, 1);
  int told = 0;
  for (std::string other : {"0", "1", "2"}) {
    std::string text =
        readFile(directory / ("log/1/rank." + other + "/stderr"));
    if (other == rank)
      continue;
    EXPECT_THAT(text, HasSubstr("error: rank " + rank));
    EXPECT_THAT(text, HasSubstr(" was lost in step "));
    EXPECT_THAT(text, HasSubstr("; this rank was in step "));
    EXPECT_THAT(text, HasSubstr("all_reduce 0 (fc.weight, fc.bias)"));
    ++told;
  }
  EXPECT_EQ(told, 2);
}

TEST(LaunchRun, OneOfSeveralThatIsStoppedIsNamedLastAndSoon) {
  TemporaryDirectory directory;
  BoostRunProcess launcher({fixture("softmax"), kSmall, "--epochs=1000000",
                            "--ranks=3", "--log-dir=" + (directory / "log"),
                            "--eval-every=0", "--check-replicas=0",
                            "--rank-deadline=2"});
  std::string log = directory / "log/1/rank.0/stdout";
  waitForText(log, "epoch: 10 ");
  int victim = childOf(launcher.id());
  ASSERT_GT(victim, 0);
  auto begin = std::chrono::steady_clock::now();
  kill(victim, SIGSTOP);
  Finished run = launcher.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(12))
      << "the grace time is 15 s";
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::RankLost));
  std::string pid = " \\(pid " + std::to_string(victim) + "\\) ";
  EXPECT_THAT(run.err,
              MatchesRegex("(.|\n)*boost-run: rank [0-2]" + pid +
                           "is stopped and can answer nothing; sent SIGKILL\n"
                           "boost-run: error: rank [0-2]" +
                           pid +
                           "was stopped, by SIGSTOP or a terminal, and the "
                           "others lost it; its last words are in .*\n"));
}

/// Waits until `process` does not die of `signal` any more.
void waitUntilItListens(int process, int signal) {
  std::string path = "/proc/" + std::to_string(process) + "/status";
  waitUntil(
      [&] {
        std::string status = readFile(path);
        size_t at = status.find("SigCgt:");
        return at != std::string::npos &&
               std::stoul(status.substr(at + 7), nullptr, 16) >> (signal - 1) &
                   1;
      },
      path + " shows that it handles signal " + std::to_string(signal));
}

TEST(LaunchRun, ASignalWhileRanksWaitForEachOtherSaysThatNothingWasBegun) {
  BoostRunProcess launcher({fixture("softmax"), kSmall, "--ranks=1",
                            "--nnodes=2", "--node-rank=1",
                            "--master=127.0.0.1:1"});
  waitUntil([&] { return !childrenOf(launcher.id()).empty(); },
            "the launcher has a rank");
  waitUntilItListens(childOf(launcher.id()), SIGINT);
  kill(launcher.id(), SIGINT);
  Finished run = launcher.wait();
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Signal));
  EXPECT_THAT(run.err,
              testing::EndsWith(
                  "[rank 1] boost-run: error: stopped by SIGINT before the "
                  "first step; nothing was begun\n"
                  "boost-run: error: the ranks were stopped by SIGINT\n"));
}

TEST(LaunchRun, WhereRank0CannotListenNoRankIsStarted) {
  auto run = [](const std::string &master) {
    return boostRunProcess({fixture("softmax"), kSmall, "--ranks=2",
                            "--nnodes=2", "--node-rank=0",
                            "--master=" + master});
  };
  Finished finished = run("192.0.2.1:4000"); // of no machine
  EXPECT_EQ(finished.exitCode, static_cast<int>(ExitCode::Usage));
  EXPECT_THAT(finished.err,
              HasSubstr("boost-run: error: cannot listen on 192.0.2.1:4000: "
                        "Cannot assign requested address"));
  EXPECT_EQ(finished.err.find("rank 0 (pid"), std::string::npos);
  finished = run(":::");
  EXPECT_EQ(finished.exitCode, static_cast<int>(ExitCode::Usage));
  EXPECT_THAT(finished.err, HasSubstr("--master: ':::' is not HOST or "
                                      "HOST:PORT"));
}

TEST(LaunchRun, RanksWaitAsLongAsTheyAreTold) {
  Finished run = boostRunProcess(
      {fixture("softmax"), kSmall, "--ranks=1", "--nnodes=2", "--node-rank=1",
       "--master=127.0.0.1:1", "--join-deadline=0.2"});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::RankLost));
  EXPECT_THAT(run.err, HasSubstr("no process answers at 127.0.0.1:1 after 0."));
}

TEST(LaunchRun, SigtermSavesAndStops) {
  TemporaryDirectory directory;
  BoostRunProcess launcher({fixture("softmax"), kSmall, "--epochs=1000000",
                            "--ranks=1", "--log-dir=" + (directory / "log"),
                            "--checkpoint-dir=" + (directory / "ck"),
                            "--eval-every=0"});
  std::string log = directory / "log/1/rank.0/stdout";
  while (readFile(log).find("epoch: 1 ") == std::string::npos)
    usleep(2000);
  kill(launcher.id(), SIGTERM);
  Finished run = launcher.wait();
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Signal));
  EXPECT_THAT(run.err, HasSubstr("boost-run: error: the ranks were stopped by "
                                 "SIGTERM\n"));
  EXPECT_THAT(readFile(directory / "log/1/rank.0/stderr"),
              HasSubstr("stopped by SIGTERM after global step"));
  EXPECT_FALSE(std::filesystem::is_empty(directory / "ck"));
}

TEST(LaunchRun, ARankThatIsKilledIsNamed) {
  TemporaryDirectory directory;
  BoostRunProcess launcher({fixture("softmax"), kSmall, "--epochs=1000000",
                            "--ranks=1", "--log-dir=" + (directory / "log"),
                            "--eval-every=0"});
  std::string log = directory / "log/1/rank.0/stdout";
  while (readFile(log).find("epoch: 1 ") == std::string::npos)
    usleep(2000);
  int rank = childOf(launcher.id());
  ASSERT_GT(rank, 0);
  kill(rank, SIGKILL);
  Finished run = launcher.wait();
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::RankLost));
  EXPECT_THAT(run.err,
              HasSubstr("boost-run: error: rank 0 (pid " +
                        std::to_string(rank) + ") was killed by SIGKILL"));
  EXPECT_EQ(kill(rank, 0), -1) << "it has not been reaped";
}

TEST(LaunchRun, OneRankOfMpirunNeedsNoLauncher) {
  Finished run =
      boostRunProcess({fixture("softmax"), kSmall, "--epochs=1"},
                      {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"});
  EXPECT_EQ(run.exitCode, 0) << run.err;
  EXPECT_THAT(run.err,
              testing::StartsWith(
                  "boost-run: rank 0 of 1, on server 0 of 1, from Open MPI "
                  "(OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE)\n"));
}

TEST(LaunchRun, TheSchedulerOfMsrunEndsAtOnce) {
  Finished run = boostRunProcess({fixture("softmax"), kSmall},
                                 {"MS_ROLE=MS_SCHED", "MS_WORKER_NUM=2"});
  EXPECT_EQ(run.exitCode, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("nothing to schedule"));
}

TEST(LaunchRun, LogsThatCannotBeWritten) {
  Finished run = boostRunProcess(
      {fixture("softmax"), "--ranks=2", "--log-dir=/proc/nowhere"});
  EXPECT_EQ(run.exitCode, static_cast<int>(ExitCode::Usage));
  EXPECT_THAT(run.err, HasSubstr("cannot make the directory '/proc/nowhere'"));
}

} // namespace
