// Commands.h - what boost-run does.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/Ranks.h"

namespace boostrt {

/// Trains, then evaluates, as one of `ranks`.
Status trainCommand(const Options &options, Ranks &ranks);

/// Evaluates the weights of options.checkpoint, which rank 0 reads for all.
Status evalCommand(const Options &options, Ranks &ranks);

/// Prints the descriptor.
Status infoCommand(const Options &options);

/// Times optimizer steps of `ranks` on batches that are in memory.
Status benchCommand(const Options &options, Ranks &ranks);

/// Prints what this machine can run programs on.
Status doctorCommand(const Options &options);

/// Prints which rank this process would be.
Status ranksCommand(const Options &options);

/// Writes images to train on.
Status makeDataCommand(const Options &options);

/// Writes the weights of options.checkpoint for other programs.
Status exportCommand(const Options &options);

/// Makes a basis of the checkpoints in options.weightsDirectory.
Status pcaCommand(const Options &options);

/// Writes a rank table.
Status rankTableCommand(const Options &options);

/// All of boost-run: parses, runs, reports on standard error. Returns the exit
/// code.
int boostRun(int argc, const char *const *argv);

} // namespace boostrt
