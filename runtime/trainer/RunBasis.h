// RunBasis.h - the basis that a run's steps are searched in.
#pragma once

#include "runtime/program/Recipe.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/Ranks.h"

#include <optional>
#include <string>
#include <vector>

namespace boostrt {

struct RunBasis {
  std::string path;   ///< of the file
  int64_t shards = 1; ///< ranks that its rows are divided over
};

/// The basis of a run; nothing for a program without one. --basis overrides
/// boost.dim_reduce.pca_mat_path, and that `weight_load_dir`. Of a directory of
/// checkpoints rank 0 makes basis.npy there. `notes` gets what the user should
/// know. Fails with ExitCode::Usage where no basis is named, and where it is in
/// shards for another number of ranks.
Result<std::optional<RunBasis>>
findBasis(const Options &options, const Program &program, const Recipe &recipe,
          const Ranks &ranks, std::vector<std::string> &notes);

/// Reads the rows of this rank to memory of the host; where it fails, the
/// memory holds nothing that may be used. Every rank calls it: rank 0 reads the
/// file, sends all rows, and returns their hash; the others return 0.
Result<uint64_t> readBasis(const RunBasis &basis, const Execution &execution,
                           Ranks &ranks);

} // namespace boostrt
