// Predict.h - measures what a step costs here and predicts it for a job.
#pragma once

#include "runtime/predict/MeasureNetwork.h"
#include "runtime/predict/StepModel.h"

#include <optional>

namespace boostrt {

constexpr uint32_t kMostPredictedRanks = 4096;

struct PredictOptions {
  JobShape job;
  RankLink link = RankLink::Tcp;       ///< of ranks of a server
  std::optional<NetworkCosts> network; ///< between servers; else assumed
  std::optional<uint32_t> threads;     ///< of a rank
};

struct Prediction {
  JobShape job;
  RankLink link = RankLink::Tcp;
  bool networkIsAssumed = true;
  NetworkCosts network;
  ServerCosts server;        ///< measured
  uint32_t aloneThreads = 1; ///< of one rank that has the machine
  uint32_t microBatches = 1, batchSize = 1;
  StepPrediction step, alone;

  /// Samples per second by those of as many ranks that need not wait and have
  /// a machine each.
  double efficiency() const { return alone.total() / step.total(); }
};

/// Measures for about a second. Fails with ExitCode::Usage when the job cannot
/// be, ExitCode::Input when the program cannot run here.
Result<Prediction> predict(const BoostProgram &program,
                           const PredictOptions &options);

} // namespace boostrt
