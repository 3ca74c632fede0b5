#include "runtime/program/StepVariants.h"

#include <fmt/format.h>

namespace boostrt {

static std::string describe(const BoostStepRange &range) {
  std::string steps =
      range.every == 1 ? "steps" : fmt::format("every {} steps", range.every);
  return range.last == 0
             ? fmt::format("{} from {} on", steps, range.first)
             : fmt::format("{} from {} to {}", steps, range.first, range.last);
}

std::string describeSteps(std::span<const BoostStepRange> ranges) {
  std::string text;
  for (const BoostStepRange &range : ranges) {
    if (!text.empty())
      text += ", ";
    text += describe(range);
  }
  return text.empty() ? "all other steps" : text;
}

} // namespace boostrt
