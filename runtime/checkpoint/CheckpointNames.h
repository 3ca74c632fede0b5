// CheckpointNames.h - the names in a checkpoint directory.
#pragma once

#include "runtime/support/File.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

inline constexpr std::string_view kLockFile = ".boost-run.lock";

/// Prefixes of a checkpoint's name while it is incomplete or replaced. Only
/// names made of these are ever deleted or moved while tidying.
inline constexpr std::string_view kSaving = ".saving-";     ///< being written
inline constexpr std::string_view kReplaced = ".replaced-"; ///< moved aside
inline constexpr std::string_view kDeleted = ".deleted-";   ///< being deleted

struct CheckpointName {
  std::string text; ///< "mlp-1_27.ckpt"
  int64_t epoch = 0;
  int64_t step = 0;
};

/// Letters, digits, '_', '-' and '.', not a '.' first, at most 100.
bool isLegalPrefix(std::string_view prefix);

/// Splits "<prefix>-<epoch>_<step>.ckpt", exactly as checkpointName() writes
/// it.
std::optional<CheckpointName> parseCheckpointName(std::string_view text);
std::optional<CheckpointName> parseCheckpointName(std::string_view text,
                                                  std::string_view prefix);

/// The directories among `entries`, and links to some, that are named as
/// checkpoints: those of `prefix`, or all where it is empty.
std::vector<CheckpointName>
checkpointsNewestFirst(std::span<const DirectoryEntry> entries,
                       std::optional<std::string_view> prefix = {});

} // namespace boostrt
