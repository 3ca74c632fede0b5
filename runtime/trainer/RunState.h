// RunState.h - a run's weights and state between memory and files: starting
// from a file, saving now and then.
#pragma once

#include "runtime/trainer/Checkpoint.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/PrivateState.h"
#include "runtime/trainer/Ranks.h"
#include "runtime/trainer/Report.h"
#include "runtime/trainer/RunData.h"

#include <optional>

namespace boostrt {

/// The program's tables as places in the host's arenas of `execution`.
std::vector<TensorTarget> weightTargets(const Execution &execution);
std::vector<TensorTarget> stateTargets(const Execution &execution);
/// The weights, to be written.
std::vector<TensorView> weightViews(const Execution &execution);

/// What a run starts from, read and verified before memory is reserved.
struct StartingPoint {
  CheckpointPosition position; ///< all zero unless resumed
  std::optional<LoadedCheckpoint> checkpoint;
  std::optional<SafetensorsContent> weights; ///< of --init
  std::string weightsPath;
  std::vector<std::string> notes;
};

/// Decides between --resume, --init and a fresh start. `store` may be null.
/// Seed and shuffling come from the checkpoint; where the command line says
/// otherwise, or the data are not those of the run, that is an error.
/// Rank 0 decides for all, and alone has what was read.
Result<StartingPoint> findStartingPoint(const Options &options,
                                        const Program &program,
                                        const RunData &data,
                                        CheckpointStore *store, Ranks &ranks);

/// Initialises weights and state, overwrites them with what was loaded, which
/// is freed, and gives all ranks those of rank 0.
Status restoreStartingPoint(StartingPoint &start, const Options &options,
                            Execution &execution, Ranks &ranks);

/// Opens the store of --checkpoint-dir; null when there is none, as there is
/// none on any rank but the first.
Result<std::unique_ptr<CheckpointStore>>
openStore(const Options &options, const Program &program, const Ranks &ranks);

/// Writes checkpoints and the --save file when they are due; on rank 0, to
/// which others hand what is theirs.
class Saving {
public:
  Saving(const Options &options, const Execution &execution,
         std::unique_ptr<CheckpointStore> store, Ranks &ranks,
         Console &console);

  /// Whether stepDone() looks at the weights.
  bool isDue(int64_t globalStep, bool epochEnds) const {
    return (keepsCheckpoints_ && checkpointEvery_.due(globalStep, epochEnds)) ||
           (saveFile_ && epochEnds);
  }
  /// Call after every step. A checkpoint that cannot be written is noted, and
  /// training goes on: the next one may succeed.
  void stepDone(const CheckpointPosition &position, bool epochEnds);

  /// Writes what the last step has not written yet. Now failing is an error
  /// (ExitCode::Checkpoint).
  Status finish(const CheckpointPosition &position);

  /// The newest file with weights: of this run, or the one it started from.
  const std::string &newest() const { return newest_; }
  void setNewest(std::string path) { newest_ = std::move(path); }
  bool keepsCheckpoints() const { return keepsCheckpoints_; }

private:
  Status checkpoint(const CheckpointPosition &position);
  Status writeCheckpoint(const CheckpointPosition &position,
                         const RankStates &others);
  Status saveWeights(const CheckpointPosition &position);

  const Execution &execution_;
  Console &console_;
  const Interval checkpointEvery_;
  const std::optional<std::string> saveFile_;
  std::unique_ptr<CheckpointStore> store_;
  const bool keepsCheckpoints_;
  std::optional<StateCollector> states_; ///< where ranks have their own
  std::vector<TensorView> weights_, state_;
  std::string newest_;
  int64_t checkpointedStep_ = -1, savedStep_ = -1;
};

} // namespace boostrt
