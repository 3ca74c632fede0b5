#include "runtime/launch/Claim.h"

#include "runtime/launch/RankTable.h"

#include <fmt/format.h>

namespace boostrt {

Status checkRank(const Claim &claim) {
  if (claim.size == 0 || claim.size > kMaxRanks)
    return Status(ExitCode::Usage,
                  fmt::format("{}={}: a job has 1 to {} ranks", claim.sizeName,
                              claim.size, kMaxRanks));
  if (claim.rank >= claim.size)
    return Status(ExitCode::Usage,
                  fmt::format("{}={}, but {}={}: ranks are 0 to {}",
                              claim.rankName, claim.rank, claim.sizeName,
                              claim.size, claim.size - 1));
  return Status();
}

Status placeInBlocks(Claim &claim, Variables &variables,
                     const PlaceNames &names, uint32_t localSize,
                     const std::string &remedy) {
  BOOSTRT_RETURN_IF_ERROR(checkRank(claim));
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

  claim.localSize = saidLocalSize.value_or(localSize);
  std::string said = saidLocalSize
                         ? fmt::format("{}={}", names.localSize, *saidLocalSize)
                         : fmt::format("{} rank{} on each server", localSize,
                                       localSize == 1 ? "" : "s");
  if (claim.localSize == 0 || claim.localSize > claim.size)
    return fail(fmt::format("{}, but {}={}: a server has 1 to {} of the ranks",
                            said, claim.sizeName, claim.size, claim.size));
  if (claim.size % claim.localSize != 0)
    return fail(fmt::format(
        "{}={}, but {}: servers with different numbers of ranks need a rank "
        "table (RANK_TABLE_FILE)",
        claim.sizeName, claim.size, said));
  claim.localRank = claim.rank % claim.localSize;
  claim.server = claim.rank / claim.localSize;
  uint32_t servers = claim.size / claim.localSize;
  claim.localRankName = saidLocalRank ? names.localRank : "";
  claim.localSizeName = saidLocalSize ? names.localSize : "";
  if (saidLocalRank && *saidLocalRank >= claim.localSize)
    return fail(fmt::format("{}={}, but {}: local ranks are 0 to {}",
                            names.localRank, *saidLocalRank, said,
                            claim.localSize - 1));
  if (saidLocalRank && *saidLocalRank != claim.localRank)
    return fail(fmt::format(
        "{}={}, but {}={} is local rank {} where servers have {} ranks: the "
        "ranks of a server must be neighbours; {}",
        names.localRank, *saidLocalRank, claim.rankName, claim.rank,
        claim.localRank, claim.localSize, remedy));
  if (saidServers && *saidServers != servers)
    return fail(fmt::format("{}={}, but {}={} and {} make {} servers",
                            names.servers, *saidServers, claim.sizeName,
                            claim.size, said, servers));
  if (saidServer && *saidServer != claim.server)
    return fail(fmt::format("{}={}, but {}={} and {} are on server {}; {}",
                            names.server, *saidServer, claim.rankName,
                            claim.rank, said, claim.server, remedy));
  claim.ranksOfServer.assign(servers, claim.localSize);
  return Status();
}

} // namespace boostrt
