#include "runtime/comm/Handshake.h"

#include "runtime/comm/Collectives.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

/// Facts as text: neither names nor values contain the separators.
constexpr char endOfName = '\0', endOfValue = '\1';

std::string encode(const std::vector<Fact> &facts) {
  std::string text;
  for (const Fact &fact : facts)
    text += fact.name + endOfName + fact.value + endOfValue;
  return text;
}

std::vector<Fact> decode(std::string_view text) {
  std::vector<Fact> facts;
  while (!text.empty()) {
    size_t name = text.find(endOfName), value = text.find(endOfValue);
    if (name >= value || value == text.npos)
      break; // written by another version
    facts.push_back({std::string(text.substr(0, name)),
                     std::string(text.substr(name + 1, value - name - 1))});
    text.remove_prefix(value + 1);
  }
  return facts;
}

std::string difference(uint32_t rank, std::string_view encoded,
                       std::string_view firstEncoded) {
  std::vector<Fact> facts = decode(encoded), first = decode(firstEncoded);
  auto valueOf = [](const std::vector<Fact> &facts, size_t i) {
    return i < facts.size() ? fmt::format("'{}'", printable(facts[i].value))
                            : std::string("missing");
  };
  for (size_t i = 0; i < std::max(facts.size(), first.size()); ++i) {
    bool isThere = i < facts.size() && i < first.size();
    if (isThere && facts[i].name == first[i].name &&
        facts[i].value == first[i].value)
      continue;
    if (isThere && facts[i].name != first[i].name)
      break;
    const Fact &named = i < facts.size() ? facts[i] : first[i];
    return fmt::format(
        "the ranks do not run the same job: {} is {} on rank {} and {} on rank "
        "0; start all ranks with the same program, options and data",
        printable(named.name), valueOf(facts, i), rank, valueOf(first, i));
  }
  return fmt::format("rank {} and rank 0 run different versions of boost-run; "
                     "install the same one on all machines",
                     rank);
}

} // namespace

Status agree(Transport &transport, const std::vector<Fact> &facts) {
  Group group(transport);
  Workspace workspace;
  std::string own = encode(facts);
  std::vector<uint64_t> sizes(group.size());
  BOOSTRT_RETURN_IF_ERROR(
      allGatherValue(group, uint64_t(own.size()), std::span(sizes), workspace));
  std::vector<size_t> ends;
  size_t total = 0;
  for (uint64_t size : sizes)
    ends.push_back(total += size);
  std::string all(total, '\0');
  uint32_t self = group.self();
  all.replace(ends[self] - own.size(), own.size(), own);
  BOOSTRT_RETURN_IF_ERROR(allGather(
      group, std::as_writable_bytes(std::span(all)), ends, workspace));
  auto of = [&](uint32_t rank) {
    return std::string_view(all).substr(ends[rank] - sizes[rank], sizes[rank]);
  };
  for (uint32_t rank = 1; rank < group.size(); ++rank)
    if (of(rank) != of(0))
      return Status(ExitCode::RankLost, difference(rank, of(rank), of(0)));
  return Status();
}

} // namespace boostrt
