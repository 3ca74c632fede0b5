#include "runtime/checkpoint/FindCheckpoint.h"
#include "runtime/cli/Commands.h"
#include "runtime/cli/OutputChecks.h"
#include "runtime/trainer/RunState.h"
#include "runtime/trainer/Session.h"
#include "runtime/trainer/StopSignals.h"
#include "runtime/trainer/TensorNames.h"
#include "runtime/trainer/Trainer.h"

#include <fmt/format.h>

namespace boostrt {

Status evalCommand(const Options &options, Ranks &ranks) {
  Clock::time_point begin = Clock::now();
  Console console(options.progress, ranks.isQuiet());
  Result<std::unique_ptr<Session>> session = Session::open(options, console);
  if (!session.ok())
    return session.status();
  BOOSTRT_RETURN_IF_ERROR((*session)->agreeWith(ranks));
  BOOSTRT_RETURN_IF_ERROR((*session)->measureMemory(ranks));
  std::optional<SafetensorsFile> weights;
  TensorNames names;
  std::string checkpoint; ///< rank 0 alone knows it
  if (ranks.isFirst()) {
    const Program &program = (*session)->program();
    Result<FoundCheckpoint> found =
        findCheckpoint(realFileSystem(), *options.checkpoint);
    if (!found.ok())
      return found.status();
    checkpoint = found->path;
    for (const std::string &note : found->notes)
      console.note(note);
    Result<SafetensorsFile> loaded = loadWeights(
        realFileSystem(), checkpoint, maxWeightBytes(program, options.names));
    if (!loaded.ok())
      return loaded.status();
    weights = std::move(loaded).value();
    if (options.names) {
      Result<TensorNames> read = TensorNames::read(*options.names, program);
      if (!read.ok())
        return read.status();
      names = std::move(read).value();
    }
  }
  std::unique_ptr<MetricsFile> metrics;
  if (options.metrics && ranks.isFirst()) {
    BOOSTRT_RETURN_IF_ERROR(checkResult("--metrics", *options.metrics,
                                        ExitCode::Usage, inputsOf(options),
                                        &(*session)->data().spec));
    Result<std::unique_ptr<MetricsFile>> file =
        MetricsFile::open(*options.metrics, /*resumed=*/false);
    if (!file.ok())
      return file.status();
    metrics = std::move(file).value();
  }

  Session &run = **session;
  run.chooseData(ranks, {});
  BOOSTRT_RETURN_IF_ERROR(run.reserve(run.planEvaluation(), ranks));
  if (weights)
    BOOSTRT_RETURN_IF_ERROR(
        names.readTensors(*weights, weightTargets(run.execution())));
  BOOSTRT_RETURN_IF_ERROR(
      ranks.broadcast(run.execution().persistentArenas()[0]));
  BOOSTRT_RETURN_IF_ERROR(run.execution().uploadPersistent());
  std::optional<StopSignals> signals;
  if (ranks.handlesSignals())
    signals.emplace();
  console.startTesting();
  Result<Evaluation> evaluation =
      evaluate(run.execution(), run.arenas(), run.data(), ranks);
  if (!evaluation.ok())
    return evaluation.status();
  if (metrics) {
    CheckpointPosition position = savedPosition(weights->metadata());
    metrics->evaluation(position.epoch, position.stepInEpoch,
                        position.globalStep, *evaluation);
    metrics->end(std::chrono::duration<double>(Clock::now() - begin).count(),
                 run.peakBytes(), run.plannedBytes());
  }
  console.result(*evaluation, checkpoint);
  console.memory(run.plannedBytes(), run.peakBytes());
  return metrics ? metrics->close() : Status();
}

} // namespace boostrt
