// Plural.h - "1 rank", "2 ranks".
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace boostrt {

/// The noun alone, for so many: "rank", "ranks", "micro-batches".
inline std::string pluralOf(std::integral auto number, std::string_view noun) {
  bool endsInSibilant = noun.ends_with("ch") || noun.ends_with('s');
  return fmt::format("{}{}", noun,
                     number == 1      ? ""
                     : endsInSibilant ? "es"
                                      : "s");
}

/// "1 rank", "2 ranks", "0 micro-batches".
inline std::string countOf(std::integral auto number, std::string_view noun) {
  return fmt::format("{} {}", number, pluralOf(number, noun));
}

} // namespace boostrt
