// CheckpointPosition.h - where a run is, and which run it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace boostrt {

/// Samples, not steps, say how far an epoch is: how many of them a step takes
/// depends on ranks and accumulation, which may change at every resume.
struct CheckpointPosition {
  int64_t epoch = 0;          ///< counted from 1; 0 before the first step
  int64_t stepInEpoch = 0;    ///< steps of `epoch` already taken
  int64_t samplesInEpoch = 0; ///< of the epoch's order, already used
  int64_t globalStep = 0;     ///< steps taken since the beginning
  int64_t skipped = 0;        ///< of them, not applied
  int64_t skippedInRow = 0;   ///< of them, the last ones
  uint32_t ranks = 1;         ///< that took the last step
  uint32_t microBatches = 1;  ///< of each of them, in a full step
  /// Samples of a micro-batch; 0: as the program has them, in checkpoints from
  /// before they could be others.
  int64_t microBatch = 0;
  /// Variants that a selector has chosen already for the next steps, in their
  /// order; see BoostSelector.
  std::vector<uint32_t> choices = {};
  uint64_t seed = 0;
  bool shuffle = true;
  std::string recipeHash;       ///< BoostProgram::recipe_hash
  std::string programName;      ///< BoostProgram::name
  uint64_t dataFingerprint = 0; ///< Dataset::fingerprint() of the training data
  /// Of the basis in which steps are searched, see readBasis(); 0: there is
  /// none, or the checkpoint is from before it was noted.
  uint64_t basisFingerprint = 0;

  bool operator==(const CheckpointPosition &) const = default;
};

struct SamplesOfSteps {
  enum Kind {
    Found,
    Ambiguous, ///< several sizes of windows fit and differ in the answer
    None,      ///< no size fits
  } kind;
  int64_t samples = 0; ///< when found

  bool operator==(const SamplesOfSteps &) const = default;
};

/// How many samples of an epoch of `samples` the steps of `position` used,
/// which does not say so itself: all its steps were of windows of one size, a
/// multiple of `batch`.
SamplesOfSteps samplesOfSteps(const CheckpointPosition &position,
                              int64_t samples, int64_t batch);

} // namespace boostrt
