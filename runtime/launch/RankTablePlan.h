// RankTablePlan.h - which rank of a rank table this process is, or which server
// it starts. Private to this room.
#pragma once

#include "runtime/launch/LauncherEnvironment.h"
#include "runtime/launch/RankTable.h"

namespace boostrt {

struct PlaceInTable {
  uint32_t rank = 0; ///< of this process, or the first of those that it starts
  bool startsRanks = false;
  std::string source;
};

/// `nodeRank` is --node-rank; `environment` what a launcher says that has
/// started this process, if there is one. RANK_SIZE, DEVICE_NUM, RANK_ID,
/// DEVICE_ID and SERVER_ID must agree with the table.
Result<PlaceInTable>
findPlaceInTable(const RankTable &table, std::optional<uint32_t> nodeRank,
                 Variables &variables, const LauncherEnvironment *environment,
                 const std::vector<std::string> &hostNames);

} // namespace boostrt
