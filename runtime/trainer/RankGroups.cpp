// Which ranks average before Adasum combines.
#include "runtime/program/ProgramCollectives.h"
#include "runtime/trainer/Ranks.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

std::vector<uint32_t> ranksOf(const std::vector<uint32_t> &serverOfRank,
                              uint32_t server) {
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < serverOfRank.size(); ++rank)
    if (serverOfRank[rank] == server)
      ranks.push_back(rank);
  return ranks;
}

} // namespace

Result<Group> Ranks::innerGroup(uint32_t across) const {
  if (!averagesInServers(across, serverOfRank_.front() != serverOfRank_.back()))
    return Group(*transport_, {rank()});
  uint32_t own = serverOfRank_[rank()];
  std::vector<uint32_t> members = ranksOf(serverOfRank_, own);
  for (uint32_t server = 0; server <= serverOfRank_.back(); ++server)
    if (size_t others = ranksOf(serverOfRank_, server).size();
        others != members.size())
      return Status(
          ExitCode::Input,
          fmt::format("server {} has {} ranks and server {} has {}, but Adasum "
                      "across servers gives each server's mean the same "
                      "weight; start as many ranks on each, or compile with "
                      "adasum.across = ranks",
                      own, members.size(), server, others));
  return Group(*transport_, std::move(members));
}

} // namespace boostrt
