#include "runtime/predict/Predict.h"

#include "runtime/launch/CpuShare.h"
#include "runtime/predict/MeasuringRanks.h"
#include "runtime/program/ProgramTargets.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace boostrt {
namespace {

/// So long steps of one rank are run for, and of several.
constexpr double kSeconds = 0.25, kSecondsTogether = 1;
/// Messages are measured between at most so many ranks.
constexpr uint32_t kMostRanks = 8;

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

} // namespace

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
  const BoostTarget *target = findTarget(program, BOOST_TARGET_CPU);
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
  if (options.job.ranks > 1) {
    uint32_t measured = std::clamp(inServer, uint32_t(2), kMostRanks);
    ServerCosts shared = measurement.serverOf(std::max(inServer, 2u));
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
