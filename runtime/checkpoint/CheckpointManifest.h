// CheckpointManifest.h - manifest.json: what a checkpoint is and what is in it.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"

namespace boostrt {

inline constexpr const char *kManifestFile = "manifest.json";
inline constexpr const char *kWeightsFile = "weights.safetensors";
inline constexpr const char *kStateFile = "state.safetensors";
inline constexpr uint32_t kMaxRankStates = 4096;

/// "state.rank-00001.safetensors".
std::string rankStateFile(uint32_t rank);

struct ManifestFile {
  uint64_t bytes = 0;
  std::string sha256;
};

struct CheckpointManifest {
  CheckpointPosition position;
  ManifestFile weights, state;
  std::vector<ManifestFile> otherStates; ///< of ranks 1, 2, ...
  /// The resolved recipe (BoostProgram::recipe_json). Empty where it is
  /// unknown, and when written left out where the manifest would be longer than
  /// kMaxManifestBytes.
  std::string recipe;
  /// Read from version 1: samplesInEpoch, ranks and microBatches are unknown.
  bool saysSamples = true;
};

inline constexpr uint64_t kMaxManifestBytes = 4 << 20;

/// JSON text that ends in its own checksum, so that a flipped digit of the
/// position is noticed like a flipped byte of a tensor.
std::string writeManifest(const CheckpointManifest &manifest);

/// `path` is the manifest's, for messages. ExitCode::Checkpoint.
Result<CheckpointManifest> parseManifest(std::span<const uint8_t> text,
                                         const std::string &path);

} // namespace boostrt
