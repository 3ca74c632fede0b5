// Training.h - a trainer on a fixture, in this process.
#pragma once

#include "runtime/trainer/Trainer.h"
#include "test/runtime/trainer/Fixtures.h"

#include <nlohmann/json.hpp>

namespace boostrt {

struct Training {
  Result<StopReason> reason = StopReason::Finished;
  CheckpointPosition position;
  std::vector<nlohmann::json> steps; ///< the metrics lines
};

/// The seed of the weights and of the order.
inline constexpr uint64_t kTrainingSeed = 3;

/// Trains from the weights that are there, as one of `ranks`.
Training train(Execution &execution, const Arenas &arenas, const RunData &data,
               Ranks &ranks, Trainer::Settings settings, bool shuffle = false,
               CheckpointPosition start = {});
/// Alone.
Training train(Execution &execution, const Arenas &arenas, const RunData &data,
               Trainer::Settings settings, bool shuffle = false,
               CheckpointPosition start = {});
Training train(Session &session, Trainer::Settings settings,
               bool shuffle = false, CheckpointPosition start = {});

/// A fixture's session with its initial weights.
std::unique_ptr<Session> initialised(const std::string &name,
                                     const std::string &data);

} // namespace boostrt
