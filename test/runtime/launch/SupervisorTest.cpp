// Processes that end in every way, and who is told what.
#include "runtime/launch/Supervisor.h"
#include "test/runtime/support/Files.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace boostrt;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

/// Runs nothing but what the shell has itself: `read` from a pipe of its own is
/// a wait without a child process that could outlive it.
RankCommand shell(uint32_t rank, const std::string &script) {
  RankCommand command;
  command.rank = rank;
  command.program = "/bin/sh";
  command.arguments = {"sh", "-c", script};
  return command;
}

/// Waits until a signal, for which `exec` makes the shell's process wait.
constexpr const char *kForever = "exec sleep 1000";

JobEnd run(const std::vector<RankCommand> &commands, double grace = 15,
           const std::vector<int> &signals = {}) {
  Supervisor supervisor{std::chrono::duration<double>(grace)};
  Status status = supervisor.start(commands);
  EXPECT_TRUE(status.ok()) << status.message();
  for (int number : signals)
    kill(getpid(), number); // blocked: read by wait()
  JobEnd end = supervisor.wait();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a zombie, or an orphan";
  EXPECT_EQ(errno, ECHILD);
  return end;
}

TEST(Supervisor, AllEndWell) {
  JobEnd end = run({shell(0, "exit 0"), shell(1, "true")});
  EXPECT_TRUE(end.status.ok());
  EXPECT_EQ(end.signal, 0);
}

TEST(Supervisor, ARankThatIsKilled) {
  JobEnd end = run({shell(0, "exit 0"), shell(1, "kill -9 $$")});
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(),
              MatchesRegex("rank 1 \\(pid [0-9]+\\) was killed by SIGKILL "
                           "\\(from outside, or by the system for want of "
                           "memory\\)"));
  end = run({shell(0, "kill -SEGV $$")});
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(), HasSubstr("was killed by SIGSEGV"));
}

TEST(Supervisor, ARankThatFails) {
  JobEnd end = run({shell(0, "exit 0"), shell(1, "exit 4")});
  EXPECT_EQ(end.status.code(), ExitCode::Numerical);
  EXPECT_THAT(end.status.message(),
              MatchesRegex("rank 1 \\(pid [0-9]+\\) ended with exit code 4"));
}

TEST(Supervisor, TheCauseCountsAndNotWhatFollowsFromIt) {
  // The others end with 5, whichever is reaped first.
  JobEnd end =
      run({shell(0, "exit 5"), shell(1, "exit 3"), shell(2, "exit 5")});
  EXPECT_EQ(end.status.code(), ExitCode::Data);
  end = run({shell(0, "exit 5"), shell(1, "exit 4"), shell(2, "kill -9 $$")});
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(), HasSubstr("rank 2 "));
  // A rank of another server was lost: no rank here knows more.
  end = run({shell(0, "exit 5"), shell(1, "exit 5")});
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(),
              MatchesRegex("rank [01] \\(pid [0-9]+\\) ended with exit code 5, "
                           "because it lost another rank, which it named"));
}

TEST(Supervisor, WhoDoesNotEndAfterALossIsEnded) {
  testing::internal::CaptureStderr();
  JobEnd end = run({shell(0, kForever), shell(1, "exit 4")}, /*grace=*/0.1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "boost-run: still running after a rank was lost: 0; sent "
            "SIGTERM\n");
  EXPECT_EQ(end.status.code(), ExitCode::Numerical);
  EXPECT_THAT(end.status.message(), HasSubstr("rank 1 "));
}

TEST(Supervisor, WhoIgnoresSigtermIsKilled) {
  testing::internal::CaptureStderr();
  JobEnd end = run({shell(0, "trap '' TERM; exec sleep 1000"),
                    shell(1, "exec sleep 1000"), shell(2, "kill -9 $$")},
                   /*grace=*/0.1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "boost-run: still running after a rank was lost: 0, 1; sent "
            "SIGTERM\n"
            "boost-run: still running after a rank was lost: 0; sent "
            "SIGKILL\n");
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(), HasSubstr("rank 2 "));
}

/// Ends with `code` when the rank of the process `directory`/pid is stopped.
RankCommand loses(const TemporaryDirectory &directory, uint32_t rank,
                  int code) {
  return shell(rank, "while ! grep -qs 'T (stopped)' "
                     "/proc/$(cat " +
                         (directory / "pid") +
                         " 2>/dev/null)/status; do sleep 0.01; done; exit " +
                         std::to_string(code));
}

RankCommand stops(const TemporaryDirectory &directory, uint32_t rank) {
  return shell(rank, "echo $$ > " + (directory / "pid") + "; kill -STOP $$");
}

TEST(Supervisor, AStoppedRankIsKilledAtOnceAndNamedLast) {
  TemporaryDirectory directory;
  testing::internal::CaptureStderr();
  auto begin = std::chrono::steady_clock::now();
  JobEnd end = run({loses(directory, 0, 5), stops(directory, 1)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10))
      << "the grace time, 15 s, is for ranks that can use it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("boost-run: rank 1 \\(pid [0-9]+\\) is stopped and "
                           "can answer nothing; sent SIGKILL\n"));
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(),
              MatchesRegex("rank 1 \\(pid [0-9]+\\) was stopped, by SIGSTOP or "
                           "a terminal, and the others lost it"));
}

TEST(Supervisor, AStoppedRankIsNotTheCauseOfAFailureOfItsOwn) {
  TemporaryDirectory directory;
  testing::internal::CaptureStderr();
  JobEnd end = run({stops(directory, 0), loses(directory, 1, 4)});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("sent SIGKILL"));
  EXPECT_EQ(end.status.code(), ExitCode::Numerical);
  EXPECT_THAT(end.status.message(), HasSubstr("rank 1 "));
}

TEST(Supervisor, ARankThatDoesNotAnswerIsNamedBeforeThoseThatLostIt) {
  testing::internal::CaptureStderr();
  JobEnd end = run({shell(0, "exit 5"), shell(1, kForever)}, /*grace=*/0.1);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(end.status.code(), ExitCode::RankLost);
  EXPECT_THAT(end.status.message(),
              MatchesRegex("rank 1 \\(pid [0-9]+\\) did not end after the "
                           "others had lost it"));
}

TEST(Supervisor, SigtermGoesToAllAndTheySave) {
  // A trap that is set before the signal comes: the parent waits for the file.
  TemporaryDirectory directory;
  auto saving = [&](uint32_t rank) {
    return shell(rank, "trap 'exit 7' TERM; : > " +
                           (directory / std::to_string(rank)) +
                           "; while :; do sleep 0.01; done");
  };
  Supervisor supervisor{std::chrono::duration<double>(15)};
  ASSERT_TRUE(supervisor.start({saving(0), saving(1)}).ok());
  while (access((directory / "0").c_str(), F_OK) != 0 ||
         access((directory / "1").c_str(), F_OK) != 0)
    usleep(1000);
  kill(getpid(), SIGTERM);
  JobEnd end = supervisor.wait();
  EXPECT_EQ(end.status.code(), ExitCode::Signal);
  EXPECT_EQ(end.status.message(), "the ranks were stopped by SIGTERM");
  EXPECT_EQ(end.signal, 0);
}

TEST(Supervisor, RanksThatDieOfTheirUsersSignal) {
  JobEnd end = run({shell(0, kForever), shell(1, kForever)}, 15, {SIGINT});
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(end.status.message(), "SIGINT ended the ranks");
}

TEST(Supervisor, ALauncherInTheBackgroundOfAScriptForwardsSigintToo) {
  // Scripts start such jobs deaf to SIGINT, and deafness is inherited.
  auto before = std::signal(SIGINT, SIG_IGN);
  JobEnd end = run({shell(0, kForever)}, 15, {SIGINT});
  EXPECT_EQ(end.signal, SIGINT);
  std::signal(SIGINT, before);
}

TEST(Supervisor, ATerminalThatIsLostStopsTheRanksUnlessNohupIgnoresIt) {
  auto before = std::signal(SIGHUP, SIG_DFL);
  JobEnd end = run({shell(0, kForever)}, 15, {SIGHUP});
  EXPECT_EQ(end.signal, SIGHUP);
  EXPECT_EQ(end.status.message(), "SIGHUP ended the ranks");
  std::signal(SIGHUP, SIG_IGN);
  EXPECT_TRUE(run({shell(0, "exit 0")}, 15, {SIGHUP}).status.ok());
  std::signal(SIGHUP, before);
}

TEST(Supervisor, WhoIsStoppedIsKilledWhereOthersEndAsTheirUserSaid) {
  TemporaryDirectory directory;
  auto stopped = shell(1, "trap '' TERM; : > " + (directory / "stops") +
                              "; kill -STOP $$; exec sleep 1000");
  Supervisor supervisor{std::chrono::duration<double>(15)};
  ASSERT_TRUE(supervisor.start({shell(0, kForever), stopped}).ok());
  while (access((directory / "stops").c_str(), F_OK) != 0)
    usleep(1000);
  testing::internal::CaptureStderr();
  kill(getpid(), SIGTERM);
  JobEnd end = supervisor.wait();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("boost-run: rank 1 \\(pid [0-9]+\\) is stopped and "
                           "can answer nothing; sent SIGKILL\n"));
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.status.message(), "SIGTERM ended the ranks");
}

TEST(Supervisor, APipeWithoutAReaderIsNoLog) {
  TemporaryDirectory directory;
  std::string pipe = directory / "stdout";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  RankCommand command = shell(0, "exit 0");
  command.outFile = pipe;
  Supervisor supervisor{std::chrono::duration<double>(15)};
  Status status = supervisor.start({command});
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_THAT(status.message(), HasSubstr("cannot write '" + pipe + "'"));
}

TEST(Supervisor, TheThirdSignalKills) {
  TemporaryDirectory directory;
  auto deaf = shell(0, "trap '' TERM INT; : > " + (directory / "deaf") +
                           "; exec sleep 1000");
  Supervisor supervisor{std::chrono::duration<double>(15)};
  ASSERT_TRUE(supervisor.start({deaf}).ok());
  while (access((directory / "deaf").c_str(), F_OK) != 0)
    usleep(1000);
  // One of a kind is pending at most, so three cannot simply be sent at once.
  pid_t sender = fork();
  if (sender == 0) {
    for (int number = SIGTERM;; number = number == SIGTERM ? SIGINT : SIGTERM) {
      kill(getppid(), number);
      usleep(10'000);
    }
  }
  JobEnd end = supervisor.wait();
  EXPECT_NE(end.signal, 0);
  EXPECT_THAT(end.status.message(),
              HasSubstr(" ended the ranks, which had no time to save, because "
                        "it came more than once"));
  kill(sender, SIGKILL);
  waitpid(sender, nullptr, 0);
  // What came late must not end the tests.
  Supervisor drained{std::chrono::duration<double>(15)};
  ASSERT_TRUE(drained.start({shell(0, kForever)}).ok());
  kill(getpid(), SIGTERM);
  drained.wait();
}

TEST(Supervisor, StartingIsAllOrNothing) {
  RankCommand wrong = shell(1, "");
  wrong.program = "/nowhere/sh";
  Supervisor supervisor{std::chrono::duration<double>(15)};
  Status status = supervisor.start({shell(0, kForever), wrong});
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "cannot start '/nowhere/sh' as rank 1: No such "
                              "file or directory");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "rank 0 is still there";
}

TEST(Supervisor, NoRankOutlivesItsLauncher) {
  // All of them hold the pipe's end; when the last one is gone, it ends.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t launcher = fork();
  if (launcher == 0) {
    close(ends[0]);
    Supervisor supervisor{std::chrono::duration<double>(15)};
    if (!supervisor.start({shell(0, kForever), shell(1, kForever)}).ok())
      _exit(1);
    [[maybe_unused]] ssize_t written = write(ends[1], "x", 1);
    supervisor.wait();
    _exit(0);
  }
  close(ends[1]);
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1) << "the ranks have not been started";
  kill(launcher, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(launcher, &status, 0), launcher);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(Supervisor, LinesOfQuietRanksGetAPrefix) {
  RankCommand loud = shell(0, "echo zero"),
              quiet = shell(1, "echo out; echo one >&2; printf 'two\\nthree' "
                               ">&2");
  quiet.isQuiet = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run({loud, quiet});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "zero\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[rank 1] one\n[rank 1] two\n[rank 1] three\n");
}

TEST(Supervisor, WordsThatAreKeptAreToldOfWhoFailed) {
  TemporaryDirectory directory;
  RankCommand fails = shell(0, "echo out; echo one >&2; echo two >&2; exit 4"),
              talks = shell(1, "echo three >&2");
  fails.isQuiet = talks.isQuiet = fails.keepsWords = talks.keepsWords = true;
  fails.outFile = directory / "out";
  testing::internal::CaptureStderr();
  JobEnd end = run({fails, talks});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(readFile(fails.outFile), "out\n");
  EXPECT_EQ(end.status.code(), ExitCode::Numerical);
  EXPECT_THAT(end.status.message(),
              MatchesRegex("rank 0 \\(pid [0-9]+\\) ended with exit code 4: "
                           "one; two"));
}

TEST(Supervisor, EndsAreSeenWhereAnotherThreadTakesSigchld) {
  std::atomic<bool> ends = false;
  std::thread other([&] { // does not block the signal: it is older
    while (!ends)
      usleep(1000);
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(run({shell(0, "sleep 0.01"), shell(1, "exit 0")}).status.ok());
  ends = true;
  other.join();
}

TEST(Supervisor, MuchOutputDoesNotBlock) {
  RankCommand quiet =
      shell(1, "i=0; while [ $i -lt 20000 ]; do echo line $i >&2; "
               "i=$((i+1)); done");
  quiet.isQuiet = true;
  testing::internal::CaptureStderr();
  run({quiet});
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20000);
  EXPECT_TRUE(text.ends_with("\n[rank 1] line 19999\n"));
}

TEST(Supervisor, OutputInFiles) {
  TemporaryDirectory directory;
  RankCommand command = shell(3, "echo out; echo err >&2; exit 70");
  command.isQuiet = true;
  command.outFile = directory / "stdout";
  command.errFile = directory / "stderr";
  JobEnd end = run({command});
  EXPECT_EQ(readFile(command.outFile), "out\n");
  EXPECT_EQ(readFile(command.errFile), "err\n");
  EXPECT_THAT(end.status.message(),
              testing::EndsWith("ended with exit code 70; its last words are "
                                "in " +
                                command.errFile));
}

TEST(Supervisor, EnvironmentAndCpusOfARank) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &usable))
    --last;
  RankCommand command =
      shell(0, "echo $BOOSTC_RANK; grep Cpus_allowed_list /proc/self/status");
  command.environment = {{"BOOSTC_RANK", "5"}};
  command.cpus = {last};
  testing::internal::CaptureStdout();
  run({command});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "5\nCpus_allowed_list:\t" + std::to_string(last) + "\n");
}

TEST(Supervisor, SignalsAreAsBeforeAfterwards) {
  run({shell(0, "exit 0")});
  sigset_t set;
  sigprocmask(SIG_BLOCK, nullptr, &set);
  for (int number : {SIGCHLD, SIGTERM, SIGINT})
    EXPECT_FALSE(sigismember(&set, number)) << number;
  // And in ranks nothing is blocked.
  testing::internal::CaptureStdout();
  run({shell(0, "grep SigBlk /proc/self/status")});
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("0000000000000000"));
}

} // namespace
