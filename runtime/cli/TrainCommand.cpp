#include "runtime/cli/Commands.h"
#include "runtime/cli/OutputChecks.h"
#include "runtime/cli/ProfileReport.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"
#include "runtime/trainer/BestWeights.h"
#include "runtime/trainer/RunBasis.h"
#include "runtime/trainer/Session.h"
#include "runtime/trainer/StartingPoint.h"
#include "runtime/trainer/StopSignals.h"
#include "runtime/trainer/Trainer.h"

#include <fmt/format.h>
#include <tuple>

namespace boostrt {
namespace {

RunEnd endOf(const Options &options, const Recipe &recipe) {
  RunEnd end{options.epochs, options.steps};
  if (!options.epochs && !options.steps)
    end.epochs = recipe.epochs;
  return end;
}

/// What a run would write only hours later, and what it must not overwrite.
Status checkOutputs(const Options &options, const DataSpec &data,
                    const std::optional<RunBasis> &basis) {
  std::vector<NamedFile> taken = inputsOf(options);
  if (basis)
    taken.push_back({"the basis", basis->path});
  for (auto [flag, path, code] :
       {std::tuple{"--save", &options.save, ExitCode::Checkpoint},
        {"--save-best", &options.saveBest, ExitCode::Checkpoint},
        {"--metrics", &options.metrics, ExitCode::Usage}}) {
    if (!*path)
      continue;
    BOOSTRT_RETURN_IF_ERROR(checkResult(flag, **path, code, taken, &data));
    taken.push_back({fmt::format("the file of {}", flag), **path});
  }
  return checkProfileOutput(options, taken, &data);
}

Status stopped(const Trainer &trainer, const Saving &saving, bool isFirst) {
  return Status(
      ExitCode::Signal,
      fmt::format("stopped by {} after global step {}; {}",
                  StopSignals::cause(), trainer.position().globalStep,
                  !isFirst ? "rank 0 saves what is to be saved"
                  : saving.keepsCheckpoints()
                      ? fmt::format("saved as {}", saving.newest())
                      : "nothing was saved, because --checkpoint-dir is not "
                        "given"));
}

/// Why no step is taken.
std::string describeEnd(const CheckpointPosition &position) {
  if (position.epoch == 0)
    return "no step is to be taken";
  return fmt::format("already at epoch {} step {}, global step {}: no step is "
                     "left; give more --epochs or --steps to train on",
                     position.epoch, position.stepInEpoch, position.globalStep);
}

/// Steps before those that --profile-steps times: the first are slower.
constexpr int64_t kUnprofiledSteps = 3;

class TrainRun {
public:
  TrainRun(const Options &options, Ranks &ranks)
      : options_(options), ranks_(ranks),
        console_(options.progress, ranks.isQuiet()), best_(options) {}

  Status run() {
    BOOSTRT_RETURN_IF_ERROR(prepare());
    Status status = trainAndEvaluate();
    if (status.ok())
      console_.memory(session_->plannedBytes(), session_->peakBytes());
    if (metrics_) {
      double wall =
          std::chrono::duration<double>(Clock::now() - begin_).count();
      metrics_->end(wall, session_->peakBytes(), session_->plannedBytes());
      Status closed = metrics_->close();
      if (status.ok())
        status = closed;
      else if (!closed.ok())
        console_.note(closed.message());
    }
    console_.clearBar();
    return status;
  }

private:
  /// Everything that takes memory outside the plan comes before
  /// measureMemory().
  Status prepare() {
    Result<std::unique_ptr<Session>> session =
        Session::open(options_, console_);
    if (!session.ok())
      return session.status();
    session_ = std::move(session).value();
    BOOSTRT_RETURN_IF_ERROR(checkRankCounts(
        session_->recipe(), ranks_.servers(), options_.program));
    const Program &program = session_->program();
    if (session_->data().source.train->size() == 0)
      return Status(ExitCode::Data, fmt::format("{}: there is no training data",
                                                session_->data().spec.text()));

    // What would make ranks take other steps, and wait for each other in vain.
    auto text = [](const auto &value) {
      return value ? fmt::format("{}", *value) : "not given";
    };
    BOOSTRT_RETURN_IF_ERROR(session_->agreeWith(
        ranks_,
        {{"--epochs", text(options_.epochs)},
         {"--steps", text(options_.steps)},
         {"--eval-every", text(options_.evalEvery)},
         {"--no-eval", fmt::format("{}", !options_.evaluate)},
         {"--check-replicas", fmt::format("{}", options_.checkReplicasEvery)},
         {"--checkpoint-dir", options_.checkpointDir ? "given" : "not given"},
         {"--checkpoint-every", options_.checkpointEvery.text()},
         {"--seed", text(options_.seed)},
         {"--shuffle", !options_.shuffle   ? "not given"
                       : *options_.shuffle ? "on"
                                           : "off"},
         {"--init", text(options_.init)},
         {"--basis", text(options_.basis)},
         {"--resume", text(options_.resume)},
         {"--changed-recipe", fmt::format("{}", options_.changedRecipe)},
         {"--private-state", !options_.privateState ? "not given"
                             : *options_.privateState == PrivateStateRule::Mean
                                 ? "mean"
                                 : "reset"},
         {"--log-adasum", fmt::format("{}", options_.logAdasumEvery)},
         {"profiled steps", fmt::format("{}", profiledSteps())}}));

    BOOSTRT_RETURN_IF_ERROR(checkEpoch());
    noteSplit();
    noteSteps();
    noteTail();
    if (profiledSteps() > 0) {
      Result<ProfileReport> report =
          ProfileReport::create(options_, *session_, ranks_);
      if (!report.ok())
        return report.status();
      profile_.emplace(std::move(report).value());
    }
    std::vector<std::string> notes;
    Result<std::optional<RunBasis>> basis =
        findBasis(options_, program, session_->recipe(), ranks_, notes);
    if (!basis.ok())
      return basis.status();
    for (const std::string &note : notes)
      console_.note(note);
    BOOSTRT_RETURN_IF_ERROR(session_->measureMemory(ranks_));
    if (ranks_.isFirst()) {
      if (options_.workdir)
        BOOSTRT_RETURN_IF_ERROR(
            makeWorkdir(realFileSystem(), *options_.workdir));
      BOOSTRT_RETURN_IF_ERROR(
          checkOutputs(options_, session_->data().spec, *basis));
    }
    Result<std::unique_ptr<CheckpointStore>> store =
        openStore(options_, program, ranks_);
    if (!store.ok())
      return store.status();
    // What a run before has left, and cannot be removed.
    if (*store && !(*store)->warning().empty())
      console_.note((*store)->warning());
    Result<StartingPoint> start = findStartingPoint(
        options_, program, session_->data(),
        endOf(options_, session_->recipe()), store->get(), ranks_);
    if (!start.ok())
      return start.status();
    for (const std::string &note : start->notes)
      console_.note(note);
    if (ranks_.isFirst())
      BOOSTRT_RETURN_IF_ERROR(
          best_.prepare(program, start->checkpoint.has_value(), console_));
    if (options_.metrics && ranks_.isFirst()) {
      Result<std::unique_ptr<MetricsFile>> metrics =
          MetricsFile::open(*options_.metrics, start->checkpoint.has_value());
      if (!metrics.ok())
        return metrics.status();
      metrics_ = std::move(metrics).value();
    }

    RunSteps steps(start->position, session_->data().epoch, getWindow(),
                   endOf(options_, session_->recipe()));
    session_->chooseData(ranks_,
                         {.training = steps.revisitsSamples(),
                          .evaluation = evaluatesAgain(start->position)});
    BOOSTRT_RETURN_IF_ERROR(session_->reserve(
        session_->planTraining(ranks_, options_.checkpointDir.has_value()),
        ranks_));
    BOOSTRT_RETURN_IF_ERROR(session_->trainWith(ranks_, options_.launch.comm,
                                                options_.logAdasumEvery));
    noteAdasumLog();
    for (const std::string &text :
         {session_->describeLink(), session_->describeAdasum()})
      if (!text.empty())
        console_.note(text);
    position_ = start->position;
    saving_.emplace(options_, session_->execution(), std::move(store).value(),
                    ranks_, console_, metrics_.get());
    if (start->checkpoint)
      saving_->startFrom(start->checkpoint->path, position_);
    return restoreStartingPoint(*start, *basis, options_, session_->execution(),
                                ranks_, position_);
  }

  /// 0: none.
  int64_t profiledSteps() const {
    return options_.profiles ? options_.profileSteps.value_or(10) : 0;
  }

  /// Shows what was timed; the run goes on without the trace if that cannot be
  /// written.
  void reportProfile(const StepProfiler &profiler) {
    if (!ranks_.isFirst())
      return;
    if (profiler.spans().empty())
      return console_.note(fmt::format(
          "no step was profiled: the first {} are not, and the run ended there",
          kUnprofiledSteps));
    console_.clearBar();
    writeResult(profile_->text(profiler.spans()));
    if (Status written = profile_->writeTrace(profiler.spans()); !written.ok())
      console_.note("training goes on without the trace: " + written.message());
  }

  /// Whether --log-adasum has an effect.
  void noteAdasumLog() {
    if (options_.logAdasumEvery == 0)
      return;
    if (!session_->combinesByAdasum())
      console_.note("--log-adasum has no effect, because this run does not "
                    "combine gradients with Adasum");
    else if (!options_.metrics)
      console_.note("--log-adasum has no effect without --metrics FILE, to "
                    "which it writes");
  }

  /// What else the bits of this run depend on, where it is not usual.
  void noteSplit() {
    const BoostProgram &d = session_->program().descriptor();
    int64_t ranks = ranks_.size(), micros = d.micro_batches;
    if (d.reproducible == BOOSTC_REPRODUCIBLE_OFF && ranks * micros > 1)
      console_.note(fmt::format(
          "compiled with --reproducible=off: the bits of the weights are those "
          "of windows of {} on {}, another split rounds differently",
          countOf(micros, "micro-batch"), countOf(ranks, "rank")));
  }

  /// Samples of a step, of all ranks.
  int64_t getWindow() const {
    const BoostProgram &d = session_->program().descriptor();
    return ranks_.share(d.micro_batches).windowSamples(d.batch_size);
  }

  /// Fails where an epoch has no step.
  Status checkEpoch() {
    const RunData &data = session_->data();
    const BoostProgram &d = session_->program().descriptor();
    int64_t samples = data.epoch.samples, window = getWindow();
    if (data.epoch.stepsOfPass(window) > 0)
      return Status();
    return Status(
        ExitCode::Data,
        fmt::format("{}: found {}, expected {} or more, which is a step of {} "
                    "with batches of {}, because data.drop_remainder drops "
                    "steps that are not full; use fewer ranks, or compile with "
                    "smaller batches or --set data.drop_remainder=false",
                    data.spec.text(), countOf(samples, "training sample"),
                    window,
                    countOf(ranks_.size() * d.micro_batches, "micro-batch"),
                    d.batch_size));
  }

  /// A last micro-batch from which some layers learn nothing.
  void noteTail() {
    const BoostProgram &d = session_->program().descriptor();
    const EpochPlan &epoch = session_->data().epoch;
    int64_t samples = epoch.samples;
    int64_t tail = samples % d.batch_size;
    if (tail == 0 || tail >= d.min_samples || epoch.dropsRemainder)
      return;
    console_.note(fmt::format(
        "warning: the last micro-batch of {} of {} has {}; a layer that "
        "normalises over samples needs {} or more, so the layers before it "
        "learn nothing from that micro-batch; leave out {} of the data, or "
        "compile with a batch_size that leaves more",
        epoch.passes == 1 ? "an epoch" : "a pass", countOf(samples, "sample"),
        tail, d.min_samples, tail));
  }

  /// What --steps does to schedules that end with the run.
  void noteSteps() {
    if (!options_.steps || options_.epochs)
      return;
    std::string names;
    for (const BoostSchedule &schedule : session_->program().schedules())
      if (boost_schedule_ends_with_run(&schedule))
        names +=
            fmt::format("{}'{}'", names.empty() ? "" : ", ", schedule.name);
    if (!names.empty())
      console_.note(fmt::format(
          "--steps {} without --epochs sets the length of the run; these "
          "schedules now end there: {}; --epochs {} keeps the model's curve",
          *options_.steps, names, session_->recipe().epochs));
  }

  Status trainAndEvaluate() {
    std::optional<StopSignals> signals;
    if (ranks_.handlesSignals())
      signals.emplace();
    Trainer::Settings settings{endOf(options_, session_->recipe()),
                               options_.logEvery, options_.checkReplicasEvery};
    const CheckpointPosition *now = nullptr;
    settings.betweenEpochs = [&] { return evaluateBetweenEpochs(*now); };
    std::optional<StepProfiler> profiler;
    if (profile_) {
      profiler.emplace(session_->execution(), kUnprofiledSteps,
                       profiledSteps());
      settings.profiler = &*profiler;
      settings.profiled = [&] { reportProfile(*profiler); };
    }
    Trainer trainer(session_->execution(), session_->arenas(), session_->data(),
                    ranks_, position_, std::move(settings), *saving_, console_,
                    metrics_.get());
    now = &trainer.position();
    if (trainer.reachedEnd())
      console_.note(describeEnd(trainer.position()));
    else
      console_.startTraining();
    Result<StopReason> reason = trainer.run();
    if (!reason.ok())
      return reason.status();
    // The run had fewer steps.
    if (profiler && !profiler->isDone())
      reportProfile(*profiler);
    BOOSTRT_RETURN_IF_ERROR(saving_->finish(trainer.position()));
    if (*reason == StopReason::Signal)
      return stopped(trainer, *saving_, ranks_.isFirst());
    if (!options_.evaluate)
      return Status();

    console_.startTesting();
    Result<Evaluation> evaluation = evaluateNow();
    if (!evaluation.ok())
      return evaluation.status();
    Status saved = record(trainer.position(), *evaluation);
    console_.result(*evaluation, saving_->newest());
    if (std::string summary = best_.summary(); !summary.empty())
      console_.note(summary);
    return saved;
  }

  Result<Evaluation> evaluateNow() {
    return evaluate(session_->execution(), session_->arenas(), session_->data(),
                    ranks_);
  }

  /// Writes an evaluation to the metrics, and its weights when they are the
  /// best.
  Status record(const CheckpointPosition &position,
                const Evaluation &evaluation) {
    if (metrics_)
      metrics_->evaluation(position.epoch, position.stepInEpoch,
                           position.globalStep, evaluation);
    return ranks_.isFirst()
               ? best_.offer(position, evaluation, session_->execution())
               : Status();
  }

  /// Epochs; 0: evaluates only at the end.
  int64_t evalEvery() const {
    return options_.evalEvery.value_or(session_->recipe().evalEvery);
  }

  /// Whether there may be an evaluation before the one at the end.
  bool evaluatesAgain(const CheckpointPosition &start) const {
    int64_t every = evalEvery();
    if (!options_.evaluate || every == 0)
      return false;
    std::optional<int64_t> last = endOf(options_, session_->recipe()).epochs;
    int64_t next = divideUp(std::max<int64_t>(start.epoch, 1), every) * every;
    return !last || next < *last;
  }

  Status evaluateBetweenEpochs(const CheckpointPosition &position) {
    int64_t every = evalEvery();
    if (!options_.evaluate || every == 0 || position.epoch % every != 0)
      return Status();
    Result<Evaluation> evaluation = evaluateNow();
    // The trainer sees the signal too, and what it interrupted is of no use.
    if (evaluation.status().code() == ExitCode::Signal)
      return Status();
    if (!evaluation.ok())
      return evaluation.status();
    console_.evaluationLine(position.epoch, position.stepInEpoch, *evaluation);
    if (Status saved = record(position, *evaluation); !saved.ok())
      console_.note("training goes on without the best weights: " +
                    saved.message());
    return Status();
  }

  const Options &options_;
  Ranks &ranks_;
  Clock::time_point begin_ = Clock::now();
  Console console_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<MetricsFile> metrics_;
  std::optional<Saving> saving_;
  std::optional<ProfileReport> profile_;
  BestWeights best_;
  CheckpointPosition position_;
};

} // namespace

Status trainCommand(const Options &options, Ranks &ranks) {
  return TrainRun(options, ranks).run();
}

} // namespace boostrt
