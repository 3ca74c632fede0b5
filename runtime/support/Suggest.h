// Suggest.h - the nearest legal spelling of a word that is not legal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// Optimal string alignment distance: insertions, deletions, substitutions and
/// swaps of neighbours cost 1 each. Bytes, not characters.
size_t editDistance(std::string_view a, std::string_view b);

/// The legal spelling nearest to `word`, ties to the first; empty when none is
/// near enough to be what was meant (about a third of the letters may differ).
std::string_view nearestSpelling(std::string_view word,
                                 std::span<const std::string_view> legal);

/// "; did you mean 'x'?", or nothing.
std::string didYouMean(std::string_view word,
                       std::span<const std::string_view> legal);

/// `text` with control characters and bytes beyond ASCII written \xNN, cut to
/// 200 bytes: what a foreign file calls itself must not steer a terminal.
std::string printable(std::string_view text);

} // namespace boostrt
