// CommandLine.h - the flags of boost-run.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/Options.h"

namespace boostrt {

struct CommandLine {
  Options options;
  /// What the user should know about the flags.
  std::vector<std::string> notes;
  /// Help or version: to be printed instead of running anything.
  std::string text;
};

/// Fails with ExitCode::Usage; unknown flags come with the nearest known one.
Result<CommandLine> parseCommandLine(int argc, const char *const *argv);

} // namespace boostrt
