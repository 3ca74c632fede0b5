// PrivateState.h - optimizer state that every rank has of its own, as Adasum of
// changes makes it, between the ranks and checkpoints. Rank 0 alone has files.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/Ranks.h"

#include <functional>
#include <vector>

namespace boostrt {

/// The states of all ranks on their way to a checkpoint. Every rank makes one,
/// and all save at the same steps; state is on the host then.
class StateCollector {
public:
  /// Takes memory for a state, on rank 0; see `other_state` in
  /// runtime/program/MemoryPlan.h. Both outlive the object.
  StateCollector(Ranks &ranks, const Execution &execution);

  /// On rank 0: `save` gets the states of the others and writes them with its
  /// own; on other ranks it is not called.
  Status collect(const std::function<Status(const RankStates &)> &save);

private:
  Status receive(uint32_t rank);

  Ranks &ranks_;
  std::span<std::byte> own_;
  std::vector<std::byte> other_;
  std::vector<TensorView> views_; ///< of `other_`
};

/// Whether a new state takes the place of all that were saved: by `rule`, where
/// another number of ranks saved them.
bool replacesState(const LoadedCheckpoint &checkpoint,
                   std::optional<PrivateStateRule> rule, const Program &program,
                   const Ranks &ranks);

/// Gives each rank its state of `checkpoint`, which rank 0 has and has already
/// read its own of, unless replacesState(); null: no checkpoint, states are as
/// init made them. With another number of ranks than saved it, `rule` says what
/// becomes of them. Fails with ExitCode::Checkpoint without a rule. Takes no
/// memory but that of a few pieces.
Status spreadPrivateState(const LoadedCheckpoint *checkpoint,
                          std::optional<PrivateStateRule> rule,
                          Execution &execution, Ranks &ranks);

} // namespace boostrt
