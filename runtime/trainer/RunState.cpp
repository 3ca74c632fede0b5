#include "runtime/trainer/RunState.h"

namespace boostrt {

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

Saving::Saving(const Options &options, const Execution &execution,
               std::unique_ptr<CheckpointStore> store, Ranks &ranks,
               Console &console)
    : execution_(execution), console_(console),
      checkpointEvery_(options.checkpointEvery),
      saveFile_(ranks.isFirst() ? options.save : std::nullopt),
      store_(std::move(store)), keepsCheckpoints_(options.checkpointDir),
      weights_(weightViews(execution)) {
  if (execution.program().descriptor().state_is_private && !ranks.isAlone() &&
      keepsCheckpoints_)
    states_.emplace(ranks, execution);
  for (const BoostState &state : execution.program().states())
    state_.push_back(viewOf(state.tensor, execution.tensor(state.tensor)));
}

void Saving::startFrom(const std::string &path,
                       const CheckpointPosition &position) {
  newest_ = path;
  // It is not written again. Where every rank has a part of it, one rank alone
  // cannot decide that.
  if (store_ && !states_ && store_->pathOf(position) == path)
    checkpointedStep_ = position.globalStep;
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
  if (checkpointed.ok())
    return saved;
  if (!saved.ok())
    console_.note(saved.message());
  return checkpointed;
}

} // namespace boostrt
