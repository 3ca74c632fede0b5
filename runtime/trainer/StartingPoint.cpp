#include "runtime/trainer/StartingPoint.h"

#include "runtime/checkpoint/ChangedRecipe.h"
#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/checkpoint/FindCheckpoint.h"
#include "runtime/checkpoint/RunSteps.h"
#include "runtime/support/Suggest.h"
#include "runtime/trainer/ChangeOfRanks.h"
#include "runtime/trainer/PrivateState.h"
#include "runtime/trainer/RunBasis.h"
#include "runtime/trainer/RunState.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

std::string defaultPrefix(const Program &program) {
  std::string prefix = program.descriptor().name;
  for (char &c : prefix)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_')
      c = '_';
  return prefix;
}

std::string prefixOf(const Options &options, const Program &program) {
  return options.checkpointPrefix.value_or(defaultPrefix(program));
}

/// A file with more cannot be a checkpoint of this program.
uint64_t largestFile(const BoostProgram &program) {
  return std::max(program.arena_bytes[BOOSTC_ARENA_PARAMETER],
                  program.arena_bytes[BOOSTC_ARENA_STATE]) +
         kMaxSafetensorsOverhead;
}

/// What the run would be if it were new, for comparison with a checkpoint. The
/// command line speaks only where it says something.
CheckpointPosition expectedRun(const Options &options, const Program &program,
                               const RunData &data,
                               const CheckpointPosition &found) {
  CheckpointPosition expected = found;
  expected.seed = options.seed.value_or(found.seed);
  expected.shuffle = options.shuffle.value_or(found.shuffle);
  expected.recipeHash = program.descriptor().recipe_hash;
  expected.programName = program.descriptor().name;
  expected.dataFingerprint = data.source.train->fingerprint();
  return expected;
}

/// Completes a position of a manifest that does not say how many samples of the
/// epoch were used.
Status inferSamples(LoadedCheckpoint &checkpoint, const Program &program,
                    const RunData &data) {
  CheckpointPosition &position = checkpoint.position;
  int64_t size = data.source.train->size();
  SamplesOfSteps used =
      samplesOfSteps(position, size, program.descriptor().batch_size);
  if (used.kind == SamplesOfSteps::Found) {
    position.samplesInEpoch = used.samples;
    return Status();
  }
  std::string place =
      fmt::format("epoch {} step {}, global step {}", position.epoch,
                  position.stepInEpoch, position.globalStep);
  if (used.kind == SamplesOfSteps::None)
    return Status(
        ExitCode::Checkpoint,
        fmt::format("'{}' is at {}, which is not a position in epochs of "
                    "{} samples; resume with the data of the run "
                    "that saved it",
                    checkpoint.path, place, size));
  return Status(
      ExitCode::Checkpoint,
      fmt::format("'{}' comes from an earlier boost-run, which did not record "
                  "how many samples of the epoch were used, and {} does not "
                  "tell; continue with that boost-run to the end of the epoch, "
                  "or start a run with its weights: --init {}",
                  checkpoint.path, place, checkpoint.path));
}

Result<StartingPoint> resumeFrom(const std::string &path,
                                 const Options &options, const Program &program,
                                 const RunData &data, const Ranks &ranks) {
  // The state of another recipe may be of any size.
  Result<LoadedCheckpoint> loaded = loadCheckpoint(
      realFileSystem(), path,
      options.changedRecipe ? kNoLimit : largestFile(program.descriptor()));
  if (!loaded.ok())
    return loaded.status();
  CheckpointPosition expected =
      expectedRun(options, program, data, loaded->position);
  const char *recipe = program.descriptor().recipe_json;
  std::vector<std::string> changes;
  if (options.changedRecipe) {
    std::vector<TensorTarget> state;
    for (const BoostState *each : program.statesIn(BOOSTC_SAVED_WITH_STATE))
      state.push_back(targetOf(each->tensor, nullptr));
    changes = changeRecipe(*loaded, expected, recipe, state);
  }
  BOOSTRT_RETURN_IF_ERROR(
      checkSameRun(loaded->position, loaded->recipe, expected, recipe, path));
  if (!loaded->saysSamples)
    BOOSTRT_RETURN_IF_ERROR(inferSamples(*loaded, program, data));
  StartingPoint start;
  start.position = loaded->position;
  start.checkpoint = std::move(loaded).value();
  start.notes.push_back(fmt::format("resuming after epoch {} step {} from {}",
                                    start.position.epoch,
                                    start.position.stepInEpoch, path));
  start.changesRecipe = !changes.empty();
  std::ranges::copy(changes, std::back_inserter(start.notes));
  if (start.checkpoint->saysSamples)
    if (std::string change =
            describeChange(start.position, program, ranks.size(), data.epoch);
        !change.empty())
      start.notes.push_back(change);
  return start;
}

Result<StartingPoint> freshStart(const Options &options, const Program &program,
                                 const RunData &data) {
  StartingPoint start;
  start.position.seed = options.seed.value_or(program.descriptor().seed);
  start.position.shuffle = options.shuffle.value_or(true);
  start.position.recipeHash = program.descriptor().recipe_hash;
  start.position.programName = program.descriptor().name;
  start.position.dataFingerprint = data.source.train->fingerprint();
  if (options.init) {
    Result<FoundCheckpoint> found =
        findCheckpoint(realFileSystem(), *options.init);
    if (!found.ok())
      return found.status();
    start.notes = found->notes;
    Result<SafetensorsFile> weights = loadWeights(
        realFileSystem(), found->path, maxWeightBytes(program, options.names));
    if (!weights.ok())
      return weights.status();
    start.weights = std::move(weights).value();
    if (options.names) {
      Result<TensorNames> names = TensorNames::read(*options.names, program);
      if (!names.ok())
        return names.status();
      start.names = std::move(names).value();
    }
  }
  return start;
}

/// `start`, which says `notes` before its own.
Result<StartingPoint> withNotes(const std::vector<std::string> &notes,
                                Result<StartingPoint> start) {
  if (start.ok())
    start->notes.insert(start->notes.begin(), notes.begin(), notes.end());
  return start;
}

/// What was passed over, in one sentence.
std::string describeSkipped(const std::vector<SkippedCheckpoint> &skipped) {
  std::string text = skipped.front().reason;
  if (skipped.size() > 1)
    text +=
        fmt::format("; {} more cannot be resumed either", skipped.size() - 1);
  return text;
}

/// Fails when a new run could write a checkpoint with the name of a damaged
/// one: that one is the user's to judge.
Status checkNamesAreFree(const std::vector<SkippedCheckpoint> &damaged,
                         const RunEnd &end, const RunSteps &run) {
  for (const SkippedCheckpoint &checkpoint : damaged) {
    std::optional<CheckpointName> name =
        parseCheckpointName(baseNameOf(checkpoint.path));
    if (!name || name->epoch > end.epochs.value_or(INT64_MAX) ||
        name->step > run.perEpoch())
      continue;
    return Status(
        ExitCode::Usage,
        fmt::format(
            "--resume never starts a new run, which could overwrite the "
            "damaged checkpoint '{}'; give another --checkpoint-dir or "
            "--checkpoint-prefix, or remove it",
            checkpoint.path));
  }
  return Status();
}

Result<StartingPoint>
decideStartingPoint(const Options &options, const Program &program,
                    const RunData &data, const RunEnd &end,
                    CheckpointStore *store, const Ranks &ranks) {
  std::string resume = options.resume.value_or(store ? "auto" : "never");
  if (resume != "auto" && resume != "never") {
    if (options.init)
      return Status(ExitCode::Usage,
                    "--resume PATH and --init exclude each other: the "
                    "checkpoint brings its own weights");
    Result<FoundCheckpoint> found = findCheckpoint(realFileSystem(), resume);
    if (!found.ok())
      return found.status();
    return withNotes(found->notes,
                     resumeFrom(found->path, options, program, data, ranks));
  }
  if (!store) {
    if (resume == "auto")
      return Status(
          ExitCode::Usage,
          "--resume auto needs --checkpoint-dir or --rank-checkpoints, "
          "where it looks for the newest checkpoint");
    return freshStart(options, program, data);
  }

  Result<NewestCheckpoint> newest = store->newestValid();
  if (!newest.ok())
    return newest.status();
  if (resume == "never") {
    // Going on would overwrite and prune the checkpoints of another run.
    if (newest->found)
      return Status(ExitCode::Usage,
                    fmt::format("--resume never, but '{}' comes from an "
                                "earlier run; give another --checkpoint-dir "
                                "or --checkpoint-prefix, or remove it",
                                newest->path));
    const BoostProgram &d = program.descriptor();
    RunSteps run({}, data.epoch,
                 ranks.share(d.micro_batches).windowSamples(d.batch_size), end);
    BOOSTRT_RETURN_IF_ERROR(checkNamesAreFree(newest->skipped, end, run));
    return freshStart(options, program, data);
  }
  if (!newest->found && !newest->skipped.empty())
    return Status(
        ExitCode::Checkpoint,
        fmt::format("no checkpoint of '{}' in '{}' can be resumed: {}; bring "
                    "one back from a copy, or begin a new run with --resume "
                    "never",
                    prefixOf(options, program), *options.checkpointDir,
                    describeSkipped(newest->skipped)));
  std::vector<std::string> notes;
  for (const SkippedCheckpoint &skipped : newest->skipped)
    notes.push_back(skipped.describe());
  if (newest->found && options.init)
    notes.push_back(fmt::format("--init {} is not read: the run is resumed",
                                *options.init));
  return withNotes(notes, newest->found ? resumeFrom(newest->path, options,
                                                     program, data, ranks)
                                        : freshStart(options, program, data));
}

} // namespace

Result<std::unique_ptr<CheckpointStore>>
openStore(const Options &options, const Program &program, const Ranks &ranks) {
  if (!options.checkpointDir || !ranks.isFirst())
    return std::unique_ptr<CheckpointStore>();
  std::string prefix = prefixOf(options, program);
  if (!options.checkpointPrefix && !isLegalPrefix(prefix))
    return Status(ExitCode::Usage,
                  fmt::format("the model's name '{}' is too long for names of "
                              "checkpoints, at most 100 characters; give "
                              "--checkpoint-prefix",
                              printable(prefix)));
  if (options.rankLayout) {
    if (options.resume.value_or("auto") == "auto")
      BOOSTRT_RETURN_IF_ERROR(checkOtherLayout(
          realFileSystem(), *options.workdir, *options.rankLayout, prefix));
    BOOSTRT_RETURN_IF_ERROR(makeRankFolders(realFileSystem(), *options.workdir,
                                            *options.rankLayout, ranks.size()));
  }
  return CheckpointStore::open(realFileSystem(), *options.checkpointDir, prefix,
                               options.keepMax,
                               program.descriptor().recipe_json);
}

Result<StartingPoint> findStartingPoint(const Options &options,
                                        const Program &program,
                                        const RunData &data, const RunEnd &end,
                                        CheckpointStore *store, Ranks &ranks) {
  StartingPoint start;
  if (ranks.isFirst()) {
    Result<StartingPoint> found =
        decideStartingPoint(options, program, data, end, store, ranks);
    if (!found.ok())
      return found;
    start = std::move(found).value();
  }
  // A position's own text, with its check sum, as checkpoints have it.
  std::string text = writeManifest({start.position, {}, {}, {}, {}});
  BOOSTRT_RETURN_IF_ERROR(ranks.broadcast(text));
  if (ranks.isFirst())
    return start;
  Result<CheckpointManifest> manifest = parseManifest(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()}, "rank 0");
  if (!manifest.ok())
    return manifest.status();
  start.position = manifest->position;
  return start;
}

/// Files to memory of the host; what they do not hold stays what init made it.
static Status readStartingPoint(const StartingPoint &start,
                                const Options &options, Execution &execution,
                                const Ranks &ranks) {
  if (start.checkpoint && replacesState(*start.checkpoint, options.privateState,
                                        execution.program(), ranks)) {
    if (!start.changesRecipe)
      BOOSTRT_RETURN_IF_ERROR(
          checkTensors(start.checkpoint->state, stateTargets(execution)));
    return readTensors(start.checkpoint->weights, weightTargets(execution));
  }
  if (start.changesRecipe)
    return restoreShared(*start.checkpoint, weightTargets(execution),
                         stateTargets(execution));
  if (start.checkpoint)
    return restore(*start.checkpoint, weightTargets(execution),
                   stateTargets(execution));
  return start.weights
             ? start.names.readTensors(*start.weights, weightTargets(execution))
             : Status();
}

/// Reads the basis and returns its fingerprint.
static Result<uint64_t> readSameBasis(const RunBasis &basis,
                                      const StartingPoint &start,
                                      const Execution &execution,
                                      Ranks &ranks) {
  Result<uint64_t> found = readBasis(basis, execution, ranks);
  uint64_t known = start.position.basisFingerprint;
  if (found.ok() && start.checkpoint && known != 0 && *found != known)
    return Status(
        ExitCode::Checkpoint,
        fmt::format("'{}' is of a run in another basis: its fingerprint is "
                    "{:016x}, that of '{}' is {:016x}; give the --basis of "
                    "that run, or begin another one with --init",
                    start.checkpoint->path, known, basis.path, *found));
  return found;
}

Status restoreStartingPoint(const StartingPoint &start,
                            const std::optional<RunBasis> &basis,
                            const Options &options, Execution &execution,
                            Ranks &ranks, CheckpointPosition &position) {
  BOOSTRT_RETURN_IF_ERROR(execution.init(start.position.seed));
  if (!start.checkpoint && !start.weights && !basis && ranks.isAlone())
    return Status();
  BOOSTRT_RETURN_IF_ERROR(execution.downloadPersistent());
  auto [weights, state] = execution.persistentArenas();
  BOOSTRT_RETURN_IF_ERROR(readStartingPoint(start, options, execution, ranks));
  // Ranks may have different CPUs, whose random numbers may differ in a bit.
  BOOSTRT_RETURN_IF_ERROR(ranks.broadcast(weights));
  BOOSTRT_RETURN_IF_ERROR(
      execution.program().descriptor().state_is_private
          ? spreadPrivateState(start.checkpoint ? &*start.checkpoint : nullptr,
                               options.privateState, execution, ranks)
          : ranks.broadcast(state));
  if (basis) {
    Result<uint64_t> fingerprint =
        readSameBasis(*basis, start, execution, ranks);
    if (!fingerprint.ok())
      return fingerprint.status();
    if (ranks.isFirst())
      position.basisFingerprint = *fingerprint;
  }
  return execution.uploadPersistent();
}

} // namespace boostrt
