// OutputChecks.h - what no output of a command may replace.
#pragma once

#include "runtime/data/Dataset.h"
#include "runtime/support/File.h"

#include <span>
#include <string>
#include <string_view>

namespace boostrt {

/// checkOutput(), which also refuses what belongs to a checkpoint, the lock of
/// a directory of checkpoints, and, where `data` is given, the files of the
/// data set: ExitCode::Usage.
Status checkResult(std::string_view flag, const std::string &path,
                   ExitCode code, std::span<const NamedFile> taken,
                   const DataSpec *data = nullptr);

} // namespace boostrt
