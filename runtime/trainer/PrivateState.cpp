#include "runtime/trainer/PrivateState.h"

#include "runtime/support/Plural.h"

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

/// The states in the ranks' own files, in the arena STATE; what is saved with
/// the weights is the same on all ranks.
std::vector<const BoostState *> statesOf(const Program &program) {
  return program.statesIn(BOOSTC_SAVED_WITH_STATE);
}

/// What is read, sent or added up at once.
constexpr uint64_t kPieceBytes = 1 << 20;

/// act(state, offset in the tensor, its bytes in the arena) for the pieces of
/// all states, in the same order on every rank.
template <typename Act>
Status forEachPiece(const Execution &execution, std::span<std::byte> arena,
                    Act &&act) {
  for (const BoostState *state : statesOf(execution.program())) {
    uint64_t bytes = state->tensor.bytes;
    for (uint64_t begin = 0; begin < bytes; begin += kPieceBytes)
      BOOSTRT_RETURN_IF_ERROR(
          act(*state, begin,
              std::span(placeIn(arena, *state) + begin,
                        std::min(bytes - begin, kPieceBytes))));
  }
  return Status();
}

/// The state of a rank >= 1, which fits the program.
Result<SafetensorsFile> openState(const LoadedCheckpoint &checkpoint,
                                  uint32_t rank, const Execution &execution) {
  Result<SafetensorsFile> state =
      loadRankState(realFileSystem(), checkpoint.path, rank,
                    stateOf(execution).size() + kMaxSafetensorsOverhead);
  BOOSTRT_RETURN_IF_ERROR(state.status());
  // Where it would go decides what fits.
  std::vector<TensorTarget> targets;
  for (const BoostState *each : statesOf(execution.program()))
    targets.push_back(
        targetOf(each->tensor, placeIn(stateOf(execution), *each)));
  BOOSTRT_RETURN_IF_ERROR(checkTensors(*state, targets));
  return state;
}

Status readPiece(const SafetensorsFile &file, const BoostState &state,
                 uint64_t begin, std::span<std::byte> to) {
  return file.read(*file.find(state.tensor.name), begin,
                   {reinterpret_cast<uint8_t *>(to.data()), to.size()});
}

Status sendToOthers(const LoadedCheckpoint &checkpoint,
                    const Execution &execution, Ranks &ranks) {
  std::vector<std::byte> piece(kPieceBytes);
  for (uint32_t rank = 1; rank < ranks.size(); ++rank) {
    Result<SafetensorsFile> file = openState(checkpoint, rank, execution);
    BOOSTRT_RETURN_IF_ERROR(file.status());
    BOOSTRT_RETURN_IF_ERROR(forEachPiece(
        execution, stateOf(execution),
        [&](const BoostState &state, uint64_t begin, std::span<std::byte> own) {
          std::span<std::byte> read = std::span(piece).first(own.size());
          BOOSTRT_RETURN_IF_ERROR(readPiece(*file, state, begin, read));
          Outgoing message{rank, read};
          return ranks.transport().exchange({&message, 1}, {});
        }));
  }
  return Status();
}

Status receiveOwn(const Execution &execution, Ranks &ranks) {
  return forEachPiece(
      execution, stateOf(execution),
      [&](const BoostState &, uint64_t, std::span<std::byte> own) {
        Incoming message{0, own};
        return ranks.transport().exchange({}, {&message, 1});
      });
}

/// Replaces rank 0's state by the mean of all that were saved, summed in
/// double.
Status averageStates(const LoadedCheckpoint &checkpoint,
                     const Execution &execution) {
  std::vector<SafetensorsFile> files;
  for (uint32_t rank = 1; rank < checkpoint.rankStates; ++rank) {
    Result<SafetensorsFile> file = openState(checkpoint, rank, execution);
    BOOSTRT_RETURN_IF_ERROR(file.status());
    files.push_back(std::move(file).value());
  }
  std::vector<std::byte> other(kPieceBytes);
  std::vector<double> sums;
  auto floatsOf = [](std::span<std::byte> bytes) {
    return std::span(reinterpret_cast<float *>(bytes.data()),
                     bytes.size() / sizeof(float));
  };
  return forEachPiece(
      execution, stateOf(execution),
      [&](const BoostState &state, uint64_t begin, std::span<std::byte> own) {
        // What belongs to no parameter is the same on all ranks.
        if (state.parameter == UINT32_MAX)
          return Status();
        std::span<float> means = floatsOf(own);
        sums.assign(means.begin(), means.end());
        for (const SafetensorsFile &file : files) {
          std::span<std::byte> read = std::span(other).first(own.size());
          BOOSTRT_RETURN_IF_ERROR(readPiece(file, state, begin, read));
          std::span<float> values = floatsOf(read);
          for (size_t i = 0; i < sums.size(); ++i)
            sums[i] += double{values[i]};
        }
        for (size_t i = 0; i < sums.size(); ++i)
          means[i] = static_cast<float>(sums[i] / checkpoint.rankStates);
        return Status();
      });
}

} // namespace

StateCollector::StateCollector(Ranks &ranks, const Execution &execution)
    : ranks_(ranks), own_(stateOf(execution)) {
  if (!ranks.isFirst())
    return;
  other_.resize(own_.size());
  for (const BoostState *state : statesOf(execution.program()))
    views_.push_back(viewOf(state->tensor, placeIn(other_, *state)));
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

bool replacesState(const LoadedCheckpoint &checkpoint,
                   std::optional<PrivateStateRule> rule, const Program &program,
                   const Ranks &ranks) {
  return program.descriptor().state_is_private &&
         checkpoint.rankStates != ranks.size() &&
         rule == PrivateStateRule::Reset;
}

Status spreadPrivateState(const LoadedCheckpoint *checkpoint,
                          std::optional<PrivateStateRule> rule,
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
        fmt::format("the checkpoint has the optimizer states of {}, each "
                    "its own, and this run has {}; say what becomes of them: "
                    "--private-state mean gives every rank their mean, "
                    "--private-state reset what a new run begins with",
                    countOf(saved, "rank"), ranks.size()));
  }
  if (*rule == PrivateStateRule::Reset)
    return Status(); // what init made
  if (ranks.isFirst())
    BOOSTRT_RETURN_IF_ERROR(averageStates(*checkpoint, execution));
  return ranks.broadcast(stateOf(execution));
}

} // namespace boostrt
