// JobPlan.h - who this process is in a job of ranks: which rank, where the
// others are and where they meet, or that it has to start ranks itself.
//
// A rank is one participant, numbered from 0; the ranks of a server are
// neighbours, and servers are numbered in the order of their ranks.
#pragma once

#include "runtime/launch/LaunchOptions.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace boostrt {

/// The variables of a process.
using Environment = std::map<std::string, std::string>;

struct JobPlan {
  uint32_t rank = 0, size = 1;
  uint32_t localRank = 0, localSize = 1; ///< among those of its server
  uint32_t server = 0;
  std::vector<uint32_t> serverOfRank{0}; ///< `size` numbers, ascending
  /// Where rank 0 listens for the others; empty and 0 for a job of one rank.
  std::string masterHost;
  uint16_t masterPort = 0;
  /// What ranks show each other before they speak; empty for one rank.
  std::string token;
  std::string tokenSource; ///< "BOOSTC_TOKEN"; "derived" is not a secret
  /// "torchrun (RANK, WORLD_SIZE)"; empty where nothing said that there is
  /// more than one rank.
  std::string source;
  /// What the rank table says; else the local rank, by convention. For each
  /// rank that this process starts.
  std::optional<uint32_t> deviceId;
  std::vector<uint32_t> startedDeviceIds;
  CommKind comm = CommKind::Auto;

  /// This process is not a rank: it starts `localSize` of them, of which `rank`
  /// is the first, and waits for them.
  bool startsRanks = false;
  /// This process is all `size` ranks, one in each thread (--comm=local).
  bool ranksAreThreads() const { return comm == CommKind::Local && size > 1; }
  /// This process is an additional one that a launcher starts for a protocol of
  /// its own (msrun's scheduler); it has nothing to do.
  bool isIdle = false;
  /// boost-run has started this process, and has said already what is worth
  /// saying about the plan.
  bool isStarted = false;
  /// boost-run has also given it CPUs of its own: all that it sees.
  bool isPinned = false;

  /// What the user should know about the choice.
  std::vector<std::string> notes;

  uint32_t servers() const { return serverOfRank.back() + 1; }
  /// The first rank of `server`, and how many it has.
  uint32_t firstRankOf(uint32_t server) const;
  uint32_t ranksOf(uint32_t server) const;
  /// "8,8": how many ranks each server has. All ranks must agree on it.
  std::string layout() const;
  /// "host:port"; the port is 0 when it is still to be drawn.
  std::string master() const;
  /// The plan of the rank that this launcher starts as its number `local`.
  JobPlan planOfRank(uint32_t local) const;
  /// "rank 3 of 16, on server 0 of 2".
  std::string describe() const;

  /// For `boost-run ranks`. The token itself is in neither.
  std::string toText() const;
  nlohmann::ordered_json toJson() const;
};

/// `ranksOfServer` as JobPlan::serverOfRank.
std::vector<uint32_t> layOut(const std::vector<uint32_t> &ranksOfServer);

} // namespace boostrt
