#include "runtime/support/Streams.h"
#include "test/runtime/support/Child.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>

namespace boostrt {
namespace {

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A pipe without a reader.
int brokenPipe() {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  close(ends[0]);
  return ends[1];
}

TEST(Streams, ClosedOnesAreOpenedSoThatNoFileGetsTheirNumbers) {
  TemporaryDirectory directory;
  std::string path = directory / "file";
  EXPECT_EQ(exitCodeOf([&] {
              for (int number : {0, 1, 2})
                close(number);
              prepareStreams();
              int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
              printNote("a note\n");
              printResult("a result\n");
              return file > 2 ? int(resultsStatus().code()) : 100;
            }),
            int(ExitCode::Usage));
  EXPECT_EQ(textOf(path), "");
}

TEST(Streams, ResultsThatCannotBeWrittenAreSaid) {
  auto messageOf = [](auto &&prepare) {
    TemporaryDirectory directory;
    std::string path = directory / "message";
    EXPECT_EQ(exitCodeOf([&] {
                prepare();
                prepareStreams();
                printResult("{}\n", 42);
                Status status = resultsStatus();
                std::ofstream(path) << status.message();
                return int(status.code());
              }),
              int(ExitCode::Usage));
    return textOf(path);
  };
  EXPECT_EQ(messageOf([] { dup2(open("/dev/full", O_WRONLY), 1); }),
            "cannot write to standard output: No space left on device; free "
            "some space or choose another place");
  EXPECT_EQ(messageOf([] { close(1); }),
            "cannot write to standard output: it is closed; to do without "
            "results, send them to /dev/null");
  EXPECT_EQ(messageOf([] { dup2(brokenPipe(), 1); }),
            "cannot write to standard output: Broken pipe");
}

TEST(Streams, NotesThatCannotBeWrittenAreLost) {
  for (auto prepare : {+[] { dup2(open("/dev/full", O_WRONLY), 2); },
                       +[] { dup2(brokenPipe(), 2); }, +[] { close(2); }})
    EXPECT_EQ(exitCodeOf([&] {
                prepare();
                prepareStreams();
                printNote("lost {}\n", 1);
                printNote("lost {}\n", 2);
                return int(resultsStatus().code());
              }),
              0);
}

TEST(Streams, AGapIsSaidWhereNotesGoOn) {
  TemporaryDirectory directory;
  std::string path = directory / "log";
  EXPECT_EQ(exitCodeOf([&] {
              prepareStreams();
              dup2(open("/dev/full", O_WRONLY), 2);
              printNote("first\n");
              dup2(open(path.c_str(), O_WRONLY | O_CREAT, 0600), 2);
              printNote("second\n");
              printNote("third\n");
              return 0;
            }),
            0);
  EXPECT_EQ(textOf(path), "\n(lines were lost here)\nsecond\nthird\n");
}

TEST(Streams, LimitsAndLostReadersAreErrorsAndNotInherited) {
  TemporaryDirectory directory;
  std::string path = directory / "file";
  EXPECT_EQ(exitCodeOf([&] {
              prepareStreams();
              rlimit limit{10, 10};
              setrlimit(RLIMIT_FSIZE, &limit);
              int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
              std::string text(20, 'x');
              bool isShort = write(file, text.data(), 20) == 10;
              bool isRefused =
                  write(file, text.data(), 20) < 0 && errno == EFBIG;
              return isShort && isRefused ? 0 : 1;
            }),
            0);
  for (int number : {SIGPIPE, SIGXFSZ})
    EXPECT_EQ(exitCodeOf([&] {
                prepareStreams();
                struct sigaction action {};
                sigaction(number, nullptr, &action);
                return action.sa_handler == SIG_IGN ? 1 : 0;
              }),
              0)
        << "a program that is started would ignore signal " << number;
}

TEST(Streams, AReportEndsAsOthersDoWhenItsReaderHasGone) {
  auto report = [] {
    dup2(brokenPipe(), 1);
    prepareStreams();
    printResult("a line\n");
    endWithReader();
    return 77;
  };
  int status = runChild([&] {
    std::signal(SIGPIPE, SIG_DFL);
    return report();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) << status;
  EXPECT_EQ(exitCodeOf([&] {
              std::signal(SIGPIPE, SIG_IGN);
              return report();
            }),
            77)
      << "the parent wants to hear of it";
  EXPECT_EQ(exitCodeOf([&] {
              dup2(open("/dev/full", O_WRONLY), 1);
              prepareStreams();
              printResult("a line\n");
              endWithReader();
              return 77;
            }),
            77);
}

} // namespace
} // namespace boostrt
