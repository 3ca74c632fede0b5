#include "runtime/checkpoint/RankFolders.h"
#include "runtime/cli/CommandLine.h"
#include "runtime/cli/Commands.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/StartRanks.h"
#include "runtime/predict/MeasuringRanks.h"
#include "runtime/support/CaughtException.h"
#include "runtime/support/StackLimit.h"
#include "runtime/support/Streams.h"
#include "runtime/trainer/RunOnRanks.h"
#include "runtime/trainer/StopSignals.h"

namespace boostrt {
namespace {

/// `plan` is about commands that ranks run.
Status dispatch(const Options &options, const JobPlan &plan = {}) {
  switch (options.command) {
  case Command::Train: {
    // The launcher passes on what its ranks say, and one of them is enough.
    bool speaks = !plan.isStarted || plan.localRank == 0 ||
                  options.launch.logDir.has_value();
    SignalsBeforeTraining signals(speaks);
    return runOnRanks(options, plan, trainCommand);
  }
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
  case Command::MakeData:
    return makeDataCommand(options);
  case Command::Export:
    return exportCommand(options);
  case Command::Pca:
    return pcaCommand(options);
  }
  return Status(ExitCode::Internal, "unknown command");
}

/// What won, and what the user should know about it and about the flags; once
/// for a job.
void announce(const JobPlan &plan, std::vector<std::string> notes) {
  if (plan.isStarted || (plan.rank != 0 && !plan.startsRanks))
    return;
  if (!plan.source.empty())
    printNote("boost-run: {}{}, from {}\n", plan.startsRanks ? "starting " : "",
              plan.describe(), plan.source);
  notes.insert(notes.end(), plan.notes.begin(), plan.notes.end());
  for (const std::string &note : notes)
    printNote("boost-run: {}\n", note);
}

/// Trains, evaluates or times as a rank of a job, or starts the ranks that do.
Status runAsRank(const CommandLine &line, int argc, const char *const *argv) {
  const Options &options = line.options;
  Result<JobPlan> plan = planJob(options.launch);
  if (!plan.ok())
    return plan.status();
  announce(*plan, line.notes);
  if (plan->isIdle)
    return Status();
  // Logs of ranks may be below it.
  if (plan->startsRanks && options.workdir && options.launch.logDir)
    BOOSTRT_RETURN_IF_ERROR(makeWorkdir(realFileSystem(), *options.workdir));
  if (plan->startsRanks)
    return startRanks(*plan, options.launch, {argv, argv + argc});
  return dispatch(options, *plan);
}

/// Sets `isRanked` for commands that finish even when the reader of their
/// output has gone.
Status run(int argc, const char *const *argv, bool &isRanked) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line.ok())
    return line.status();
  if (!line->text.empty()) {
    writeResult(line->text);
    return Status();
  }
  isRanked = line->options.command == Command::Train ||
             line->options.command == Command::Evaluate ||
             line->options.command == Command::Bench;
  if (isRanked)
    return runAsRank(*line, argc, argv);
  return dispatch(line->options);
}

} // namespace

int boostRun(int argc, const char *const *argv) {
  prepareStreams();
  reportUncaughtExceptions("boost-run");
  raiseStackLimit();
  if (std::optional<int> code = actAsMeasuringRank(argc, argv))
    return *code;
  bool isRanked = false;
  Status status = catching([&] { return run(argc, argv, isRanked); });
  if (status.ok())
    status = resultsStatus();
  if (!isRanked)
    endWithReader();
  if (!status.ok())
    printNote("boost-run: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

} // namespace boostrt
