#include "runtime/predict/Predict.h"

#include "runtime/launch/CpuShare.h"
#include "runtime/predict/MeasureCompute.h"
#include "runtime/program/ProgramCollectives.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace boostrt {
namespace {

/// So long steps are run for.
constexpr double kSeconds = 0.25;
/// Messages are measured between at most so many ranks.
constexpr uint32_t kMostRanks = 8;

const BoostTarget *cpuTarget(const BoostProgram &program) {
  for (const BoostTarget &target :
       std::span(program.targets, program.target_count))
    if (target.kind == BOOST_TARGET_CPU)
      return &target;
  return nullptr;
}

/// Of the longest vector that ranks combine.
size_t longestBytes(const BoostProgram &program) {
  size_t longest = 0;
  for (const BoostCollective &collective :
       std::span(program.collectives, program.collective_count)) {
    longest = std::max(longest, countOf(BOOST_F32, collective));
  }
  return longest * sizeof(float);
}

/// `ranks` ranks as they would compute on this machine.
Status measureRanks(const BoostProgram &program, const BoostTarget &target,
                    uint32_t ranks, std::optional<uint32_t> threads,
                    ServerCosts &server) {
  // As ranks that share a machine have it, see runOnRanks().
  server.threads = threads.value_or(
      std::min(target.threads, std::max(1u, server.cores / ranks)));
  server.computeRanks =
      std::clamp(server.cores / server.threads, uint32_t(1), ranks);
  Result<ComputeCosts> compute = measureCompute(
      program, target, server.computeRanks, server.threads, kSeconds);
  if (!compute.ok())
    return compute.status();
  server.compute = *compute;
  return Status();
}

} // namespace

Result<Prediction> predict(const BoostProgram &program,
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
  const BoostTarget *target = cpuTarget(program);
  if (!target)
    return Status(ExitCode::Input,
                  fmt::format("'{}' has no code for CPUs, on which a "
                              "prediction measures it; compile it with boostc "
                              "--target=cpu,cuda",
                              program.name));
  ServerCosts &server = prediction.server;
  server.cores =
      std::max<uint32_t>(1, static_cast<uint32_t>(usableCpus().size()));
  ServerCosts alone = server;
  BOOSTRT_RETURN_IF_ERROR(
      measureRanks(program, *target, 1, options.threads, alone));
  prediction.aloneThreads = alone.threads;
  uint32_t inServer = options.job.ranksPerServer();
  if (options.job.ranks > 1) {
    BOOSTRT_RETURN_IF_ERROR(
        measureRanks(program, *target, inServer, options.threads, server));
    server.commRanks = std::clamp(inServer, uint32_t(2), kMostRanks);
    Result<CommCosts> comm =
        measureNetwork(server.commRanks, options.link, longestBytes(program));
    if (!comm.ok())
      return comm.status();
    server.comm = *comm;
  } else {
    server = alone;
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
