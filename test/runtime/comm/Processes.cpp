#include "test/runtime/comm/Processes.h"

#include "runtime/comm/control/Socket.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace boostrt::test {
namespace {

using Clock = std::chrono::steady_clock;

/// In memory that all processes share.
struct SharedReport {
  bool hasReported;
  int code;
  Clock::rep returnedAt, markedAt;
  char message[4096];
};

SharedReport *ownReport = nullptr;

[[noreturn]] void runRank(const GlooOptions &options,
                          const std::function<Status(Transport &)> &rank,
                          SharedReport &report) {
  alarm(60); // no test leaves a process over
  ownReport = &report;
  Status status;
  {
    auto transport = connectGloo(options);
    status = transport.ok() ? rank(**transport) : transport.status();
    report.returnedAt = Clock::now().time_since_epoch().count();
    report.code = static_cast<int>(status.code());
    std::strncpy(report.message, status.message().c_str(),
                 sizeof(report.message) - 1);
    report.hasReported = true;
  }
  _exit(0);
}

} // namespace

void markTime() {
  ownReport->markedAt = Clock::now().time_since_epoch().count();
}

uint16_t freePort() {
  Result<uint16_t> port = control::findFreePort("127.0.0.1");
  EXPECT_TRUE(port.ok()) << port.status().message();
  return port.ok() ? *port : 0;
}

std::vector<ProcessReport>
runProcesses(GlooOptions options,
             const std::function<Status(Transport &)> &rank, int stopped) {
  options.masterPort = freePort();
  options.token = "the ranks of a test";
  size_t bytes = sizeof(SharedReport) * options.size;
  auto *shared =
      static_cast<SharedReport *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> children;
  for (uint32_t i = 0; i < options.size; ++i) {
    options.rank = i;
    options.isMaster = i == 0;
    pid_t child = fork();
    if (child == 0)
      runRank(options, rank, shared[i]);
    children.push_back(child);
  }
  for (bool isStopped : {false, true})
    for (uint32_t i = 0; i < options.size; ++i)
      if ((int(i) == stopped) == isStopped) {
        if (isStopped)
          kill(children[i], SIGKILL);
        waitpid(children[i], nullptr, 0);
      }
  std::vector<ProcessReport> reports;
  for (uint32_t i = 0; i < options.size; ++i)
    reports.push_back({shared[i].hasReported, ExitCode(shared[i].code),
                       shared[i].message,
                       Clock::time_point(Clock::duration(shared[i].returnedAt)),
                       Clock::time_point(Clock::duration(shared[i].markedAt))});
  munmap(shared, bytes);
  return reports;
}

} // namespace boostrt::test
