#include "runtime/trainer/ReplicaCheck.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace boostrt {
namespace {

/// Four independent chains, so that a processor can work on them at once. Each
/// step is a bijection of the chain and, for a given chain, of the word.
class Hash {
public:
  void add(const std::byte *data, uint64_t bytes) {
    uint64_t at = 0;
    for (; at + 32 <= bytes; at += 32)
      for (int lane = 0; lane < 4; ++lane)
        mix(chains_[lane], data + at + 8 * lane, 8);
    for (; at < bytes; at += 8)
      mix(chains_[0], data + at, std::min<uint64_t>(8, bytes - at));
  }

  uint64_t value() const {
    uint64_t value = 0;
    for (uint64_t chain : chains_)
      value = std::rotl(value ^ chain, 29) * kMultiplier;
    return value;
  }

private:
  // Odd; the golden ratio's fraction in 64 bits.
  static constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;

  static void mix(uint64_t &chain, const std::byte *data, size_t bytes) {
    uint64_t word = 0;
    std::memcpy(&word, data, bytes);
    chain = std::rotl(chain ^ word, 31) * kMultiplier;
  }

  uint64_t chains_[4] = {1, 2, 3, 4};
};

} // namespace

uint64_t hashOfWeights(const Execution &execution) {
  Hash hash;
  for (const BoostParameter &parameter : execution.program().parameters())
    hash.add(execution.tensor(parameter.tensor), parameter.tensor.bytes);
  return hash.value();
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
