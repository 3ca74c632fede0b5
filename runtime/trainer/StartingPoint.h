// StartingPoint.h - what a run starts from: a checkpoint, a file of weights, or
// nothing.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/RunSteps.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/Ranks.h"
#include "runtime/trainer/RunBasis.h"
#include "runtime/trainer/RunData.h"
#include "runtime/trainer/TensorNames.h"

#include <optional>

namespace boostrt {

/// Opened and verified before memory is reserved.
struct StartingPoint {
  CheckpointPosition position; ///< all zero unless resumed
  std::optional<LoadedCheckpoint> checkpoint;
  bool changesRecipe = false;             ///< see ChangedRecipe.h
  std::optional<SafetensorsFile> weights; ///< of --init
  TensorNames names;                      ///< of the tensors in that file
  std::vector<std::string> notes;
};

/// Opens the store of --checkpoint-dir or --rank-checkpoints, and makes the
/// folders of the latter; null without these flags, and on all ranks but the
/// first.
Result<std::unique_ptr<CheckpointStore>>
openStore(const Options &options, const Program &program, const Ranks &ranks);

/// Decides between --resume, --init and a fresh start. `store` may be null.
/// Seed and shuffling come from the checkpoint; where the command line says
/// otherwise, or the data are not those of the run, that is an error; so is a
/// store all of whose checkpoints are damaged, unless --resume never leaves
/// them alone.
/// Rank 0 decides for all, and alone has the files.
Result<StartingPoint> findStartingPoint(const Options &options,
                                        const Program &program,
                                        const RunData &data, const RunEnd &end,
                                        CheckpointStore *store, Ranks &ranks);

/// Initialises weights and state, reads those of the starting point and the
/// basis, if any, over them, and gives all ranks those of rank 0, but of a
/// basis in shards each rank its own. Rank 0 notes in `position`, that of the
/// run, which basis it is. Fails with ExitCode::Checkpoint where the checkpoint
/// is of a run in another basis.
Status restoreStartingPoint(const StartingPoint &start,
                            const std::optional<RunBasis> &basis,
                            const Options &options, Execution &execution,
                            Ranks &ranks, CheckpointPosition &position);

} // namespace boostrt
