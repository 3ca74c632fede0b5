#include "runtime/program/VariantText.h"

#include "runtime/support/Plural.h"

#include <fmt/ranges.h>
#include <vector>

namespace boostrt {

std::string describeSteps(std::span<const BoostStepRange> ranges, bool isLast) {
  if (ranges.empty())
    return isLast ? "all other steps" : "when it is chosen";
  std::vector<std::string> texts;
  for (const BoostStepRange &range : ranges) {
    std::string steps =
        range.every == 1 ? "steps" : fmt::format("every {} steps", range.every);
    texts.push_back(
        range.last != 0
            ? fmt::format("{} from {} to {}", steps, range.first, range.last)
            : fmt::format("{} from {} on", steps, range.first));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string describeSelector(const std::string &function, uint64_t lag,
                             std::span<const std::string> variants) {
  return fmt::format("{} chooses for all other steps, {} ahead: {}", function,
                     countOf(lag, "step"), fmt::join(variants, ", "));
}

std::string describePhase(size_t number, const std::string &micro,
                          const std::string &ending, bool repeats) {
  return fmt::format(
      "phase {}: {}{}{}", number,
      micro.empty() ? "" : fmt::format("{} for each micro-batch, then ", micro),
      ending, repeats ? "; repeated while it says so" : "");
}

} // namespace boostrt
