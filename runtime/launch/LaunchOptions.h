// LaunchOptions.h - what the command line says about the ranks of a job. An
// absent option is empty; resolveJob() knows the defaults.
#pragma once

#include <cstdint>
#include <optional>
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
  std::optional<uint32_t> ranks; ///< to start on each server
  std::optional<uint32_t> nodes, nodeRank;
  std::optional<std::string> master; ///< "HOST" or "HOST:PORT"
  std::optional<std::string> rankTable, tokenFile, logDir;
  CommKind comm = CommKind::Auto;
  std::optional<uint32_t> threads; ///< of each rank, as --threads
  std::optional<bool> pin; ///< give each rank CPUs of its own; see startRanks()
  double rankDeadline = 8; ///< seconds of silence after which a rank is lost
  double grace = 15; ///< seconds the others have to end when a rank is lost
};

} // namespace boostrt
