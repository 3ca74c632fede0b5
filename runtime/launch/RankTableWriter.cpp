#include "runtime/launch/RankTable.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace boostrt {

uint32_t RankTable::size() const {
  uint32_t ranks = 0;
  for (uint32_t count : ranksOfServer())
    ranks += count;
  return ranks;
}

std::vector<uint32_t> RankTable::ranksOfServer() const {
  std::vector<uint32_t> counts;
  for (const Server &server : servers)
    counts.push_back(static_cast<uint32_t>(server.devices.size()));
  return counts;
}

std::string RankTable::toJson() const {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Server &server : servers) {
    Json devices = Json::array();
    for (const Device &device : server.devices)
      devices.push_back({{"device_id", std::to_string(device.id)},
                         {"device_ip", device.address},
                         {"rank_id", std::to_string(device.rank)}});
    list.push_back({{"server_id", server.id},
                    {"device", std::move(devices)},
                    {"host_nic_ip", "reserve"}});
  }
  Json root = {{"version", "1.0"},
               {"server_count", std::to_string(servers.size())},
               {"server_list", std::move(list)},
               {"status", "completed"}};
  return root.dump(2) + "\n";
}

Result<RankTable> createRankTable(const std::vector<std::string> &hosts,
                                  uint32_t devices) {
  if (hosts.size() * uint64_t{devices} > kMaxRanks)
    return Status(ExitCode::Usage,
                  fmt::format("{} hosts with {} devices are more than {} ranks",
                              hosts.size(), devices, kMaxRanks));
  RankTable table;
  std::set<std::string> seen;
  uint32_t rank = 0;
  for (const std::string &host : hosts) {
    if (host.empty())
      return Status(ExitCode::Usage,
                    fmt::format("--hosts: host {} of {} is empty; addresses or "
                                "names are separated by one comma each",
                                table.servers.size() + 1, hosts.size()));
    if (printable(host) != host ||
        host.find_first_of(" *\"") != std::string::npos)
      return Status(ExitCode::Usage,
                    fmt::format("--hosts: '{}' is not an address or name of a "
                                "host; they are separated by commas",
                                printable(host)));
    if (!seen.insert(host).second)
      return Status(
          ExitCode::Usage,
          fmt::format("--hosts: '{}' is there twice; --devices says how many "
                      "ranks each host has",
                      host));
    RankTable::Server server{host, {}};
    for (uint32_t id = 0; id < devices; ++id)
      server.devices.push_back({id, rank++, host});
    table.servers.push_back(std::move(server));
  }
  return table;
}

Result<RankTable> mergeRankTables(const std::vector<RankTable> &parts) {
  RankTable merged;
  std::map<std::string, std::string> pathOf;
  uint64_t ranks = 0;
  for (const RankTable &part : parts)
    for (RankTable::Server server : part.servers) {
      auto [first, isNew] = pathOf.try_emplace(server.id, part.path);
      if (!isNew)
        return Status(ExitCode::Input,
                      fmt::format("server '{}' is in '{}' and in '{}'; each "
                                  "part lists other servers",
                                  server.id, first->second, part.path));
      for (RankTable::Device &device : server.devices)
        device.rank = static_cast<uint32_t>(ranks++);
      merged.servers.push_back(std::move(server));
    }
  if (ranks > kMaxRanks)
    return Status(ExitCode::Input,
                  fmt::format("the tables have {} ranks together, and a job at "
                              "most {}",
                              ranks, kMaxRanks));
  return merged;
}

} // namespace boostrt
