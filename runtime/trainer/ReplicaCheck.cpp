#include "runtime/trainer/ReplicaCheck.h"

#include "runtime/support/Sha256.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace boostrt {

uint64_t hashOfWeights(const Execution &execution) {
  Sha256 sha;
  for (const BoostParameter &parameter : execution.program().parameters())
    sha.update(
        {reinterpret_cast<const uint8_t *>(execution.tensor(parameter.tensor)),
         parameter.tensor.bytes});
  Sha256Digest digest = sha.finish();
  uint64_t hash;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

std::string describeDifference(std::span<const uint64_t> hashes) {
  std::map<uint64_t, std::vector<size_t>> ranksOf;
  for (size_t rank = 0; rank < hashes.size(); ++rank)
    ranksOf[hashes[rank]].push_back(rank);
  if (ranksOf.size() == 1)
    return "";
  const std::vector<size_t> *most = nullptr;
  bool isTie = false;
  for (const auto &[hash, ranks] : ranksOf)
    if (!most || ranks.size() > most->size()) {
      most = &ranks;
      isTie = false;
    } else if (ranks.size() == most->size()) {
      isTie = true;
    }
  if (isTie) {
    std::vector<std::string> groups;
    for (const auto &[hash, ranks] : ranksOf)
      groups.push_back(fmt::format("{}", fmt::join(ranks, ",")));
    std::sort(groups.begin(), groups.end());
    return fmt::format("ranks {} differ from each other; which are right, "
                       "numbers cannot tell",
                       fmt::join(groups, " and "));
  }
  std::vector<size_t> odd;
  for (size_t rank = 0; rank < hashes.size(); ++rank)
    if (hashes[rank] != hashes[most->front()])
      odd.push_back(rank);
  return fmt::format("rank{} {} differ{} from the other {}",
                     odd.size() > 1 ? "s" : "", fmt::join(odd, ", "),
                     odd.size() > 1 ? "" : "s", most->size());
}

Status checkReplicas(Ranks &ranks, const Execution &execution,
                     int64_t globalStep) {
  BOOSTRT_RETURN_IF_ERROR(execution.downloadPersistent());
  std::vector<uint64_t> hashes(ranks.size());
  BOOSTRT_RETURN_IF_ERROR(
      ranks.gather(hashOfWeights(execution), std::span(hashes)));
  std::string difference = describeDifference(hashes);
  if (difference.empty())
    return Status();
  return Status(
      ExitCode::RankLost,
      fmt::format("after global step {} the weights are not the same on all "
                  "ranks: {}; a bit has been flipped or a processor computes "
                  "wrong: replace that machine and resume from a checkpoint "
                  "that was saved before",
                  globalStep, difference));
}

} // namespace boostrt
