// Predict.h - measures what a step costs here and predicts it for a job.
#pragma once

#include "runtime/predict/StepModel.h"

#include <optional>
#include <string>

namespace boostrt {

enum class RankLink {
  Tcp,    ///< between processes
  Memory, ///< between threads of one
};

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

/// Measures for about a second. Processes that do load the program from `file`,
/// a path with a slash in it; see MeasuringRanks.h for what their main() has to
/// do. Fails with ExitCode::Usage when the job cannot
/// be, ExitCode::Input when the program cannot run here.
Result<Prediction> predict(const BoostProgram &program, const std::string &file,
                           const PredictOptions &options);

} // namespace boostrt
