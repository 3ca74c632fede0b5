// CommandLine.h - boostc's options and how it ends.
#pragma once

namespace boostc {

/// The whole of boostc: parses options, compiles, writes the output atomically.
/// Returns the exit code (docs/user-guide.md).
int runBoostc(int argc, char **argv);

} // namespace boostc
