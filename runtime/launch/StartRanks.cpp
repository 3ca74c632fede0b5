#include "runtime/launch/StartRanks.h"

#include "runtime/comm/control/Socket.h"
#include "runtime/comm/control/Token.h"
#include "runtime/launch/CpuShare.h"
#include "runtime/launch/RankProcess.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/Supervisor.h"
#include "runtime/support/File.h"
#include "runtime/support/MemoryFile.h"
#include "runtime/support/Streams.h"
#include "runtime/support/Terminal.h"

#include <fmt/format.h>

#include <csignal>
#include <unistd.h>

namespace boostrt {
namespace {

/// Chooses what the plan of a job on this host alone leaves open, and finds out
/// what rank 0 would, before any rank is started.
Status settleRendezvous(JobPlan &plan) {
  // Rank 0 listens there a moment later.
  if (plan.rank == 0 && plan.masterPort != 0) {
    BOOSTRT_RETURN_IF_ERROR(
        control::listenOn(plan.masterHost, plan.masterPort).status());
  } else if (plan.rank == 0) {
    Result<uint16_t> port = control::findFreePort(plan.masterHost);
    if (!port.ok())
      return port.status();
    plan.masterPort = *port;
  }
  if (plan.token.empty()) {
    Result<std::string> token = control::drawToken();
    if (!token.ok())
      return token.status();
    plan.token = *token;
  }
  return Status();
}

/// The CPUs of rank `local`; none to leave it where the system puts it. More
/// threads than CPUs would only wait for each other.
std::vector<int> cpusOf(const JobPlan &plan, uint32_t local,
                        const LaunchOptions &options) {
  std::vector<int> all = usableCpus();
  std::vector<int> cpus = cpuShare(all, local, plan.localSize);
  if (!options.pin.value_or(isWorthPinning(all, plan.localSize)) ||
      options.threads.value_or(0) > cpus.size())
    return {};
  return cpus;
}

RankCommand commandOf(const JobPlan &plan, uint32_t local,
                      const LaunchOptions &options,
                      const std::vector<std::string> &arguments) {
  RankCommand command;
  command.rank = plan.rank + local;
  command.program = "/proc/self/exe";
  command.arguments = arguments;
  command.cpus = cpusOf(plan, local, options);
  JobPlan own = plan.planOfRank(local);
  own.isPinned = !command.cpus.empty();
  command.environment = toEnvironment(own);
  command.isQuiet = command.rank != 0;
  return command;
}

Result<JobEnd> supervise(const std::vector<RankCommand> &commands, double grace,
                         bool reports) {
  Supervisor supervisor(std::chrono::duration<double>(grace), reports);
  BOOSTRT_RETURN_IF_ERROR(supervisor.start(commands));
  return supervisor.wait();
}

[[noreturn]] void dieOf(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
  _exit(128 + number); // when the signal cannot kill: process 1 of a container
}

} // namespace

Status startRanks(JobPlan plan, const LaunchOptions &options,
                  const std::vector<std::string> &arguments) {
  BOOSTRT_RETURN_IF_ERROR(settleRendezvous(plan));
  std::vector<RankCommand> commands;
  for (uint32_t local = 0; local < plan.localSize; ++local) {
    RankCommand command = commandOf(plan, local, options, arguments);
    if (options.logDir) {
      // "1" as the number of the job, which Open MPI's logs have there.
      std::string directory =
          fmt::format("{}/1/rank.{}", *options.logDir, command.rank);
      BOOSTRT_RETURN_IF_ERROR(
          makeDirectories(realFileSystem(), directory, ExitCode::Usage));
      command.outFile = directory + "/stdout";
      command.errFile = directory + "/stderr";
    }
    commands.push_back(std::move(command));
  }
  Result<JobEnd> end = supervise(commands, options.grace, /*reports=*/true);
  // A rank 0 that was killed has left its bar there.
  if (isCapableTerminal(STDERR_FILENO))
    writeNote(kEraseLine);
  if (!end.ok())
    return end.status();
  if (end->signal != 0) {
    printNote("boost-run: error: {}\n", end->status.message());
    dieOf(end->signal);
  }
  return end->status;
}

Result<std::vector<std::string>>
askRanks(uint32_t ranks, uint32_t threads,
         const std::vector<std::string> &arguments) {
  JobPlan plan;
  plan.startsRanks = true;
  plan.size = plan.localSize = ranks;
  plan.serverOfRank = layOut({ranks});
  plan.masterHost = "127.0.0.1";
  BOOSTRT_RETURN_IF_ERROR(settleRendezvous(plan));
  LaunchOptions options;
  options.threads = threads;
  std::vector<MemoryFile> files(ranks);
  std::vector<RankCommand> commands;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    if (IoError error = files[rank].create("answer"); !error.ok())
      return refused("make a file in memory", error);
    RankCommand command = commandOf(plan, rank, options, arguments);
    command.outFile = files[rank].path();
    command.isQuiet = command.keepsWords = true;
    commands.push_back(std::move(command));
  }
  // A rank that is told of a failure ends about when the one that had it does.
  constexpr double kGrace = 1;
  Result<JobEnd> end = supervise(commands, kGrace, /*reports=*/false);
  if (!end.ok())
    return end.status();
  if (end->signal != 0)
    dieOf(end->signal);
  if (!end->status.ok())
    return end->status;
  std::vector<std::string> answers;
  for (const MemoryFile &file : files)
    if (IoError error = file.read(answers.emplace_back()); !error.ok())
      return refused("read what a rank has written", error);
  return answers;
}

} // namespace boostrt
