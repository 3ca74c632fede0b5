// CommandFlags.h - the flags of boost-run's commands, and what CLI11 does not
// check of them. Checks fail with ExitCode::Usage, without advice to read the
// help. LaunchFlags.h has those about ranks.
#pragma once

#include "runtime/support/Status.h"
#include "runtime/trainer/Options.h"

#include <cstdint>
#include <functional>

namespace CLI {
class App;
} // namespace CLI

namespace boostrt {

/// Program, threads and device.
void addProgram(CLI::App &app, Options &options);
/// These, data and metrics.
void addCommon(CLI::App &app, Options &options);
/// --seed, a number from 0 to 2^64-1, which `set` is called with.
void addSeed(CLI::App &app, const char *description,
             std::function<void(uint64_t)> set);
/// --names.
void addNames(CLI::App &app, Options &options, const char *description);

/// Training, without what addCommon() adds.
void addTraining(CLI::App &app, Options &options);
/// Also gives checkpoints the place that --rank-checkpoints means, and puts
/// what is written under a relative name below --workdir.
Status checkTraining(const CLI::App &app, Options &options);

void addEvaluation(CLI::App &app, Options &options);
Status checkEvaluation(const Options &options);

void addExport(CLI::App &app, Options &options);
Status checkExport(const Options &options);
void addPca(CLI::App &app, Options &options);
Status checkPca(const Options &options);

void addBench(CLI::App &app, Options &options);

/// --profile and --profile-steps; `steps` says what is profiled without the
/// second: "10 steps".
void addProfile(CLI::App &app, Options &options, const char *steps);
/// Whether `arguments` have --profile, and with which file; CLI11 does not tell
/// the flag without a value from --profile=table.
Status findProfile(const std::vector<std::string> &arguments, Options &options);

void addMakeData(CLI::App &app, Options &options);
Status checkMakeData(const Options &options);

/// The job that `info` predicts the steps of; --ranks asks for it.
struct JobFlags {
  uint32_t ranks = 0;
  PredictOptions prediction;
};
void addInfo(CLI::App &app, Options &options, JobFlags &job);

} // namespace boostrt
