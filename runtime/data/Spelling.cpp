#include "runtime/data/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace boostrt::data {

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substitution = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substitution, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string suggest(std::string_view word,
                    std::span<const std::string_view> legal,
                    std::string_view what) {
  // A word far longer than any legal one is not a slip of the finger; leaving
  // it out also bounds the cost of the distance.
  std::string_view nearest;
  size_t best = 3;
  for (std::string_view candidate : legal) {
    if (word.size() > 64)
      break;
    size_t distance = editDistance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  std::string question =
      nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return fmt::format("{}{} Known {}: {}", question, nearest.empty() ? "." : "",
                     what, fmt::join(legal, ", "));
}

} // namespace boostrt::data
