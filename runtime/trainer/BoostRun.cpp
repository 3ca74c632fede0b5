#include "runtime/device/cpu/SpinPolicy.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/StartRanks.h"
#include "runtime/predict/MeasuringRanks.h"
#include "runtime/trainer/CommandLine.h"
#include "runtime/trainer/Commands.h"
#include "runtime/trainer/RunOnRanks.h"

#include <fmt/format.h>
#include <new>

namespace boostrt {
namespace {

/// `plan` is about commands that ranks run.
Status dispatch(const Options &options, const JobPlan &plan = {}) {
  switch (options.command) {
  case Command::Train:
    return runOnRanks(options, plan, trainCommand);
  case Command::Evaluate:
    return runOnRanks(options, plan, evalCommand);
  case Command::Info:
    return infoCommand(options);
  case Command::Bench:
    return runOnRanks(options, plan, benchCommand);
  case Command::Doctor:
    return doctorCommand(options);
  case Command::Ranks:
    return ranksCommand(options);
  case Command::RankTable:
    return rankTableCommand(options);
  }
  return Status(ExitCode::Internal, "unknown command");
}

/// What won, and what the user should know about it; once for a job.
void announce(const JobPlan &plan) {
  if (plan.source.empty() || plan.isStarted ||
      (plan.rank != 0 && !plan.startsRanks))
    return;
  fmt::print(stderr, "boost-run: {}{}, from {}\n",
             plan.startsRanks ? "starting " : "", plan.describe(), plan.source);
  for (const std::string &note : plan.notes)
    fmt::print(stderr, "boost-run: {}\n", note);
}

/// Trains, evaluates or times as a rank of a job, or starts the ranks that do.
Status runAsRank(const Options &options, int argc, const char *const *argv) {
  Result<JobPlan> plan = planJob(options.launch);
  if (!plan.ok())
    return plan.status();
  announce(*plan);
  if (plan->isIdle)
    return Status();
  if (plan->startsRanks)
    return startRanks(*plan, options.launch, {argv, argv + argc});
  return dispatch(options, *plan);
}

Status run(int argc, const char *const *argv) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line.ok())
    return line.status();
  if (!line->text.empty()) {
    fmt::print("{}", line->text);
    return Status();
  }
  Command command = line->options.command;
  bool isRanked = command == Command::Train || command == Command::Evaluate ||
                  command == Command::Bench;
  if (isRanked || line->options.prediction)
    limitSpinning(argv);
  if (isRanked)
    return runAsRank(line->options, argc, argv);
  return dispatch(line->options);
}

} // namespace

int boostRun(int argc, const char *const *argv) {
  if (std::optional<int> code = actAsMeasuringRank(argc, argv))
    return *code;
  Status status;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc &) {
    status = Status(ExitCode::Internal, "out of memory");
  }
  if (!status.ok())
    fmt::print(stderr, "boost-run: error: {}\n", status.message());
  // A full disk behind standard output would otherwise go unnoticed.
  if (std::fflush(stdout) != 0 && status.ok()) {
    fmt::print(stderr, "boost-run: error: cannot write to standard output\n");
    return static_cast<int>(ExitCode::Internal);
  }
  return static_cast<int>(status.code());
}

} // namespace boostrt
