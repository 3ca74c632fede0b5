// ChangedRecipe.h - how a run goes on from a checkpoint of another recipe: with
// its weights, its position and what both programs keep of state.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"

#include <span>
#include <string>
#include <vector>

namespace boostrt {

/// Makes `checkpoint` one of the run `expected`, whose program has the recipe
/// `expectedRecipe` and keeps `state`; where the recipes are the same it stays
/// as it is. What depends on the recipe goes: choices of variants, the basis,
/// and which of several ranks' own states are whose; rank 0's are kept. Returns
/// what a user should know of it; empty where nothing changed. Neither reads
/// nor writes the memory of `state`.
std::vector<std::string> changeRecipe(LoadedCheckpoint &checkpoint,
                                      const CheckpointPosition &expected,
                                      const std::string &expectedRecipe,
                                      std::span<const TensorTarget> state);

/// Reads all of `weights` and those tensors of `state` that the checkpoint has;
/// others stay as they are. As restore(), it reads all of that or nothing, and
/// fails where a tensor has another type or shape.
Status restoreShared(const LoadedCheckpoint &checkpoint,
                     std::span<const TensorTarget> weights,
                     std::span<const TensorTarget> state);

} // namespace boostrt
