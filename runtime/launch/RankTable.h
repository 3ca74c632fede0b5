// RankTable.h - the file that lists the ranks of a job by servers and devices
// (docs/launching.md). Every number in it is a text: "8".
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace boostrt {

/// More than that is a mistake, and must not cost memory.
constexpr uint32_t kMaxRanks = 1 << 16;

struct RankTable {
  struct Device {
    uint32_t id = 0;   ///< on its server
    uint32_t rank = 0; ///< in the job
    std::string address;
  };
  struct Server {
    std::string id; ///< an address or a name
    std::vector<Device> devices;
  };

  std::string path; ///< for messages
  std::vector<Server> servers;

  uint32_t size() const;
  std::vector<uint32_t> ranksOfServer() const;
  std::string toJson() const;
};

/// A part lists some servers of a job; its rank_ids do not count.
enum class TableKind { Whole, Part };

/// Fails with ExitCode::Input and the place of what is wrong.
Result<RankTable> parseRankTable(const std::string &text,
                                 const std::string &path,
                                 TableKind kind = TableKind::Whole);
Result<RankTable> readRankTable(const std::string &path,
                                TableKind kind = TableKind::Whole);

/// `devices` ranks on each host, numbered along the list. Fails with
/// ExitCode::Usage.
Result<RankTable> createRankTable(const std::vector<std::string> &hosts,
                                  uint32_t devices);

/// The servers of all parts, ranks numbered anew in that order. Fails with
/// ExitCode::Input for a server that is in two.
Result<RankTable> mergeRankTables(const std::vector<RankTable> &parts);

} // namespace boostrt
