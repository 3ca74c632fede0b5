#include "runtime/launch/JobPlan.h"

#include "runtime/comm/control/Socket.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace boostrt {
namespace {

const char *nameOf(CommKind comm) {
  switch (comm) {
  case CommKind::Auto:
    return "auto";
  case CommKind::Local:
    return "local";
  case CommKind::Gloo:
    return "gloo";
  case CommKind::Nccl:
    return "nccl";
  }
  return "";
}

/// "rank 3", "ranks 0 to 7".
std::string rankRange(uint32_t first, uint32_t count) {
  return count == 1 ? fmt::format("rank {}", first)
                    : fmt::format("ranks {} to {}", first, first + count - 1);
}

} // namespace

std::vector<uint32_t> layOut(const std::vector<uint32_t> &ranksOfServer) {
  std::vector<uint32_t> servers;
  for (uint32_t server = 0; server < ranksOfServer.size(); ++server)
    servers.insert(servers.end(), ranksOfServer[server], server);
  return servers;
}

uint32_t JobPlan::firstRankOf(uint32_t server) const {
  auto first =
      std::lower_bound(serverOfRank.begin(), serverOfRank.end(), server);
  return static_cast<uint32_t>(first - serverOfRank.begin());
}

uint32_t JobPlan::ranksOf(uint32_t server) const {
  auto [first, last] =
      std::equal_range(serverOfRank.begin(), serverOfRank.end(), server);
  return static_cast<uint32_t>(last - first);
}

std::string JobPlan::layout() const {
  std::string counts;
  for (uint32_t server = 0; server < servers(); ++server)
    counts += fmt::format("{}{}", server == 0 ? "" : ",", ranksOf(server));
  return counts;
}

std::string JobPlan::master() const {
  return control::endpointText(masterHost, masterPort);
}

JobPlan JobPlan::planOfRank(uint32_t local) const {
  JobPlan started = *this;
  started.rank = rank + local;
  started.localRank = local;
  if (!startedDeviceIds.empty())
    started.deviceId = startedDeviceIds[local];
  started.startedDeviceIds.clear();
  started.startsRanks = false;
  started.isStarted = true;
  return started;
}

std::string JobPlan::describe() const {
  if (ranksAreThreads())
    return fmt::format("all {} ranks, as threads of this process", size);
  return fmt::format("{} of {}, on server {} of {}",
                     startsRanks ? rankRange(rank, localSize)
                                 : fmt::format("rank {}", rank),
                     size, server, servers());
}

std::string JobPlan::toText() const {
  std::string text;
  if (isIdle)
    text = "this process has nothing to do\n";
  else if (startsRanks)
    text = fmt::format("starts {}\n", describe());
  else if (ranksAreThreads())
    text = describe() + "\n";
  else
    text = fmt::format("{}, local rank {} of {}\n", describe(), localRank,
                       localSize);
  text += fmt::format("found in  {}\n",
                      source.empty() ? "nothing that says otherwise" : source);
  if (!masterHost.empty())
    text +=
        fmt::format("master    {}\n",
                    masterPort == 0 ? masterHost + ", a free port" : master());
  if (!tokenSource.empty())
    text += fmt::format("token     {}\n", tokenSource);
  if (deviceId)
    text += fmt::format("device    {}\n", *deviceId);
  for (uint32_t each = 0; each < servers(); ++each)
    text += fmt::format("server {}  {}\n", each,
                        rankRange(firstRankOf(each), ranksOf(each)));
  for (const std::string &note : notes)
    text += fmt::format("note: {}\n", note);
  return text;
}

nlohmann::ordered_json JobPlan::toJson() const {
  nlohmann::ordered_json json;
  json["role"] = isIdle              ? "idle"
                 : startsRanks       ? "launcher"
                 : ranksAreThreads() ? "threads"
                                     : "rank";
  json["rank"] = rank;
  json["size"] = size;
  json["local_rank"] = localRank;
  json["local_size"] = localSize;
  json["server"] = server;
  json["servers"] = servers();
  json["server_of_rank"] = serverOfRank;
  json["master"] = nullptr;
  if (!masterHost.empty())
    json["master"] = master();
  json["token_from"] = nullptr;
  if (!tokenSource.empty())
    json["token_from"] = tokenSource;
  json["device_id"] = nullptr;
  if (deviceId)
    json["device_id"] = *deviceId;
  json["comm"] = nameOf(comm);
  json["source"] = source;
  json["notes"] = notes;
  return json;
}

} // namespace boostrt
