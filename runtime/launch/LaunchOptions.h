// LaunchOptions.h - what the command line says about the ranks of a job. An
// absent option is empty; resolveJob() knows the defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace boostrt {

/// What carries messages between ranks. Auto is Gloo between processes, and
/// between their GPUs NCCL where it can.
enum class CommKind {
  Auto,
  Local, ///< ranks are threads of one process
  Gloo,
  Nccl, ///< between GPUs; all else is Gloo's
};

struct LaunchOptions {
  /// The flags of the command line, without dashes: for what is said of those
  /// that have no effect.
  std::set<std::string> given;
  std::optional<uint32_t> ranks; ///< to start on each server
  std::optional<uint32_t> nodes, nodeRank;
  std::optional<std::string> master; ///< "HOST" or "HOST:PORT"
  std::optional<std::string> rankTable, tokenFile, logDir;
  CommKind comm = CommKind::Auto;
  std::optional<uint32_t> threads; ///< of each rank, as --threads
  std::optional<bool> pin; ///< give each rank CPUs of its own; see startRanks()
  // In seconds.
  double joinDeadline = 60; ///< in which all ranks must have come
  double rankDeadline = 8;  ///< of silence, after which a rank is lost
  double grace = 15;        ///< that the others have to end when a rank is lost
};

} // namespace boostrt
