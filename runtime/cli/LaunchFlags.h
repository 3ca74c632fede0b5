// LaunchFlags.h - the flags of boost-run that are about ranks.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/Options.h"

namespace CLI {
class App;
} // namespace CLI

namespace boostrt {

/// Of every command that is run by ranks.
void addLaunch(CLI::App &app, LaunchOptions &options);

/// Of `rank-table`, action and files included.
void addRankTable(CLI::App &app, Options &options);

/// What CLI11 does not check. Fails with ExitCode::Usage, without advice to
/// read the help.
Status checkRankTable(const Options &options);

} // namespace boostrt
