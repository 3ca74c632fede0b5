// Predict.h - measures what a step costs here and predicts it for a job.
#pragma once

#include "runtime/program/StepModel.h"

#include <optional>
#include <string>

namespace boostrt {

enum class RankLink {
  Tcp,    ///< between processes
  Memory, ///< between threads of one
};

/// Seconds: see predict().
constexpr double kMaxTogether = 60;

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
  /// Seconds that measuring several ranks would have taken, where that was too
  /// long and costs are assumed; else 0.
  double notMeasured = 0;
  uint32_t microBatches = 1, batchSize = 1;
  StepPrediction step, alone;

  /// Samples per second by those of as many ranks that need not wait and have
  /// a machine each.
  double efficiency() const { return alone.total() / step.total(); }
};

/// How many ranks are measured together for a job; 1: none are.
uint32_t measuredRanks(const JobShape &job);

/// "measuring a step here: one rank for 0.25 s, then 8 together for 1 s; ..."
std::string describeMeasuring(const JobShape &job);

/// Measures for about a second, and for longer where steps are long: a rank
/// runs one alone in any case, and several run theirs together only where that
/// is not expected to take more than kMaxTogether; else what messages cost is
/// assumed. Processes that do load the program from `file`,
/// a path with a slash in it; see MeasuringRanks.h for what their main() has to
/// do. Fails with ExitCode::Usage when the job cannot
/// be, ExitCode::Input when the program cannot run here.
Result<Prediction> predict(const BoostProgram &program, const std::string &file,
                           const PredictOptions &options);

} // namespace boostrt
