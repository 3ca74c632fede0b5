#include "runtime/support/ProcText.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace boostrt {

std::optional<std::string> procText(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::optional<uint64_t> leadingNumber(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<uint64_t> numberAfter(std::string_view text,
                                    std::string_view key) {
  while (!text.empty()) {
    if (text.starts_with(key))
      return leadingNumber(text.substr(key.size()));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return std::nullopt;
}

} // namespace boostrt
