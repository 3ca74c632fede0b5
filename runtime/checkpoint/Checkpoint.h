// Checkpoint.h - saving a run so that it can be continued, and finding the
// newest state that is worth continuing from.
//
// A checkpoint is a directory `<prefix>-<epoch>_<step>.ckpt`:
//   weights.safetensors  parameters
//   state.safetensors    optimizer state; rank 0's where each rank has its own
//   state.rank-NNNNN.safetensors  that of each other rank then, from 00001
//   manifest.json        position, recipe hash, bytes and SHA-256 of the others
// It is complete or it does not count: it is built under a temporary name,
// every file and directory synced, and renamed last. Whatever the moment of a
// crash or a power cut, the checkpoints completed before are still there.
#pragma once

#include "runtime/checkpoint/CheckpointPosition.h"
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/support/File.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace boostrt {

/// The metadata of a file of weights, and the way back: the
/// epoch and the steps, 0 where the file does not say.
SafetensorsMetadata weightsMetadata(const CheckpointPosition &position);
CheckpointPosition savedPosition(const SafetensorsMetadata &metadata);

/// A complete checkpoint, hashes verified; its data are still in its files.
struct LoadedCheckpoint {
  std::string path;
  CheckpointPosition position;
  /// See CheckpointManifest.
  std::string recipe;
  bool saysSamples = true;
  SafetensorsFile weights;
  SafetensorsFile state;
  /// How many ranks' own states exist, this one counted; 1: state is the
  /// same on all ranks.
  uint32_t rankStates = 1;
};

/// Where the states of other ranks come from when a checkpoint is written.
struct RankStates {
  uint32_t ranks = 1; ///< of the job
  /// The state of a rank >= 1, valid until the next call. Called once for each
  /// rank, in their order.
  std::function<Result<std::span<const TensorView>>(uint32_t rank)> fetch = {};
};

/// A checkpoint passed over, and why.
struct SkippedCheckpoint {
  std::string path;
  std::string reason;

  /// Both, as a note for the user.
  std::string describe() const;
};

struct NewestCheckpoint {
  bool found = false;
  std::string path;                       ///< when found
  CheckpointPosition position;            ///< when found
  std::vector<SkippedCheckpoint> skipped; ///< newer than `path`, newest first
};

/// Reads the checkpoint directory `path`, under whatever name. Verifies sizes
/// and hashes before it looks at any tensor; what is read later is what was
/// hashed (VerifiedFile.h).
/// A file of more than `maxFileBytes` is refused unread.
Result<LoadedCheckpoint> loadCheckpoint(FileSystem &files,
                                        const std::string &path,
                                        uint64_t maxFileBytes = kNoLimit);

/// The state of a rank of a checkpoint with several, 1 <= rank <
/// LoadedCheckpoint::rankStates.
Result<SafetensorsFile> loadRankState(FileSystem &files,
                                      const std::string &path, uint32_t rank,
                                      uint64_t maxFileBytes = kNoLimit);

/// The position of checkpoint `path` once all its files have been verified.
Result<CheckpointPosition> verifyCheckpoint(FileSystem &files,
                                            const std::string &path);

/// The newest checkpoint of `prefix`, or of any, in `directory` that verifies.
/// Fails only when the directory cannot be read; a missing one holds no
/// checkpoint.
Result<NewestCheckpoint>
newestValidCheckpoint(FileSystem &files, const std::string &directory,
                      std::optional<std::string_view> prefix);

/// The weights of `path`: a checkpoint directory or one safetensors file.
Result<SafetensorsFile> loadWeights(FileSystem &files, const std::string &path,
                                    uint64_t maxDataBytes = kNoLimit);

/// Reads weights and state into the run's memory: all of it, or nothing when
/// any tensor of either file is missing, unknown or of another type or shape.
/// The state may have the tensors that are ignored besides. When a file cannot
/// be read or has changed since it was verified, the memory holds nothing that
/// may be used, and the run ends.
Status restore(const LoadedCheckpoint &checkpoint,
               std::span<const TensorTarget> weights,
               std::span<const TensorTarget> state,
               const NameFilter &isIgnored = {});

/// Fails when `found` (read from `path`) cannot be continued by a run that is
/// `expected`: recipe, seed, shuffling or data differ. Positions are not
/// compared. The recipes' texts say in what they differ; empty: unknown.
Status checkSameRun(const CheckpointPosition &found,
                    const std::string &foundRecipe,
                    const CheckpointPosition &expected,
                    const std::string &expectedRecipe, const std::string &path);

/// In what the recipes of two runs, with their texts, differ, as far as that
/// can be known.
std::string describeRecipes(const CheckpointPosition &found,
                            const std::string &foundRecipe,
                            const CheckpointPosition &expected,
                            const std::string &expectedRecipe);

/// "<prefix>-<epoch>_<step>.ckpt".
std::string checkpointName(const std::string &prefix,
                           const CheckpointPosition &position);

/// The checkpoints of one run. One process at a time: a second is refused. Only
/// rank 0 has a store.
class CheckpointStore {
public:
  /// Makes the directory if need be, proves that it can be written, takes its
  /// lock, and tidies what a killed process left. `keepMax` >= 1 complete
  /// checkpoints are kept, but never fewer than 2, so that two exist while a
  /// third is written. `recipe` goes into each (CheckpointManifest::recipe).
  static Result<std::unique_ptr<CheckpointStore>>
  open(FileSystem &files, std::string directory, std::string prefix,
       int keepMax, std::string recipe = {});

  /// Writes a checkpoint, then deletes the oldest beyond keepMax. When this
  /// fails, all earlier checkpoints are untouched and the caller may train on
  /// and try again. Returns the path.
  Result<std::string> save(const CheckpointPosition &position,
                           std::span<const TensorView> weights,
                           std::span<const TensorView> state,
                           const RankStates &others = {});

  /// The path of the checkpoint that save() writes at `position`.
  std::string pathOf(const CheckpointPosition &position) const {
    return directory_ + "/" + checkpointName(prefix_, position);
  }

  /// See newestValidCheckpoint.
  Result<NewestCheckpoint> newestValid();

  /// What the last save could not tidy; empty when all went well. Never a
  /// reason to stop training.
  const std::string &warning() const { return warning_; }

private:
  CheckpointStore(FileSystem &files, std::string directory, std::string prefix,
                  int keepMax, std::string recipe);
  Status takeLock();
  Status checkNames() const;
  Status tidy();
  Status writeFiles(const std::string &temporary,
                    const CheckpointPosition &position,
                    std::span<const TensorView> weights,
                    std::span<const TensorView> state,
                    const RankStates &others);
  Status publish(const std::string &name);
  Status prune(const std::string &newest);
  Status removeCheckpoint(const std::string &name);

  FileSystem &files_;
  std::string directory_, prefix_, recipe_, warning_;
  int keepMax_;
  std::unique_ptr<FileLock> lock_;
  /// By name: what this process found when it wrote or verified it.
  std::map<std::string, bool> complete_;
};

} // namespace boostrt
