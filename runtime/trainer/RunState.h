// RunState.h - a run's weights and state between memory and files: saving now
// and then. StartingPoint.h reads them.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/PrivateState.h"
#include "runtime/trainer/Ranks.h"
#include "runtime/trainer/Report.h"

#include <optional>

namespace boostrt {

/// The program's tables as places in the host's arenas of `execution`. A moving
/// average that a file lacks begins as what it averages.
std::vector<TensorTarget> weightTargets(const Execution &execution);
std::vector<TensorTarget> stateTargets(const Execution &execution);
/// The most data that a file of weights may have. One of another framework,
/// with `names` for its tensors, may count batches besides.
uint64_t maxWeightBytes(const Program &program,
                        const std::optional<std::string> &names);
/// What evaluations read, under the names of the weights, to be written:
/// averages in the place of the weights where evaluations read these.
std::vector<TensorView> evaluatedViews(const Execution &execution);

/// Writes checkpoints and the --save file when they are due; on rank 0, to
/// which others hand what is theirs.
class Saving {
public:
  Saving(const Options &options, const Execution &execution,
         std::unique_ptr<CheckpointStore> store, Ranks &ranks, Console &console,
         MetricsFile *metrics = nullptr);

  /// Whether stepDone() looks at the weights.
  bool isDue(int64_t globalStep, int64_t epoch, bool epochEnds) const {
    return (keepsCheckpoints_ &&
            checkpointEvery_.due(globalStep, epoch, epochEnds)) ||
           (saveFile_ && epochEnds);
  }
  /// Call after every step. A checkpoint that cannot be written is noted, and
  /// training goes on: the next one may succeed.
  void stepDone(const CheckpointPosition &position, bool epochEnds);

  /// Writes what the last step has not written yet. Now failing is an error
  /// (ExitCode::Checkpoint).
  Status finish(const CheckpointPosition &position);

  /// The newest file with weights: of this run, or the one it started from
  /// until its first step; empty when there is none.
  const std::string &newest() const { return newest_; }
  /// The run begins with this checkpoint.
  void startFrom(const std::string &path, const CheckpointPosition &position);
  bool keepsCheckpoints() const { return keepsCheckpoints_; }

private:
  Status checkpoint(const CheckpointPosition &position);
  Status writeCheckpoint(const CheckpointPosition &position,
                         const RankStates &others);
  Status saveWeights(const CheckpointPosition &position);

  const Execution &execution_;
  Console &console_;
  MetricsFile *const metrics_; ///< null: none, or not on this rank
  const Interval checkpointEvery_;
  const std::optional<std::string> saveFile_;
  std::unique_ptr<CheckpointStore> store_;
  const bool keepsCheckpoints_;
  std::optional<StateCollector> states_; ///< where ranks have their own
  std::vector<TensorView> weights_, state_;
  std::string newest_;
  bool isNewestOlder_ = false; ///< than the next step: the run began with it
  int64_t checkpointedStep_ = -1, savedStep_ = -1;
};

} // namespace boostrt
