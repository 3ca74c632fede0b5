#include "runtime/predict/Predict.h"

#include "runtime/launch/CpuShare.h"
#include "runtime/predict/MeasuringRanks.h"
#include "runtime/program/ProgramTargets.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// So long steps of one rank are run for, and of several.
constexpr double kSeconds = 0.25, kSecondsTogether = 1;
/// Messages are measured between at most so many ranks.
constexpr uint32_t kMaxRanks = 8;

class Measurement {
public:
  Measurement(const BoostProgram &program, const BoostTarget &target,
              const std::string &file, const PredictOptions &options)
      : program_(program), target_(target), file_(file), options_(options) {}

  /// As many threads as a rank has, see runOnRanks().
  ServerCosts serverOf(uint32_t ranks) const {
    ServerCosts server;
    server.cores =
        std::max<uint32_t>(1, static_cast<uint32_t>(usableCpus().size()));
    server.threads = options_.threads.value_or(
        std::min(target_.threads, std::max(1u, server.cores / ranks)));
    return server;
  }

  Result<StepCosts> alone(uint32_t threads) const {
    return measureSteps(program_, target_, threads, nullptr, kSeconds);
  }
  Result<StepCosts> together(uint32_t ranks, uint32_t threads) const {
    if (options_.link == RankLink::Memory)
      return measureOnThreads(program_, target_, threads, ranks,
                              kSecondsTogether);
    return measureOnProcesses(file_, threads, ranks, kSecondsTogether);
  }

private:
  const BoostProgram &program_;
  const BoostTarget &target_;
  const std::string &file_;
  const PredictOptions &options_;
};

/// What several ranks together are expected to take for the fewest steps that
/// they are measured in, from what a rank alone takes.
double secondsTogether(const ServerCosts &alone, uint32_t microBatches,
                       uint32_t ranks, uint32_t threads) {
  double step = microBatches * alone.compute.micro +
                (microBatches - 1) * alone.compute.combine +
                alone.compute.update;
  double stretch = std::max(1.0, double(alone.threads) / threads) *
                   std::max(1.0, double(ranks) * threads / alone.cores);
  return kMinStepsTogether * step * stretch;
}

} // namespace

uint32_t measuredRanks(const JobShape &job) {
  return job.ranks == 1
             ? 1
             : std::clamp(job.ranksPerServer(), uint32_t(2), kMaxRanks);
}

std::string describeMeasuring(const JobShape &job) {
  uint32_t together = measuredRanks(job);
  std::string text =
      fmt::format("measuring a step here: one rank for {:.3g} s", kSeconds);
  if (together > 1)
    text += fmt::format(", then {} together for {:.3g} s", together,
                        kSecondsTogether);
  text += "; a long step is run once";
  if (together > 1)
    text += fmt::format(", and not together where that would take more than "
                        "{:.3g} s",
                        kMaxTogether);
  return text;
}

Result<Prediction> predict(const BoostProgram &program, const std::string &file,
                           const PredictOptions &options) {
  Prediction prediction;
  prediction.job = options.job;
  prediction.link = options.link;
  prediction.networkIsAssumed = !options.network;
  prediction.network = options.network.value_or(NetworkCosts());
  prediction.microBatches = program.micro_batches;
  prediction.batchSize = program.batch_size;
  // A job that cannot be is found out before anything is measured.
  Result<StepPrediction> possible =
      predictStep(program, options.job, prediction.server, prediction.network);
  if (!possible.ok())
    return possible.status();
  const BoostTarget *target = findTarget(program, BOOSTC_TARGET_CPU);
  if (!target)
    return Status(ExitCode::Input,
                  fmt::format("'{}' has no code for CPUs, on which a "
                              "prediction measures it; compile it with boostc "
                              "--target=cpu,cuda",
                              program.name));
  Measurement measurement(program, *target, file, options);
  ServerCosts alone = measurement.serverOf(1);
  Result<StepCosts> costs = measurement.alone(alone.threads);
  if (!costs.ok())
    return costs.status();
  alone.compute = costs->compute;
  prediction.aloneThreads = alone.threads;
  ServerCosts &server = prediction.server = alone;
  uint32_t inServer = options.job.ranksPerServer();
  uint32_t measured = measuredRanks(options.job);
  ServerCosts shared = measurement.serverOf(std::max(inServer, 2u));
  if (double seconds = secondsTogether(alone, program.micro_batches, measured,
                                       shared.threads);
      measured > 1 && seconds > kMaxTogether) {
    prediction.notMeasured = seconds;
    // As if threads shared all evenly.
    if (inServer > 1) {
      for (double ComputeCosts::*cost : kComputeCosts)
        server.compute.*cost *=
            std::max(1.0, double(server.threads) / shared.threads);
      server.threads = shared.threads;
    }
  } else if (measured > 1) {
    costs = measurement.together(measured, shared.threads);
    if (!costs.ok())
      return costs.status();
    server.comm = costs->exchange.comm;
    server.wait = costs->exchange.wait;
    server.commRanks = measured;
    if (inServer > 1) {
      server.threads = shared.threads;
      server.compute = costs->compute;
      server.computeRanks = measured;
    }
  }
  Result<StepPrediction> single =
      predictStep(program, {}, alone, prediction.network);
  if (!single.ok())
    return single.status();
  prediction.alone = *single;
  Result<StepPrediction> step =
      predictStep(program, options.job, server, prediction.network);
  if (!step.ok())
    return step.status();
  prediction.step = std::move(step).value();
  return prediction;
}

} // namespace boostrt
