// ReplicaCheck.h - whether the ranks of a job still have the same weights.
//
// They must, down to the last bit: every rank applies the same sums to the same
// weights. A difference is a defect of memory, of a processor or of ours, and
// it spreads silently, so hashes are compared now and then.
#pragma once

#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Ranks.h"

namespace boostrt {

/// 64 bits of the SHA-256 of the weights on the host. (An error in the state
/// reaches the weights with the next step.)
uint64_t hashOfWeights(const Execution &execution);

/// Nothing when all hashes, by rank, are equal; else which ranks differ from
/// most of the others, in words.
std::string describeDifference(std::span<const uint64_t> hashes);

/// Compares what this rank has with the others'. Fails with
/// ExitCode::RankLost, on every rank with the same message.
Status checkReplicas(Ranks &ranks, const Execution &execution,
                     int64_t globalStep);

} // namespace boostrt
