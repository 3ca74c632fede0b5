// ParseNumber.h - a number that is a whole text, in the C locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace boostrt {

/// All of `text` as a T: no space, no '+', nothing after the number; nothing
/// where T does not hold it.
template <class T> std::optional<T> parseWhole(std::string_view text) {
  T value{};
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional<T>(value)
                                             : std::nullopt;
}

} // namespace boostrt
