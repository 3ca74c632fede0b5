// Recipe.h - what the runtime takes from the resolved recipe in a program: the
// JSON text that boostc wrote down (docs/model-format.md).
#pragma once

#include "runtime/data/DataLimits.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace boostrt {

/// Which samples stay in memory as transforms made them (data.cache).
enum class CacheRule {
  None,
  Auto,      ///< of training, up to kTrainingCacheBytes
  Evaluation ///< also held-out images in files
};

struct Recipe {
  int64_t epochs = 1;
  int64_t evalEvery = 1;  ///< epochs; 0: only at the end
  std::string dataSource; ///< "mnist:MNIST_Data"; empty when it names none
  /// train.device_num and boost.common.device_number, where they are given.
  std::optional<int64_t> ranks, ranksPerServer;
  nlohmann::json transforms = nlohmann::json::array();
  /// What an evaluation does in their place; null: what does not draw of them.
  nlohmann::json evalTransforms;
  /// Threads of their own that make batches; nothing: what suits the machine.
  std::optional<int> workers;
  bool skipsBadSamples = false;
  /// What decoding an image takes at most, on each worker.
  uint64_t decodingBytes = kDecodingBytes;
  CacheRule cache = CacheRule::Auto;
  bool dropsRemainder = false;
  int64_t repeat = 1; ///< passes over the training set in an epoch
  /// boost.dim_reduce: the file of the basis, checkpoints to make one of, and
  /// the seconds in which that is done; empty names where it has none.
  std::string basisFile, basisCheckpoints;
  int64_t basisSeconds = 0;
  int64_t basisShards = 1; ///< ranks that its rows are divided over
  nlohmann::json all; ///< everything, for `boost-run info`
};

/// `path` is the program's, for messages. Fails with ExitCode::Input.
Result<Recipe> parseRecipe(const char *json, const std::string &path);

/// The same for a plan of memory without data: 0 where the model's own are no
/// images in files.
uint64_t plannedDecodingBytes(const Recipe &recipe);

/// Threads that a plan of memory takes to decode images where `threads` compute
/// on the host: all of these if the recipe leaves it to the run.
uint32_t plannedWorkers(const Recipe &recipe, uint32_t threads);

/// Fails with ExitCode::Usage where the recipe wants other numbers of ranks
/// than there are; `serverOfRank` has the server of each.
Status checkRankCounts(const Recipe &recipe,
                       const std::vector<uint32_t> &serverOfRank,
                       const std::string &path);

} // namespace boostrt
