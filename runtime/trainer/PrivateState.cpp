#include "runtime/trainer/PrivateState.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

std::span<std::byte> stateOf(const Execution &execution) {
  return execution.persistentArenas()[1];
}

/// Where a state tensor lies in a copy of the arena.
std::byte *placeIn(std::span<std::byte> arena, const BoostState &state) {
  return arena.data() + state.tensor.offset;
}

/// Reads the state of a rank >= 1 into `to`, a copy of the arena.
Status readState(const LoadedCheckpoint &checkpoint, uint32_t rank,
                 const Execution &execution, std::span<std::byte> to) {
  Result<SafetensorsContent> state =
      loadRankState(realFileSystem(), checkpoint.path, rank,
                    to.size() + kMaxSafetensorsOverhead);
  if (!state.ok())
    return state.status();
  std::vector<TensorTarget> targets;
  for (const BoostState &each : execution.program().states())
    targets.push_back(targetOf(each.tensor, placeIn(to, each)));
  return copyTensors(*state, targets, checkpoint.path);
}

Status sendToOthers(const LoadedCheckpoint &checkpoint,
                    const Execution &execution, Ranks &ranks) {
  std::vector<std::byte> state(stateOf(execution).size());
  for (uint32_t rank = 1; rank < ranks.size(); ++rank) {
    BOOSTRT_RETURN_IF_ERROR(readState(checkpoint, rank, execution, state));
    Outgoing message{rank, state};
    BOOSTRT_RETURN_IF_ERROR(ranks.transport().exchange({&message, 1}, {}));
  }
  return Status();
}

Status receiveOwn(const Execution &execution, Ranks &ranks) {
  Incoming message{0, stateOf(execution)};
  return ranks.transport().exchange({}, {&message, 1});
}

/// Replaces rank 0's state by the mean of all that were saved, summed in
/// double.
Status averageStates(const LoadedCheckpoint &checkpoint,
                     const Execution &execution) {
  std::span<std::byte> own = stateOf(execution);
  std::vector<std::byte> other(own.size());
  auto floats = [](std::byte *data) { return reinterpret_cast<float *>(data); };
  std::vector<double> sums(own.size() / sizeof(float));
  auto add = [&](std::span<std::byte> arena) {
    for (const BoostState &state : execution.program().states())
      for (uint64_t i = 0; i < state.tensor.bytes / sizeof(float); ++i)
        sums[state.tensor.offset / sizeof(float) + i] +=
            double{floats(placeIn(arena, state))[i]};
  };
  add(own);
  for (uint32_t rank = 1; rank < checkpoint.rankStates; ++rank) {
    BOOSTRT_RETURN_IF_ERROR(readState(checkpoint, rank, execution, other));
    add(other);
  }
  for (const BoostState &state : execution.program().states())
    for (uint64_t i = 0; i < state.tensor.bytes / sizeof(float); ++i)
      floats(placeIn(own, state))[i] =
          static_cast<float>(sums[state.tensor.offset / sizeof(float) + i] /
                             checkpoint.rankStates);
  return Status();
}

} // namespace

StateCollector::StateCollector(Ranks &ranks, const Execution &execution)
    : ranks_(ranks), own_(stateOf(execution)) {
  if (!ranks.isFirst())
    return;
  other_.resize(own_.size());
  for (const BoostState &state : execution.program().states())
    views_.push_back(viewOf(state.tensor, placeIn(other_, state)));
}

Status StateCollector::receive(uint32_t rank) {
  Incoming message{rank, other_};
  return ranks_.transport().exchange({}, {&message, 1});
}

Status
StateCollector::collect(const std::function<Status(const RankStates &)> &save) {
  if (!ranks_.isFirst()) {
    Outgoing message{0, own_};
    return ranks_.transport().exchange({&message, 1}, {});
  }
  uint32_t next = 1;
  Status saved =
      save({ranks_.size(),
            [&](uint32_t rank) -> Result<std::span<const TensorView>> {
              BOOSTRT_RETURN_IF_ERROR(receive(rank));
              next = rank + 1;
              return std::span<const TensorView>(views_);
            }});
  // After a full disk the others wait for theirs to be taken all the same.
  for (; next < ranks_.size() && saved.code() != ExitCode::RankLost; ++next)
    BOOSTRT_RETURN_IF_ERROR(receive(next));
  return saved;
}

Status spreadPrivateState(const LoadedCheckpoint *checkpoint,
                          std::optional<PrivateStateRule> rule,
                          std::span<const std::byte> initial,
                          Execution &execution, Ranks &ranks) {
  uint32_t saved = checkpoint ? checkpoint->rankStates : 0;
  BOOSTRT_RETURN_IF_ERROR(
      ranks.broadcast(std::as_writable_bytes(std::span(&saved, 1))));
  if (saved == 0)
    return Status();
  if (saved == ranks.size())
    return ranks.isFirst() ? sendToOthers(*checkpoint, execution, ranks)
                           : receiveOwn(execution, ranks);
  if (!rule) {
    // All ranks find the same; none is to end before the others know.
    BOOSTRT_RETURN_IF_ERROR(ranks.barrier());
    return Status(
        ExitCode::Checkpoint,
        fmt::format(
            "the checkpoint has the optimizer states of {} rank{}, each "
            "its own, and this run has {}; say what becomes of them: "
            "--private-state mean gives every rank their mean, "
            "--private-state reset what a new run begins with",
            saved, saved == 1 ? "" : "s", ranks.size()));
  }
  std::span<std::byte> own = stateOf(execution);
  if (*rule == PrivateStateRule::Reset) {
    std::copy(initial.begin(), initial.end(), own.begin());
    return Status();
  }
  if (ranks.isFirst())
    BOOSTRT_RETURN_IF_ERROR(averageStates(*checkpoint, execution));
  return ranks.broadcast(own);
}

} // namespace boostrt
