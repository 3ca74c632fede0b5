// Options.h - what the command line of boost-run says, before it meets a
// program. An absent option is empty; its reader knows the default.
#pragma once

#include "runtime/checkpoint/RankFolders.h"
#include "runtime/data/Patterns.h"
#include "runtime/device/cuda/GpuChoice.h"
#include "runtime/launch/LaunchOptions.h"
#include "runtime/predict/Predict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace boostrt {

enum class ProgressKind { Auto, Bar, Plain, None };

/// A number of steps or of epochs: "100", "epoch", "5epochs".
struct Interval {
  int64_t steps = 0; ///< 0: epochs count
  int64_t epochs = 1;

  bool isInEpochs() const { return steps == 0; }
  /// Whether something is due after `globalStep`, a step of `epoch`. Multiples
  /// count, not what came before: a resumed run keeps to the same epochs.
  bool due(int64_t globalStep, int64_t epoch, bool epochEnds) const {
    return isInEpochs() ? epochEnds && epoch % epochs == 0
                        : globalStep % steps == 0;
  }
  std::string text() const {
    return !isInEpochs() ? std::to_string(steps)
           : epochs == 1 ? "epoch"
                         : std::to_string(epochs) + "epochs";
  }
  bool operator==(const Interval &) const = default;
};

/// What becomes of states that each rank has of its own when their number is
/// another than that of the ranks.
enum class PrivateStateRule { Mean, Reset };

enum class Command {
  Train,
  Evaluate,
  Info,
  Bench,
  Doctor,
  Ranks,
  RankTable,
  MakeData,
  Export,
  Pca
};

struct Options {
  Command command = Command::Train;
  std::string program;
  std::string device = "auto";
  std::string gpuLibrary = "auto";
  std::optional<std::string> data;
  std::optional<uint32_t> threads;
  /// No flag: what each rank gets of a machine that ranks share.
  uint32_t threadsAtMost = UINT32_MAX;
  /// No flag: the GPU of a rank.
  GpuChoice gpu;
  std::optional<std::string> metrics;
  std::optional<bool> skipBadSamples; ///< of training and `eval`
  ProgressKind progress = ProgressKind::Auto;

  // Training.
  std::optional<int64_t> epochs, steps;
  std::optional<uint64_t> seed;
  std::optional<bool> shuffle;
  std::optional<std::string> init, save, saveBest;
  std::optional<std::string> basis; ///< a file, or a directory of checkpoints
  /// Those of the tensors of --init, of `eval` and of `export`.
  std::optional<std::string> names;
  std::optional<int64_t> evalEvery; ///< epochs; 0: only at the end
  int64_t saveBestFrom = 1;         ///< epoch
  /// With `rankLayout`, the folder of rank 0 in it.
  std::optional<std::string> checkpointDir, checkpointPrefix;
  /// The directory of what the run writes under relative names; these have it
  /// in front already.
  std::optional<std::string> workdir;
  std::optional<RankLayout> rankLayout; ///< with a workdir alone
  Interval checkpointEvery, logEvery;
  int keepMax = 5;
  int64_t checkReplicasEvery = 100;  ///< steps; 0: never
  int64_t logAdasumEvery = 0;        ///< steps; 0: never
  std::optional<std::string> resume; ///< "auto", "never" or a path
  bool changedRecipe = false; ///< a checkpoint may be of another recipe
  std::optional<PrivateStateRule> privateState;
  bool evaluate = true;

  // Profiles, in training and `bench`.
  bool profiles = false;                   ///< --profile or --profile-steps
  std::optional<std::string> profileTrace; ///< file of --profile=FILE
  std::optional<int64_t> profileSteps;

  LaunchOptions launch; ///< of training, `eval`, `bench` and `ranks`

  std::optional<std::string> checkpoint;      ///< of `eval` and `export`
  int64_t benchSteps = 200, benchWarmup = 20; ///< of `bench`
  /// For `info`: the job whose steps are predicted.
  std::optional<PredictOptions> prediction;
  bool json = false; ///< of `info`, `bench`, `doctor` and `ranks`

  // For `rank-table`.
  std::string tableAction; ///< "create" or "merge"
  std::vector<std::string> hosts, tables;
  uint32_t devices = 0;
  std::optional<std::string> output; ///< of `export` and `pca`, too

  // For `pca`.
  std::optional<std::string> weightsDirectory;
  std::optional<int64_t> components; ///< else those of the program

  // For `make-data`.
  std::string madeKind; ///< "imagefolder"
  std::string madeDirectory;
  PatternOptions patterns;
};

} // namespace boostrt
