// OutputChecks.h - what no output of a command may replace.
#pragma once

#include "runtime/data/Dataset.h"
#include "runtime/support/File.h"
#include "runtime/trainer/Options.h"

#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// The files that a command reads because `options`, or the environment, name
/// them.
std::vector<NamedFile> inputsOf(const Options &options);

/// checkOutput(), which also refuses what belongs to a checkpoint, the lock of
/// a directory of checkpoints, and, where `data` is given, the files of the
/// data set.
Status checkResult(std::string_view flag, const std::string &path,
                   ExitCode code, std::vector<NamedFile> taken,
                   const DataSpec *data = nullptr);

} // namespace boostrt
