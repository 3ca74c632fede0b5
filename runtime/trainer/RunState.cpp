#include "runtime/trainer/RunState.h"

#include "runtime/trainer/CheckpointManifest.h"

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
  return std::max(program.arena_bytes[BOOST_ARENA_PARAMETER],
                  program.arena_bytes[BOOST_ARENA_STATE]) +
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

Result<StartingPoint> resumeFrom(const std::string &path,
                                 const Options &options, const Program &program,
                                 const RunData &data) {
  Result<LoadedCheckpoint> loaded =
      loadCheckpoint(realFileSystem(), path, largestFile(program.descriptor()));
  if (!loaded.ok())
    return loaded.status();
  BOOSTRT_RETURN_IF_ERROR(checkSameRun(
      loaded->position, expectedRun(options, program, data, loaded->position),
      path));
  StartingPoint start;
  start.position = loaded->position;
  start.checkpoint = std::move(loaded).value();
  start.notes.push_back(fmt::format("resuming after epoch {} step {} from {}",
                                    start.position.epoch,
                                    start.position.stepInEpoch, path));
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
    Result<SafetensorsContent> weights =
        loadWeights(realFileSystem(), *options.init,
                    program.descriptor().arena_bytes[BOOST_ARENA_PARAMETER]);
    if (!weights.ok())
      return weights.status();
    start.weights = std::move(weights).value();
    start.weightsPath = *options.init;
  }
  return start;
}

Result<StartingPoint> decideStartingPoint(const Options &options,
                                          const Program &program,
                                          const RunData &data,
                                          CheckpointStore *store) {
  std::string resume = options.resume.value_or(store ? "auto" : "never");
  if (resume != "auto" && resume != "never") {
    if (options.init)
      return Status(ExitCode::Usage,
                    "--resume PATH and --init exclude each other: the "
                    "checkpoint brings its own weights");
    return resumeFrom(resume, options, program, data);
  }
  if (!store) {
    if (resume == "auto")
      return Status(ExitCode::Usage,
                    "--resume auto needs --checkpoint-dir, where it looks for "
                    "the newest checkpoint");
    return freshStart(options, program, data);
  }

  Result<NewestCheckpoint> newest = store->newestValid();
  if (!newest.ok())
    return newest.status();
  if (resume == "never") {
    // Going on would overwrite and prune somebody's checkpoints.
    if (newest->found)
      return Status(ExitCode::Usage,
                    fmt::format("--resume never, but '{}' is there from an "
                                "earlier run; give another --checkpoint-dir "
                                "or --checkpoint-prefix, or remove it",
                                newest->path));
    return freshStart(options, program, data);
  }
  std::vector<std::string> notes;
  for (const SkippedCheckpoint &skipped : newest->skipped)
    notes.push_back(fmt::format("checkpoint '{}' is passed over: {}",
                                skipped.path, skipped.reason));
  if (newest->found && options.init)
    notes.push_back(fmt::format("--init {} is not read: the run is resumed",
                                *options.init));
  Result<StartingPoint> start =
      newest->found ? resumeFrom(newest->path, options, program, data)
                    : freshStart(options, program, data);
  if (start.ok())
    start->notes.insert(start->notes.begin(), notes.begin(), notes.end());
  return start;
}

} // namespace

std::vector<TensorTarget> weightTargets(const Execution &execution) {
  std::vector<TensorTarget> targets;
  for (const BoostParameter &parameter : execution.program().parameters())
    targets.push_back(
        targetOf(parameter.tensor, execution.tensor(parameter.tensor)));
  return targets;
}

std::vector<TensorView> weightViews(const Execution &execution) {
  std::vector<TensorView> views;
  for (const BoostParameter &parameter : execution.program().parameters())
    views.push_back(
        viewOf(parameter.tensor, execution.tensor(parameter.tensor)));
  return views;
}

std::vector<TensorTarget> stateTargets(const Execution &execution) {
  std::vector<TensorTarget> targets;
  for (const BoostState &state : execution.program().states())
    targets.push_back(targetOf(state.tensor, execution.tensor(state.tensor)));
  return targets;
}

Result<std::unique_ptr<CheckpointStore>>
openStore(const Options &options, const Program &program, const Ranks &ranks) {
  if (!options.checkpointDir || !ranks.isFirst())
    return std::unique_ptr<CheckpointStore>();
  return CheckpointStore::open(realFileSystem(), *options.checkpointDir,
                               prefixOf(options, program), options.keepMax);
}

Result<StartingPoint> findStartingPoint(const Options &options,
                                        const Program &program,
                                        const RunData &data,
                                        CheckpointStore *store, Ranks &ranks) {
  StartingPoint start;
  if (ranks.isFirst()) {
    Result<StartingPoint> found =
        decideStartingPoint(options, program, data, store);
    if (!found.ok())
      return found;
    start = std::move(found).value();
  }
  // A position's own text, with its check sum, as checkpoints have it.
  std::string text = writeManifest({start.position, {}, {}, {}});
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
static Status readStartingPoint(StartingPoint &start, Execution &execution) {
  if (start.checkpoint)
    BOOSTRT_RETURN_IF_ERROR(restore(*start.checkpoint, weightTargets(execution),
                                    stateTargets(execution)));
  if (start.weights)
    BOOSTRT_RETURN_IF_ERROR(copyTensors(
        *start.weights, weightTargets(execution), start.weightsPath));
  return Status();
}

Status restoreStartingPoint(StartingPoint &start, const Options &options,
                            Execution &execution, Ranks &ranks) {
  BOOSTRT_RETURN_IF_ERROR(execution.init(start.position.seed));
  if (!start.checkpoint && !start.weights && ranks.isAlone())
    return Status();
  BOOSTRT_RETURN_IF_ERROR(execution.downloadPersistent());
  auto [weights, state] = execution.persistentArenas();
  std::vector<std::byte> initial(state.begin(), state.end());
  BOOSTRT_RETURN_IF_ERROR(readStartingPoint(start, execution));
  // Ranks may have different CPUs, whose random numbers may differ in a bit.
  BOOSTRT_RETURN_IF_ERROR(ranks.broadcast(weights));
  BOOSTRT_RETURN_IF_ERROR(
      execution.program().descriptor().state_is_private
          ? spreadPrivateState(start.checkpoint ? &*start.checkpoint : nullptr,
                               options.privateState, initial, execution, ranks)
          : ranks.broadcast(state));
  start.checkpoint.reset();
  start.weights.reset();
  return execution.uploadPersistent();
}

Saving::Saving(const Options &options, const Execution &execution,
               std::unique_ptr<CheckpointStore> store, Ranks &ranks,
               Console &console)
    : execution_(execution), console_(console),
      checkpointEvery_(options.checkpointEvery),
      saveFile_(ranks.isFirst() ? options.save : std::nullopt),
      store_(std::move(store)), keepsCheckpoints_(options.checkpointDir),
      weights_(weightViews(execution)) {
  if (execution.program().descriptor().state_is_private && !ranks.isAlone())
    states_.emplace(ranks, execution);
  for (const BoostState &state : execution.program().states())
    state_.push_back(viewOf(state.tensor, execution.tensor(state.tensor)));
}

Status Saving::checkpoint(const CheckpointPosition &position) {
  if (!keepsCheckpoints_ || checkpointedStep_ == position.globalStep ||
      (!store_ && !states_))
    return Status();
  BOOSTRT_RETURN_IF_ERROR(execution_.downloadPersistent());
  BOOSTRT_RETURN_IF_ERROR(states_ ? states_->collect([&](const auto &others) {
    return writeCheckpoint(position, others);
  })
                                  : writeCheckpoint(position, {}));
  checkpointedStep_ = position.globalStep;
  return Status();
}

Status Saving::writeCheckpoint(const CheckpointPosition &position,
                               const RankStates &others) {
  Result<std::string> path = store_->save(position, weights_, state_, others);
  if (!path.ok())
    return path.status();
  if (!store_->warning().empty())
    console_.note(store_->warning());
  newest_ = *path;
  return Status();
}

Status Saving::saveWeights(const CheckpointPosition &position) {
  if (!saveFile_ || savedStep_ == position.globalStep)
    return Status();
  BOOSTRT_RETURN_IF_ERROR(execution_.downloadPersistent());
  BOOSTRT_RETURN_IF_ERROR(saveSafetensors(realFileSystem(), *saveFile_,
                                          weights_, weightsMetadata(position)));
  savedStep_ = position.globalStep;
  if (!store_)
    newest_ = *saveFile_;
  return Status();
}

void Saving::stepDone(const CheckpointPosition &position, bool epochEnds) {
  if (checkpointEvery_.due(position.globalStep, epochEnds))
    if (Status status = checkpoint(position); !status.ok())
      console_.note("training goes on without a new checkpoint: " +
                    status.message());
  if (epochEnds)
    if (Status status = saveWeights(position); !status.ok())
      console_.note("training goes on without saved weights: " +
                    status.message());
}

Status Saving::finish(const CheckpointPosition &position) {
  // The one may have room where the other has none.
  Status checkpointed = checkpoint(position), saved = saveWeights(position);
  return checkpointed.ok() ? saved : checkpointed;
}

} // namespace boostrt
