// LaunchFlags.h - the flags of boost-run that are about ranks.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/Options.h"

namespace CLI {
class App;
} // namespace CLI

namespace boostrt {

/// Flags of every command that ranks run.
void addLaunch(CLI::App &app, LaunchOptions &options);

/// Arguments and flags of `rank-table`.
void addRankTable(CLI::App &app, Options &options);

/// What CLI11 does not check. Fails with ExitCode::Usage, without advice to
/// read the help.
Status checkRankTable(const Options &options);

} // namespace boostrt
