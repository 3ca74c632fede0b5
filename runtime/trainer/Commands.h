// Commands.h - what boost-run does.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/Options.h"

namespace boostrt {

/// Trains, then evaluates.
Status trainCommand(const Options &options);

/// Evaluates the weights of options.checkpoint.
Status evalCommand(const Options &options);

/// Prints the descriptor.
Status infoCommand(const Options &options);

/// Times optimizer steps on batches that are in memory.
Status benchCommand(const Options &options);

/// Prints what this machine can run programs on.
Status doctorCommand(const Options &options);

/// All of boost-run: parses, runs, reports on standard error. Returns the exit
/// code.
int boostRun(int argc, const char *const *argv);

} // namespace boostrt
