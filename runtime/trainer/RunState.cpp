#include "runtime/trainer/RunState.h"

#include <map>
#include <utility>

namespace boostrt {

namespace {

/// Calls act(tensor, what it averages) for what a file has: parameters first,
/// then states.
template <typename Act>
void forEachTensor(const Program &program, BoostSaved file, Act &&act) {
  if (file == BOOSTC_SAVED_WITH_WEIGHTS)
    for (const BoostParameter &parameter : program.parameters())
      act(parameter.tensor, std::string());
  for (const BoostState *state : program.statesIn(file))
    act(state->tensor, std::string(state->averaged));
}

std::vector<TensorTarget> targetsOf(const Execution &execution,
                                    BoostSaved file) {
  std::vector<TensorTarget> targets;
  forEachTensor(execution.program(), file,
                [&](const BoostTensor &tensor, std::string averaged) {
                  targets.push_back(targetOf(tensor, execution.tensor(tensor)));
                  targets.back().otherName = std::move(averaged);
                });
  return targets;
}

std::vector<TensorView> viewsOf(const Execution &execution, BoostSaved file) {
  std::vector<TensorView> views;
  forEachTensor(execution.program(), file,
                [&](const BoostTensor &tensor, const std::string &) {
                  views.push_back(viewOf(tensor, execution.tensor(tensor)));
                });
  return views;
}

} // namespace

std::vector<TensorTarget> weightTargets(const Execution &execution) {
  return targetsOf(execution, BOOSTC_SAVED_WITH_WEIGHTS);
}

std::vector<TensorView> evaluatedViews(const Execution &execution) {
  std::map<std::string, const BoostTensor *> averages; ///< by what they average
  for (const BoostState &state : execution.program().states())
    if (state.is_evaluated)
      averages[state.averaged] = &state.tensor;
  std::vector<TensorView> views;
  forEachTensor(execution.program(), BOOSTC_SAVED_WITH_WEIGHTS,
                [&](const BoostTensor &tensor, const std::string &averaged) {
                  if (!averaged.empty())
                    return;
                  auto average = averages.find(tensor.name);
                  const BoostTensor &read =
                      average == averages.end() ? tensor : *average->second;
                  views.push_back(viewOf(read, execution.tensor(read)));
                  views.back().name = tensor.name;
                });
  return views;
}

uint64_t maxWeightBytes(const Program &program,
                        const std::optional<std::string> &names) {
  const BoostProgram &d = program.descriptor();
  return d.arena_bytes[BOOSTC_ARENA_PARAMETER] +
         (names ? d.state_count * sizeof(int64_t) : 0);
}

std::vector<TensorTarget> stateTargets(const Execution &execution) {
  return targetsOf(execution, BOOSTC_SAVED_WITH_STATE);
}

Saving::Saving(const Options &options, const Execution &execution,
               std::unique_ptr<CheckpointStore> store, Ranks &ranks,
               Console &console, MetricsFile *metrics)
    : execution_(execution), console_(console), metrics_(metrics),
      checkpointEvery_(options.checkpointEvery),
      saveFile_(ranks.isFirst() ? options.save : std::nullopt),
      store_(std::move(store)), keepsCheckpoints_(options.checkpointDir),
      weights_(viewsOf(execution, BOOSTC_SAVED_WITH_WEIGHTS)),
      state_(viewsOf(execution, BOOSTC_SAVED_WITH_STATE)) {
  if (execution.program().descriptor().state_is_private && !ranks.isAlone() &&
      keepsCheckpoints_)
    states_.emplace(ranks, execution);
}

void Saving::startFrom(const std::string &path,
                       const CheckpointPosition &position) {
  newest_ = path;
  isNewestOlder_ = true;
  // It is not written again. Where every rank has a part of it, one rank alone
  // cannot decide that.
  if (store_ && !states_ && store_->pathOf(position) == path)
    checkpointedStep_ = position.globalStep;
}

Status Saving::checkpoint(const CheckpointPosition &position) {
  if (!keepsCheckpoints_ || checkpointedStep_ == position.globalStep ||
      (!store_ && !states_))
    return Status();
  // A run that goes on from the checkpoint does not write these lines again.
  if (metrics_)
    metrics_->flush();
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
                                          evaluatedViews(execution_),
                                          weightsMetadata(position)));
  savedStep_ = position.globalStep;
  if (!store_)
    newest_ = *saveFile_;
  return Status();
}

void Saving::stepDone(const CheckpointPosition &position, bool epochEnds) {
  if (std::exchange(isNewestOlder_, false))
    newest_.clear();
  if (checkpointEvery_.due(position.globalStep, position.epoch, epochEnds))
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
  if (checkpointed.ok())
    return saved;
  if (!saved.ok())
    console_.note(saved.message());
  return checkpointed;
}

} // namespace boostrt
