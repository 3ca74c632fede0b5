#include "runtime/trainer/Trainer.h"

#include "runtime/trainer/ReplicaCheck.h"
#include "runtime/trainer/StopSignals.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// Begins with the batches that follow a position.
void startBatches(Prefetcher &batches, const EpochPlan &epoch,
                  const CheckpointPosition &position) {
  EpochPlan::Place place =
      epoch.placeAfter(position.epoch, position.samplesInEpoch);
  batches.start(place.order, place.first);
}

/// This rank's part of a window, as often as the phases of a step read it. A
/// single batch stays where it is; several are read again.
class WindowBatches {
public:
  WindowBatches(const Execution &execution, Prefetcher &batches, bool isSingle,
                const EpochPlan &epoch, const CheckpointPosition &position,
                BadSamples &bad)
      : execution_(execution), batches_(batches), isSingle_(isSingle),
        epoch_(epoch), position_(position), bad_(bad) {}

  Result<std::byte *> next() {
    if (isKept_)
      return single_;
    // next() has the arena of the batch before filled anew.
    BOOSTRT_RETURN_IF_ERROR(execution_.finishBatches());
    Result<Batch> batch = batches_.next();
    if (!batch.ok())
      return batch.status();
    if (batch->end())
      return single_ = nullptr;
    if (batch->bad > 0 && !isAgain_)
      bad_.add(*batch);
    return single_ = batch->base;
  }

  Status rewind() {
    isKept_ = isSingle_;
    isAgain_ = true;
    if (isKept_)
      return Status();
    BOOSTRT_RETURN_IF_ERROR(execution_.finishBatches());
    startBatches(batches_, epoch_, position_);
    return Status();
  }

private:
  const Execution &execution_;
  Prefetcher &batches_;
  const bool isSingle_;
  const EpochPlan &epoch_;
  const CheckpointPosition &position_; ///< where the window begins
  BadSamples &bad_;
  bool isKept_ = false;
  bool isAgain_ = false; ///< what is read was read before
  std::byte *single_ = nullptr;
};

} // namespace

Trainer::Trainer(Execution &execution, const Arenas &arenas,
                 const RunData &data, Ranks &ranks, CheckpointPosition start,
                 Settings settings, Saving &saving, Console &console,
                 MetricsFile *metrics)
    : execution_(execution), arenas_(arenas), data_(data), ranks_(ranks),
      share_(ranks.share(execution.program().descriptor().micro_batches)),
      position_(std::move(start)), settings_(std::move(settings)),
      saving_(saving), console_(console), metrics_(metrics), window_(execution),
      run_(position_, data.epoch,
           share_.windowSamples(execution.program().descriptor().batch_size),
           settings_.end) {
  execution_.setRun(run_);
}

Status Trainer::checkPosition() const {
  const CheckpointPosition &p = position_;
  // Every step uses a sample or more, of an epoch that has begun.
  if (p.samplesInEpoch <= run_.epoch().visits() &&
      p.stepInEpoch <= p.samplesInEpoch && p.stepInEpoch <= p.globalStep &&
      (p.stepInEpoch > 0) == (p.samplesInEpoch > 0) &&
      (p.epoch > 0 || p.globalStep == 0) && p.skipped <= p.globalStep &&
      p.skippedInRow <= p.skipped)
    return Status();
  return Status(
      ExitCode::Checkpoint,
      fmt::format(
          "the checkpoint is at epoch {} step {}, global step {}, "
          "after {} samples of the epoch, which is not a position in an "
          "epoch of {} samples; resume with the data of the run that "
          "saved it",
          p.epoch, p.stepInEpoch, p.globalStep, p.samplesInEpoch,
          run_.epoch().visits()));
}

Result<StopReason> Trainer::run() {
  Result<StopReason> reason = takeSteps();
  // A step that was launched after one that failed has its end too.
  if (!execution_.isSettled())
    (void)execution_.settle();
  return reason;
}

Result<StopReason> Trainer::takeSteps() {
  BOOSTRT_RETURN_IF_ERROR(checkPosition());
  if (reachedEnd())
    return StopReason::Finished;
  position_.ranks = share_.ranks;
  position_.microBatches = share_.microBatches;
  position_.microBatch = data_.layout.batchSize;
  BOOSTRT_RETURN_IF_ERROR(
      execution_.choose(position_.globalStep, position_.choices));
  const Dataset &train = *data_.source.train;
  Loading loading = data_.loading;
  loading.cache = data_.trainingCache.get();
  Result<std::unique_ptr<Prefetcher>> batches = Prefetcher::create(
      train, *data_.trainingTransforms,
      Sampler(train.size(), position_.seed, position_.shuffle), data_.layout,
      arenas_.copies(BOOSTC_ARENA_BATCH), data_.mode, share_, loading);
  if (!batches.ok())
    return batches.status();

  runStart_ = Clock::now();
  while (!reachedEnd()) {
    if (position_.epoch == 0 || epochEnds()) {
      ++position_.epoch;
      position_.stepInEpoch = position_.samplesInEpoch = 0;
    }
    epochStart_ = stepStart_ = Clock::now();
    epochSteps_ = epochSamples_ = 0;
    epochBad_ = {};
    bool beginsPass = true;
    while (!epochEnds() && !reachedEnd()) {
      if (beginsPass) {
        position_.samplesInEpoch =
            run_.usedBeforeStep(position_.samplesInEpoch);
        startBatches(**batches, run_.epoch(), position_);
      }
      BOOSTRT_RETURN_IF_ERROR(step(**batches));
      // A step that ends a pass is done (settlesNext()).
      beginsPass = execution_.isSettled() &&
                   position_.samplesInEpoch % run_.epoch().samples == 0;
      if (ranks_.isStopped()) {
        BOOSTRT_RETURN_IF_ERROR(settle());
        return StopReason::Signal;
      }
    }
    if (epochEnds())
      console_.epochTime(secondsSince(epochStart_) * 1e3, epochSteps_);
    BOOSTRT_RETURN_IF_ERROR(reportBadSamples());
    if (!reachedEnd() && settings_.betweenEpochs) {
      BOOSTRT_RETURN_IF_ERROR(settings_.betweenEpochs());
      if (ranks_.isStopped())
        return StopReason::Signal;
    }
  }
  return StopReason::Finished;
}

Status Trainer::step(Prefetcher &batches) {
  StepProfiler *profiler = settings_.profiler;
  if (!profiler || !profiler->takesNext())
    return takeStep(batches);
  BOOSTRT_RETURN_IF_ERROR(settle());
  profiler->begin(nextStep());
  BOOSTRT_RETURN_IF_ERROR(takeStep(batches));
  if (profiler->isDone() && settings_.profiled) {
    // Steps have not taken this time.
    Clock::time_point begin = Clock::now();
    settings_.profiled();
    Clock::duration taken = Clock::now() - begin;
    for (Clock::time_point *start : {&runStart_, &epochStart_, &stepStart_})
      *start += taken;
  }
  return Status();
}

Status Trainer::takeStep(Prefetcher &batches) {
  Status status = runWindow(batches);
  std::optional<StepResults> before;
  if (status.ok()) {
    Result<std::optional<StepResults>> applied = window_.apply(nextStep());
    status = applied.status();
    if (applied.ok())
      before = *applied;
  }
  if (!status.ok()) {
    // The step before has its end, whatever became of this one.
    BOOSTRT_RETURN_IF_ERROR(settle());
    return status;
  }
  if (before)
    BOOSTRT_RETURN_IF_ERROR(stepDone(*before));
  return settlesNext() ? settle() : Status();
}

Status Trainer::runWindow(Prefetcher &batches) {
  window_.begin(nextStep());
  if (window_.hasPhases())
    BOOSTRT_RETURN_IF_ERROR(settle());
  return window_.run(
      nextStep(), WindowBatches(execution_, batches, share_.microBatches == 1,
                                run_.epoch(), position_, epochBad_));
}

bool Trainer::settlesNext() const {
  int64_t next = position_.globalStep + 1;
  bool endsEpoch = stepsLeft() == 1, endsPass = stepsLeftOfPass() == 1;
  bool isProfiled = settings_.profiler && settings_.profiler->isOpen();
  if (!execution_.runsAhead() || window_.hasPhases() || endsPass ||
      next == run_.last() || saving_.isDue(next, position_.epoch, endsEpoch) ||
      isProfiled)
    return true;
  if (ranks_.isAlone())
    return false;
  // A rank without samples in the pass's last window writes to what results
  // are read from (Execution::contributeIdentity()).
  bool isBeforeLast = stepsLeftOfPass() == 2;
  return isBeforeLast || comparesReplicas(next) || execution_.logsAdasum(next);
}

bool Trainer::comparesReplicas(int64_t globalStep) const {
  return !ranks_.isAlone() && settings_.checkReplicasEvery > 0 &&
         globalStep % settings_.checkReplicasEvery == 0;
}

Status Trainer::settle() {
  if (execution_.isSettled())
    return Status();
  Result<StepResults> results = execution_.settle();
  // What is reported and saved now is not part of the step.
  if (settings_.profiler)
    settings_.profiler->end();
  return results.ok() ? stepDone(*results) : results.status();
}

Status Trainer::stepDone(const StepResults &results) {
  if (results.hasFailed)
    return Status(
        ExitCode::Numerical,
        fmt::format("epoch {} step {}: the loss or a gradient is not finite "
                    "(loss {}); the step was not applied, weights are those "
                    "after global step {}; try a lower learning rate or look "
                    "at the data of this step",
                    position_.epoch, position_.stepInEpoch + 1,
                    results.loss.mean(), position_.globalStep));
  ++position_.stepInEpoch;
  position_.samplesInEpoch = run_.usedAfterStep(position_.samplesInEpoch);
  ++position_.globalStep;
  position_.choices = execution_.choicesAfter(position_.globalStep);
  BOOSTRT_RETURN_IF_ERROR(countSkipped(results));
  ++runSteps_;
  ++epochSteps_;
  epochSamples_ += results.loss.count;
  reportStep(results);
  // Before what is wrong is saved.
  if (comparesReplicas(position_.globalStep))
    BOOSTRT_RETURN_IF_ERROR(
        checkReplicas(ranks_, execution_, position_.globalStep));
  saving_.stepDone(position_, epochEnds());
  stepStart_ = Clock::now();
  return Status();
}

Status Trainer::countSkipped(const StepResults &results) {
  if (results.isApplied) {
    position_.skippedInRow = 0;
    return Status();
  }
  ++position_.skipped;
  // Nothing is wrong with it, or with the steps around it.
  if (results.loss.isWeightless()) {
    if (position_.skipped == 1)
      console_.note(fmt::format(
          "epoch {} step {} was skipped: the weights of its samples are all 0; "
          "'skipped' in the metrics counts such steps",
          position_.epoch, position_.stepInEpoch));
    return Status();
  }
  if (position_.skipped == 1)
    console_.note(fmt::format(
        "epoch {} step {} was skipped: its loss or a gradient is not finite; "
        "'skipped' in the metrics counts such steps",
        position_.epoch, position_.stepInEpoch));
  if (++position_.skippedInRow < kMaxSkippedInRow)
    return Status();
  return Status(
      ExitCode::Numerical,
      fmt::format(
          "epoch {} step {}: the last {} steps were skipped, their loss "
          "or a gradient was not finite; weights are those after "
          "global step {}; try a lower learning rate or look at the "
          "data of these steps",
          position_.epoch, position_.stepInEpoch, kMaxSkippedInRow,
          position_.globalStep - kMaxSkippedInRow));
}

void Trainer::reportStep(const StepResults &results) {
  std::vector<std::pair<std::string_view, int32_t>> numbers;
  std::span names = execution_.program().stepNumbers();
  for (size_t i = 0; i < names.size(); ++i)
    numbers.emplace_back(names[i].tensor.name, results.numbers[i]);
  StepReport report{position_.epoch,
                    position_.stepInEpoch,
                    position_.globalStep,
                    results.loss.mean(),
                    execution_.learningRate(position_.globalStep),
                    static_cast<double>(results.loss.count) /
                        secondsSince(stepStart_),
                    results.gradientNorm,
                    results.lossScales,
                    results.overflows,
                    position_.skipped,
                    execution_.adasumLog(position_.globalStep),
                    numbers};
  if (metrics_)
    metrics_->step(report);
  // A run that ends between two lines of epochs shows where it got to.
  const Interval &every = settings_.logEvery;
  if (every.due(position_.globalStep, position_.epoch, epochEnds()) ||
      (every.isInEpochs() && reachedEnd()))
    console_.stepLine(report);
  // A single step is too short a time to show a rate that can be read.
  report.samplesPerSecond =
      static_cast<double>(epochSamples_) / secondsSince(epochStart_);
  int64_t stepsOfEpoch = position_.stepInEpoch + stepsLeft();
  int64_t later = run_.last() - position_.globalStep - stepsLeft();
  int64_t epochs =
      position_.epoch + divideUp(std::max<int64_t>(later, 0), run_.perEpoch());
  console_.progress(
      report, epochs, stepsOfEpoch,
      secondsSince(runStart_) / static_cast<double>(runSteps_) *
          static_cast<double>(run_.last() - position_.globalStep));
}

Status Trainer::reportBadSamples() {
  if (!data_.loading.skipsBadSamples)
    return Status();
  PreciseSum all[] = {{0, static_cast<double>(epochBad_.count)}};
  BOOSTRT_RETURN_IF_ERROR(ranks_.sum(all));
  epochBad_.count = static_cast<int64_t>(all[0].count);
  console_.badSamples(fmt::format("epoch {}", position_.epoch), epochBad_);
  return Status();
}

Result<Evaluation> evaluate(Execution &execution, const Arenas &arenas,
                            const RunData &data, Ranks &ranks) {
  const Dataset &test = *data.source.test;
  if (test.size() == 0)
    return Status(ExitCode::Data,
                  fmt::format("{}: there is no held-out data to evaluate on",
                              data.spec.text()));
  Loading loading = data.loading;
  loading.cache = data.evaluationCache.get();
  Result<std::unique_ptr<Prefetcher>> batches = Prefetcher::create(
      test, *data.transforms, Sampler(test.size(), 0, /*shuffle=*/false),
      data.layout, arenas.copies(BOOSTC_ARENA_BATCH), data.mode,
      ranks.share(/*microBatches=*/1), loading);
  if (!batches.ok())
    return batches.status();

  size_t count = execution.program().metrics().size();
  std::vector<PreciseSum> sums(count + 2); // the last: signals, bad samples
  Evaluation evaluation;
  (*batches)->start(0);
  while (!Ranks::stopRequest()) {
    Result<Batch> batch = (*batches)->next();
    if (!batch.ok())
      return batch.status();
    if (batch->end())
      break;
    if (batch->bad > 0)
      evaluation.bad.add(*batch);
    BOOSTRT_RETURN_IF_ERROR(execution.eval(batch->base));
    for (size_t i = 0; i < count; ++i) {
      SumCount pair = execution.metric(i);
      sums[i].sum += static_cast<double>(pair.sum);
      sums[i].count += pair.divisor();
    }
  }
  sums[count].count = static_cast<double>(Ranks::stopRequest());
  sums[count + 1].count = static_cast<double>(evaluation.bad.count);
  BOOSTRT_RETURN_IF_ERROR(ranks.sum(sums));
  ranks.agreeOnStop(static_cast<int64_t>(sums[count].count));
  if (sums[count].count > 0)
    return Status(ExitCode::Signal,
                  fmt::format("stopped by {} in the middle of the evaluation",
                              StopSignals::cause()));
  evaluation.bad.count = static_cast<int64_t>(sums[count + 1].count);
  for (size_t i = 0; i < count; ++i)
    evaluation.values.emplace_back(execution.program().metrics()[i].name,
                                   sums[i].sum / sums[i].count);
  return evaluation;
}

} // namespace boostrt
