// RankFolders.h - where the ranks of a job find the checkpoints of a run, in
// the folders that MindSpore's scripts for ResNet make.
//
// Rank 0 writes them. The other ranks' folders are relative links to its own,
// so a tree that is moved or copied as a whole stays whole.
#pragma once

#include "runtime/support/File.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace boostrt {

enum class RankLayout {
  PerRank, ///< train_parallel<rank>/ckpt_0: scripts that start each rank
  Shared   ///< train_parallel/ckpt_<rank>: scripts that start mpirun
};

/// "per-rank", "shared": the values of --rank-checkpoints.
std::string_view layoutName(RankLayout layout);

/// The folder with a rank's checkpoints, below the working directory of a run.
std::string rankFolder(RankLayout layout, uint32_t rank);

/// Whether a script makes a folder of this name for a rank or for all, and in
/// it one of that name for checkpoints.
bool isTrainingFolder(std::string_view name);
bool isRankFolder(std::string_view name);

/// `directory`, made if need be. Fails with ExitCode::Usage where it cannot be,
/// or is something else.
Status makeWorkdir(FileSystem &files, const std::string &directory);

/// Makes rank 0's folder in `workdir` and the links of ranks 1 to `ranks` - 1.
/// What has one of these names and is something else stays as it is and is an
/// error, ExitCode::Checkpoint.
Status makeRankFolders(FileSystem &files, const std::string &workdir,
                       RankLayout layout, uint32_t ranks);

/// Fails with ExitCode::Usage where `workdir` has checkpoints of `prefix` in
/// the other layout alone: a run that looks in `layout` would begin anew.
Status checkOtherLayout(FileSystem &files, const std::string &workdir,
                        RankLayout layout, std::string_view prefix);

} // namespace boostrt
