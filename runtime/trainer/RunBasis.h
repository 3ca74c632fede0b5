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

/// The file of the basis of a run; nothing for a program without one. --basis
/// overrides boost.dim_reduce.pca_mat_path, and that `weight_load_dir`. Of a
/// directory of checkpoints rank 0 makes basis.npy there. `notes` gets what the
/// user should know. Fails with ExitCode::Usage where no basis is named.
Result<std::optional<std::string>>
findBasis(const Options &options, const Program &program, const Recipe &recipe,
          const Ranks &ranks, std::vector<std::string> &notes);

/// Reads the basis to memory of the host and returns its hash; where it fails,
/// the memory holds nothing that may be used.
Result<uint64_t> readBasis(const std::string &path, const Execution &execution);

} // namespace boostrt
