#include "runtime/comm/ActivityText.h"

#include <fmt/format.h>

namespace boostrt {

std::string describe(const Activity &activity) {
  std::string text = activity.step ? fmt::format("in step {}", activity.step)
                                   : "before the first step";
  if (*activity.collective)
    text += fmt::format(", {}", activity.collective);
  if (*activity.location)
    text += fmt::format(" ({})", activity.location);
  return text;
}

} // namespace boostrt
