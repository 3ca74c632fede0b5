#include "runtime/launch/RankTablePlan.h"

#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace boostrt {
namespace {

class Finder {
public:
  Finder(const RankTable &table, std::optional<uint32_t> nodeRank,
         Variables &variables, const LauncherEnvironment *environment,
         const std::vector<std::string> &hostNames)
      : table_(table), nodeRank_(nodeRank), variables_(variables),
        environment_(environment), hostNames_(hostNames) {}

  Result<PlaceInTable> find() {
    // All before the first check: a word that is not a number comes first.
    size_ = variables_.number("RANK_SIZE");
    devices_ = variables_.number("DEVICE_NUM");
    rank_ = variables_.number("RANK_ID");
    device_ = variables_.number("DEVICE_ID");
    serverId_ = variables_.number("SERVER_ID");
    BOOSTRT_RETURN_IF_ERROR(variables_.status());
    if (size_ && *size_ != table_.size())
      return disagrees("RANK_SIZE", *size_,
                       fmt::format("has {} ranks", table_.size()));
    BOOSTRT_RETURN_IF_ERROR(checkServer());
    PlaceInTable place;
    Status status = rank_ || environment_ ? takeRank(place) : takeServer(place);
    if (!status.ok())
      return status;
    return place;
  }

private:
  /// A variable that says something else than the table.
  Status disagrees(const char *name, uint32_t value,
                   const std::string &what) const {
    return Status(ExitCode::Usage,
                  fmt::format("{}={}, but the rank table '{}' {}; correct the "
                              "variable or the table",
                              name, value, table_.path, what));
  }

  Status checkServer() {
    if (nodeRank_ && serverId_ && *nodeRank_ != *serverId_)
      return Status(ExitCode::Usage,
                    fmt::format("--node-rank={}, but SERVER_ID={}; leave one "
                                "of them out",
                                *nodeRank_, *serverId_));
    server_ = nodeRank_ ? nodeRank_ : serverId_;
    if (server_ && *server_ >= table_.servers.size())
      return disagrees(nodeRank_ ? "--node-rank" : "SERVER_ID", *server_,
                       "has " + countOf(table_.servers.size(), "server"));
    return Status();
  }

  /// This process is one rank already.
  Status takeRank(PlaceInTable &place) const {
    place.source = fmt::format("the rank table '{}' and ", table_.path);
    if (environment_) {
      if (environment_->size != table_.size())
        return disagrees(environment_->sizeName.c_str(), environment_->size,
                         fmt::format("has {} ranks", table_.size()));
      if (rank_ && *rank_ != environment_->rank)
        return Status(ExitCode::Usage,
                      fmt::format("RANK_ID={}, but {} says {}={}; unset one "
                                  "of them",
                                  *rank_, environment_->launcher,
                                  environment_->rankName, environment_->rank));
      place.rank = environment_->rank;
      place.source += fmt::format("{} ({})", environment_->launcher,
                                  environment_->rankName);
    } else {
      place.rank = *rank_;
      place.source += "RANK_ID";
    }
    if (place.rank >= table_.size())
      return disagrees("RANK_ID", place.rank,
                       fmt::format("has ranks 0 to {}", table_.size() - 1));
    uint32_t server = 0, local = place.rank;
    while (local >= table_.servers[server].devices.size())
      local -= static_cast<uint32_t>(table_.servers[server++].devices.size());
    if (server_ && *server_ != server)
      return disagrees(
          nodeRank_ ? "--node-rank" : "SERVER_ID", *server_,
          fmt::format("puts rank {} on server {}", place.rank, server));
    if (environment_ && !environment_->localSizeName.empty())
      BOOSTRT_RETURN_IF_ERROR(checkDevices(environment_->localSizeName.c_str(),
                                           environment_->localSize, server));
    if (environment_ && !environment_->localRankName.empty() &&
        environment_->localRank != local)
      return disagrees(
          environment_->localRankName.c_str(), environment_->localRank,
          fmt::format("makes rank {} number {} of server '{}'", place.rank,
                      local, table_.servers[server].id));
    uint32_t device = table_.servers[server].devices[local].id;
    if (device_ && *device_ != device)
      return disagrees(
          "DEVICE_ID", *device_,
          fmt::format("gives rank {} device {}", place.rank, device));
    return checkDevices("DEVICE_NUM", devices_, server);
  }

  Status checkDevices(const char *name, std::optional<uint32_t> count,
                      uint32_t server) const {
    const RankTable::Server &entry = table_.servers[server];
    if (!count || *count == entry.devices.size())
      return Status();
    return disagrees(name, *count,
                     fmt::format("gives server '{}' {}", entry.id,
                                 countOf(entry.devices.size(), "device")));
  }

  /// This process starts the ranks of its server.
  Status takeServer(PlaceInTable &place) const {
    if (device_)
      return Status(ExitCode::Usage,
                    fmt::format("DEVICE_ID={} is set, but RANK_ID is not; set "
                                "both for a process that is one rank, or none "
                                "and boost-run starts those of its server",
                                *device_));
    std::string how;
    Result<uint32_t> server = ownServer(how);
    if (!server.ok())
      return server.status();
    BOOSTRT_RETURN_IF_ERROR(checkDevices("DEVICE_NUM", devices_, *server));
    place.source = fmt::format("the rank table '{}' ({})", table_.path, how);
    for (uint32_t before = 0; before < *server; ++before)
      place.rank +=
          static_cast<uint32_t>(table_.servers[before].devices.size());
    place.startsRanks = true;
    return Status();
  }

  Result<uint32_t> ownServer(std::string &how) const {
    if (server_) {
      how = fmt::format("{}={}", nodeRank_ ? "--node-rank" : "SERVER_ID",
                        *server_);
      return *server_;
    }
    std::vector<uint32_t> own;
    std::string ids;
    for (uint32_t index = 0; index < table_.servers.size(); ++index) {
      const std::string &id = table_.servers[index].id;
      ids += (index == 0 ? "" : ", ") + id;
      if (isLoopback(id) || std::find(hostNames_.begin(), hostNames_.end(),
                                      id) != hostNames_.end())
        own.push_back(index);
    }
    if (own.size() == 1) {
      how = fmt::format("server_id {} is this host", table_.servers[own[0]].id);
      return own[0];
    }
    if (own.size() > 1)
      return Status(
          ExitCode::Usage,
          fmt::format("servers {} ({}) and {} ({}) of the rank table '{}' are "
                      "both this host; say which one to start with SERVER_ID "
                      "or --node-rank",
                      own[0], table_.servers[own[0]].id, own[1],
                      table_.servers[own[1]].id, table_.path));
    std::string names;
    for (const std::string &name : hostNames_)
      names += (names.empty() ? "" : ", ") + name;
    return Status(ExitCode::Input,
                  fmt::format("none of the servers of the rank table '{}' ({}) "
                              "is this host ({}); correct the table, or set "
                              "SERVER_ID",
                              table_.path, printable(ids), printable(names)));
  }

  const RankTable &table_;
  std::optional<uint32_t> nodeRank_;
  Variables &variables_;
  const LauncherEnvironment *environment_;
  const std::vector<std::string> &hostNames_;
  std::optional<uint32_t> size_, devices_, rank_, device_, serverId_, server_;
};

} // namespace

Result<PlaceInTable>
findPlaceInTable(const RankTable &table, std::optional<uint32_t> nodeRank,
                 Variables &variables, const LauncherEnvironment *environment,
                 const std::vector<std::string> &hostNames) {
  return Finder(table, nodeRank, variables, environment, hostNames).find();
}

} // namespace boostrt
