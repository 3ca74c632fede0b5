// LauncherEnvironment.h - what one launcher's variables say. Private to this
// room.
#pragma once

#include "runtime/launch/Variables.h"

#include <vector>

namespace boostrt {

struct LauncherEnvironment {
  std::string launcher; ///< "torchrun"
  /// The variables that rank and size come from, for messages.
  std::string rankName, sizeName, localRankName, localSizeName;
  uint32_t rank = 0, size = 1;
  uint32_t localRank = 0, localSize = 1, server = 0;
  std::vector<uint32_t> ranksOfServer{1};
  /// Where the launcher says that rank 0 is; a port of 0 is to be found.
  std::string masterHost;
  uint16_t masterPort = 0;
  /// What no other job on these hosts has, when the launcher names its jobs.
  std::string job;
  bool isIdle = false;
  /// Why this environment alone says too little; empty when it does not.
  std::string problem;
  /// A launcher inside this one may have other ranks: this one has started one
  /// process on each host.
  bool isNested = false;
  std::vector<std::string> notes;
};

/// Nothing when the launcher has not started this process.
using DetectedEnvironment = Result<std::optional<LauncherEnvironment>>;

DetectedEnvironment detectTorchrun(Variables &variables);
DetectedEnvironment detectMsrun(Variables &variables);
DetectedEnvironment detectSlurm(Variables &variables);
DetectedEnvironment detectOpenMpi(Variables &variables);
DetectedEnvironment detectPmi(Variables &variables);

/// How a launcher's variables say where a rank is among its neighbours. The
/// names of those that it lacks are empty.
struct PlaceNames {
  std::string localRank, localSize, server, servers;
};

/// Fails when rank and size of `environment` do not fit.
Status checkRank(const LauncherEnvironment &environment);

/// Fills in the place from `names`, for servers that all have the same number
/// of ranks; `localSize` where no variable says it. `remedy` is what makes the
/// launcher number neighbours one after the other.
Status placeInBlocks(LauncherEnvironment &environment, Variables &variables,
                     const PlaceNames &names, uint32_t localSize,
                     const std::string &remedy);

/// "node[01-03,7],gpu5" -> "node01"; nothing when it is not such a list.
std::optional<std::string> firstHostOf(std::string_view nodeList);

/// "8(x2),4" -> 8, 8, 4.
std::optional<std::vector<uint32_t>> tasksPerNode(std::string_view list);

} // namespace boostrt
