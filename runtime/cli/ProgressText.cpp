#include "runtime/cli/ProgressText.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace boostrt {
namespace {

constexpr size_t kMaxBar = 24, kMinBar = 8;

/// "0:07", "12:34", "1:02:03".
std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9)
    return "?";
  auto total = static_cast<int64_t>(seconds + 0.5);
  int64_t hours = total / 3600, minutes = total / 60 % 60;
  if (hours > 0)
    return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  return fmt::format("{}:{:02}", minutes, total % 60);
}

/// "[=====>    ] ", with `width` characters inside.
std::string barText(const Progress &progress, size_t width) {
  double share =
      static_cast<double>(progress.step) /
      static_cast<double>(std::max<int64_t>(1, progress.stepsPerEpoch));
  auto filled = static_cast<size_t>(static_cast<double>(width) *
                                    std::clamp(share, 0.0, 1.0));
  std::string bar(filled, '=');
  if (filled < width)
    bar += '>' + std::string(width - filled - 1, ' ');
  return fmt::format("[{}] ", bar);
}

} // namespace

std::string progressText(const Progress &progress, size_t columns,
                         bool hasColour) {
  size_t room = columns > 0 ? columns - 1 : 0;
  std::string epoch =
      fmt::format("epoch {}/{}", progress.epoch, progress.epochs);
  std::string steps =
      fmt::format("{}/{}", progress.step, progress.stepsPerEpoch);
  std::string loss = fmt::format("  loss {:.4f}", progress.loss);
  std::string rate =
      fmt::format("  {:.0f} samples/s", progress.samplesPerSecond);
  std::string left = fmt::format("  eta {}", duration(progress.secondsLeft));
  constexpr size_t kFrame = 3; // brackets and a space
  bool hasBar = true;
  auto length = [&](size_t bar) {
    return epoch.size() + 1 + (hasBar ? bar + kFrame : 0) + steps.size() +
           loss.size() + rate.size() + left.size();
  };
  for (std::string *part : {&rate, &left})
    if (length(kMinBar) > room)
      part->clear();
  hasBar = length(kMinBar) <= room;
  if (length(0) > room)
    loss.clear();
  size_t spare = hasBar ? room - length(0) : 0;
  std::string rest = fmt::format(
      " {}{}{}{}{}", hasBar ? barText(progress, std::min(kMaxBar, spare)) : "",
      steps, loss, rate, left);
  // Numbers of many digits alone can still be too long.
  epoch.resize(std::min(epoch.size(), room));
  rest.resize(std::min(rest.size(), room - epoch.size()));
  return fmt::format("{}{}{}{}", hasColour ? "\x1b[36m" : "", epoch,
                     hasColour ? "\x1b[0m" : "", rest);
}

} // namespace boostrt
