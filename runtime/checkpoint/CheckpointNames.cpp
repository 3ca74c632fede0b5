#include "runtime/checkpoint/CheckpointNames.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/support/ParseNumber.h"

#include <fmt/format.h>

#include <algorithm>

namespace boostrt {

std::string checkpointName(const std::string &prefix,
                           const CheckpointPosition &position) {
  return fmt::format("{}-{}_{}.ckpt", prefix, position.epoch,
                     position.stepInEpoch);
}

bool isLegalPrefix(std::string_view prefix) {
  auto isLegal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  return !prefix.empty() && prefix.size() <= 100 && prefix.front() != '.' &&
         std::ranges::all_of(prefix, isLegal);
}

/// One spelling per number: no sign, no leading zero.
static std::optional<int64_t> parseNumber(std::string_view text) {
  std::optional<int64_t> value = parseWhole<int64_t>(text);
  bool isCanonical = value && *value >= 0 && fmt::to_string(*value) == text;
  return isCanonical ? value : std::nullopt;
}

std::optional<CheckpointName> parseCheckpointName(std::string_view text) {
  size_t dash = text.rfind('-');
  if (dash == std::string_view::npos)
    return std::nullopt;
  return parseCheckpointName(text, text.substr(0, dash));
}

std::optional<CheckpointName> parseCheckpointName(std::string_view text,
                                                  std::string_view prefix) {
  constexpr std::string_view kSuffix = ".ckpt";
  if (!isLegalPrefix(prefix) || !text.starts_with(prefix) ||
      !text.ends_with(kSuffix) ||
      text.size() < prefix.size() + 1 + kSuffix.size() ||
      text[prefix.size()] != '-')
    return std::nullopt;
  std::string_view numbers = text.substr(prefix.size() + 1);
  numbers.remove_suffix(kSuffix.size());
  size_t line = numbers.find('_');
  if (line == std::string_view::npos)
    return std::nullopt;
  std::optional<int64_t> epoch = parseNumber(numbers.substr(0, line));
  std::optional<int64_t> step = parseNumber(numbers.substr(line + 1));
  if (!epoch || !step)
    return std::nullopt;
  return CheckpointName{std::string(text), *epoch, *step};
}

std::vector<CheckpointName>
checkpointsNewestFirst(std::span<const DirectoryEntry> entries,
                       std::optional<std::string_view> prefix) {
  std::vector<CheckpointName> names;
  for (const DirectoryEntry &entry : entries)
    if (entry.leadsToDirectory())
      if (auto name = prefix ? parseCheckpointName(entry.name, *prefix)
                             : parseCheckpointName(entry.name))
        names.push_back(std::move(*name));
  std::ranges::sort(names, std::ranges::greater(),
                    [](const CheckpointName &name) {
                      return std::pair(name.epoch, name.step);
                    });
  return names;
}

} // namespace boostrt
