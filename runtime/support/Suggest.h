// Suggest.h - the nearest legal spelling of a word that is not legal.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace boostrt {

/// Optimal string alignment distance: insertions, deletions, substitutions and
/// swaps of neighbours cost 1 each. Bytes, not characters.
size_t editDistance(std::string_view a, std::string_view b);

/// No word that is meant is longer: a hostile one must not cost time.
constexpr size_t kLongestWord = 256;

/// Whether two words differ in case, '_', '-' and spaces alone.
bool isSameSpelling(std::string_view a, std::string_view b);

/// The legal spelling nearest to `word` whatever the case, ties to the first: a
/// third of the letters, or one of fewer than three, may differ. Where there is
/// none, the one that has a word more or less, if no two do; else empty.
std::string_view nearestSpelling(std::string_view word,
                                 std::span<const std::string_view> legal);

/// "; did you mean 'x'?", or nothing.
std::string didYouMean(std::string_view word,
                       std::span<const std::string_view> legal);

/// `suggestion`, which didYouMean() made or which is empty, followed by
/// `advice`: after a question a sentence, else a clause.
std::string continueWith(std::string suggestion, std::string_view advice);

/// Bytes of the character of UTF-8 that `text` begins with; 0 when it begins
/// with none.
size_t utf8Bytes(std::string_view text);

/// `text` with what is not UTF-8, or steers a terminal, or is not visible
/// written \xNN byte by byte, cut to `longest` bytes: what a foreign file calls
/// itself is shown as it is, and does no harm.
std::string printable(std::string_view text, size_t longest = 200);

} // namespace boostrt
