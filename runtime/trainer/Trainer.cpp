#include "runtime/trainer/Trainer.h"

#include "runtime/trainer/StopSignals.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t divideUp(int64_t a, int64_t b) { return a / b + (a % b != 0); }

} // namespace

Trainer::Trainer(Execution &execution, const Arenas &arenas,
                 const RunData &data, CheckpointPosition start,
                 Settings settings, Saving &saving, Console &console,
                 MetricsFile *metrics)
    : execution_(execution), arenas_(arenas), data_(data),
      position_(std::move(start)), settings_(std::move(settings)),
      saving_(saving), console_(console), metrics_(metrics),
      window_(execution) {
  const BoostProgram &program = execution.program().descriptor();
  int64_t window = int64_t{program.batch_size} * program.micro_batches;
  stepsPerEpoch_ = divideUp(data.source.train->size(), window);
  if (__builtin_mul_overflow(settings_.epochs, stepsPerEpoch_, &lastStep_))
    lastStep_ = INT64_MAX;
  // A run that --steps ends early goes along the curve of the whole one.
  execution_.setRunLength({stepsPerEpoch_, lastStep_});
  lastStep_ = std::min(lastStep_, settings_.steps);
}

Status Trainer::checkPosition() const {
  int64_t completed = std::max<int64_t>(position_.epoch - 1, 0);
  if (position_.stepInEpoch <= stepsPerEpoch_ &&
      position_.globalStep ==
          completed * stepsPerEpoch_ + position_.stepInEpoch)
    return Status();
  const BoostProgram &program = execution_.program().descriptor();
  return Status(
      ExitCode::Checkpoint,
      fmt::format("the checkpoint stands at epoch {} step {}, global step {}, "
                  "but here an epoch has {} steps ({} samples, {} a step); "
                  "resume with the data and the accumulation of the run that "
                  "saved it",
                  position_.epoch, position_.stepInEpoch, position_.globalStep,
                  stepsPerEpoch_, data_.source.train->size(),
                  int64_t{program.batch_size} * program.micro_batches));
}

Result<StopReason> Trainer::run() {
  BOOSTRT_RETURN_IF_ERROR(checkPosition());
  if (reachedEnd())
    return StopReason::Finished;
  const BoostProgram &program = execution_.program().descriptor();
  const Dataset &train = *data_.source.train;
  Result<std::unique_ptr<Prefetcher>> batches = Prefetcher::create(
      train, *data_.trainingTransforms,
      Sampler(train.size(), position_.seed, position_.shuffle), data_.layout,
      arenas_.copies(BOOST_ARENA_BATCH));
  if (!batches.ok())
    return batches.status();

  runStart_ = Clock::now();
  while (!reachedEnd()) {
    if (position_.epoch == 0 || epochEnds()) {
      ++position_.epoch;
      position_.stepInEpoch = 0;
    }
    (*batches)->start(position_.epoch, position_.stepInEpoch *
                                           program.micro_batches *
                                           int64_t{program.batch_size});
    epochStart_ = Clock::now();
    epochSteps_ = epochSamples_ = 0;
    while (!epochEnds() && !reachedEnd()) {
      stepStart_ = Clock::now();
      Result<int64_t> samples = runWindow(**batches);
      if (!samples.ok())
        return samples.status();
      BOOSTRT_RETURN_IF_ERROR(applyWindow(*samples));
      if (StopSignals::received())
        return StopReason::Signal;
    }
    if (epochEnds())
      console_.epochTime(secondsSince(epochStart_) * 1e3, epochSteps_);
    if (!reachedEnd() && settings_.betweenEpochs) {
      BOOSTRT_RETURN_IF_ERROR(settings_.betweenEpochs());
      if (StopSignals::received())
        return StopReason::Signal;
    }
  }
  return StopReason::Finished;
}

Result<int64_t> Trainer::runWindow(Prefetcher &batches) {
  uint32_t microBatches = execution_.program().descriptor().micro_batches;
  int64_t samples = 0;
  for (uint32_t i = 0; i < microBatches; ++i) {
    // next() has the arena of the batch before filled anew; the update before
    // this window has waited for the last one's copy.
    if (i > 0)
      BOOSTRT_RETURN_IF_ERROR(execution_.finishBatch());
    Result<Batch> batch = batches.next();
    if (!batch.ok())
      return batch.status();
    if (batch->end())
      break;
    BOOSTRT_RETURN_IF_ERROR(window_.add(batch->base));
    samples += batch->valid;
  }
  BOOSTRT_RETURN_IF_ERROR(window_.sum());
  return samples;
}

Status Trainer::applyWindow(int64_t samples) {
  Result<bool> applied = window_.apply(position_.globalStep + 1);
  if (!applied.ok())
    return applied.status();
  Result<float> loss = window_.loss();
  if (!loss.ok())
    return loss.status();
  if (!*applied)
    return Status(
        ExitCode::Numerical,
        fmt::format("epoch {} step {}: the loss or a gradient is not finite "
                    "(loss {}); the step was not applied, weights are those "
                    "after global step {}; try a lower learning rate or look "
                    "at the data of this step",
                    position_.epoch, position_.stepInEpoch + 1, *loss,
                    position_.globalStep));
  ++position_.stepInEpoch;
  ++position_.globalStep;
  ++runSteps_;
  ++epochSteps_;
  epochSamples_ += samples;
  reportStep(samples, *loss);
  saving_.stepDone(position_, epochEnds());
  return Status();
}

void Trainer::reportStep(int64_t samples, float loss) {
  StepReport report{position_.epoch,
                    position_.stepInEpoch,
                    position_.globalStep,
                    loss,
                    execution_.learningRate(position_.globalStep),
                    static_cast<double>(samples) / secondsSince(stepStart_),
                    execution_.gradientNorm()};
  if (metrics_)
    metrics_->step(report);
  // A run that ends inside an epoch shows where it got to.
  if (settings_.logEvery.due(position_.globalStep, epochEnds() || reachedEnd()))
    console_.stepLine(report);
  // A single step is too short a time to show a rate that can be read.
  report.samplesPerSecond =
      static_cast<double>(epochSamples_) / secondsSince(epochStart_);
  int64_t epochs = divideUp(lastStep_, stepsPerEpoch_);
  console_.progress(report, epochs, stepsPerEpoch_,
                    secondsSince(runStart_) / static_cast<double>(runSteps_) *
                        static_cast<double>(lastStep_ - position_.globalStep));
}

Result<Evaluation> evaluate(Execution &execution, const Arenas &arenas,
                            const RunData &data) {
  const Dataset &test = *data.source.test;
  if (test.size() == 0)
    return Status(
        ExitCode::Data,
        fmt::format("{}: there is no held-out data to evaluate on", data.spec));
  Result<std::unique_ptr<Prefetcher>> batches = Prefetcher::create(
      test, *data.transforms, Sampler(test.size(), 0, /*shuffle=*/false),
      data.layout, arenas.copies(BOOST_ARENA_BATCH));
  if (!batches.ok())
    return batches.status();

  size_t count = execution.program().metrics().size();
  std::vector<double> sums(count);
  std::vector<int64_t> counts(count);
  (*batches)->start(0);
  while (true) {
    Result<Batch> batch = (*batches)->next();
    if (!batch.ok())
      return batch.status();
    if (batch->end())
      break;
    BOOSTRT_RETURN_IF_ERROR(execution.eval(batch->base));
    for (size_t i = 0; i < count; ++i) {
      SumCount pair = execution.metric(i);
      sums[i] += static_cast<double>(pair.sum);
      counts[i] += pair.count;
    }
    if (int signal = StopSignals::received())
      return Status(ExitCode::Signal, fmt::format("stopped by {} in the middle "
                                                  "of the evaluation",
                                                  StopSignals::name(signal)));
  }
  Evaluation evaluation;
  for (size_t i = 0; i < count; ++i)
    evaluation.values.emplace_back(execution.program().metrics()[i].name,
                                   sums[i] / static_cast<double>(counts[i]));
  return evaluation;
}

} // namespace boostrt
