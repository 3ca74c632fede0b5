#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace boostrt {

size_t editDistance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: swaps look two rows back.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearestSpelling(std::string_view word,
                                 std::span<const std::string_view> legal) {
  // A hostile word must not cost time: nothing legal is that long.
  if (word.size() > 256)
    return {};
  std::string_view best;
  size_t bestDistance = 0;
  for (std::string_view candidate : legal) {
    size_t distance = editDistance(word, candidate);
    bool isNear = 3 * distance <= std::max(word.size(), candidate.size()) + 2;
    if (isNear && (best.empty() || distance < bestDistance)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

std::string didYouMean(std::string_view word,
                       std::span<const std::string_view> legal) {
  std::string_view best = nearestSpelling(word, legal);
  return best.empty() ? std::string()
                      : fmt::format("; did you mean '{}'?", best);
}

std::string printable(std::string_view text) {
  constexpr size_t kLongest = 200;
  std::string shown;
  for (char character : text.substr(0, kLongest)) {
    if (character >= 0x20 && character < 0x7f)
      shown += character;
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
  }
  if (text.size() > kLongest)
    shown += "...";
  return shown;
}

} // namespace boostrt
