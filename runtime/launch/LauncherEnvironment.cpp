#include "runtime/launch/LauncherEnvironment.h"

#include "runtime/launch/RankTable.h"
#include "runtime/support/Plural.h"

#include <fmt/format.h>

namespace boostrt {

Status checkRank(const LauncherEnvironment &environment) {
  if (environment.size == 0 || environment.size > kMaxRanks)
    return Status(ExitCode::Usage, fmt::format("{}={}: a job has 1 to {} ranks",
                                               environment.sizeName,
                                               environment.size, kMaxRanks));
  if (environment.rank >= environment.size)
    return Status(ExitCode::Usage,
                  fmt::format("{}={}, but {}={}: ranks are 0 to {}",
                              environment.rankName, environment.rank,
                              environment.sizeName, environment.size,
                              environment.size - 1));
  return Status();
}

Status placeInBlocks(LauncherEnvironment &environment, Variables &variables,
                     const PlaceNames &names, uint32_t localSize,
                     const std::string &remedy) {
  BOOSTRT_RETURN_IF_ERROR(checkRank(environment));
  auto read = [&](const std::string &name) {
    return name.empty() ? std::nullopt : variables.number(name);
  };
  std::optional<uint32_t> saidLocalRank = read(names.localRank),
                          saidLocalSize = read(names.localSize),
                          saidServer = read(names.server),
                          saidServers = read(names.servers);
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  auto fail = [](std::string message) {
    return Status(ExitCode::Usage, std::move(message));
  };

  environment.localSize = saidLocalSize.value_or(localSize);
  std::string said = saidLocalSize
                         ? fmt::format("{}={}", names.localSize, *saidLocalSize)
                         : countOf(localSize, "rank") + " on each server";
  if (environment.localSize == 0 || environment.localSize > environment.size)
    return fail(fmt::format("{}, but {}={}: a server has 1 to {} of the ranks",
                            said, environment.sizeName, environment.size,
                            environment.size));
  if (environment.size % environment.localSize != 0)
    return fail(fmt::format(
        "{}={}, but {}: servers with different numbers of ranks need a rank "
        "table (RANK_TABLE_FILE)",
        environment.sizeName, environment.size, said));
  environment.localRank = environment.rank % environment.localSize;
  environment.server = environment.rank / environment.localSize;
  uint32_t servers = environment.size / environment.localSize;
  environment.localRankName = saidLocalRank ? names.localRank : "";
  environment.localSizeName = saidLocalSize ? names.localSize : "";
  if (saidLocalRank && *saidLocalRank >= environment.localSize)
    return fail(fmt::format("{}={}, but {}: local ranks are 0 to {}",
                            names.localRank, *saidLocalRank, said,
                            environment.localSize - 1));
  if (saidLocalRank && *saidLocalRank != environment.localRank)
    return fail(fmt::format(
        "{}={}, but {}={} is local rank {} where servers have {} ranks: the "
        "ranks of a server must be neighbours; {}",
        names.localRank, *saidLocalRank, environment.rankName, environment.rank,
        environment.localRank, environment.localSize, remedy));
  if (saidServers && *saidServers != servers)
    return fail(fmt::format("{}={}, but {}={} and {} make {} servers",
                            names.servers, *saidServers, environment.sizeName,
                            environment.size, said, servers));
  if (saidServer && *saidServer != environment.server)
    return fail(fmt::format("{}={}, but {}={} and {} are on server {}; {}",
                            names.server, *saidServer, environment.rankName,
                            environment.rank, said, environment.server,
                            remedy));
  environment.ranksOfServer.assign(servers, environment.localSize);
  return Status();
}

} // namespace boostrt
