// FindCheckpoint.h - which checkpoint a path of the user's means.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"

namespace boostrt {

struct FoundCheckpoint {
  std::string path;
  /// What the user should know: those passed over, and which one was found.
  std::vector<std::string> notes;
};

/// The newest checkpoint that verifies where `path` is a directory of some, or
/// has one such directory in it: a working directory, or a folder of ranks
/// (RankFolders.h), where links of several ranks lead to the same one. Else
/// `path` itself, a checkpoint, a file or what is neither. Fails with
/// ExitCode::Checkpoint where no checkpoint verifies, or where checkpoints are
/// in several directories.
Result<FoundCheckpoint> findCheckpoint(FileSystem &files,
                                       const std::string &path);

} // namespace boostrt
