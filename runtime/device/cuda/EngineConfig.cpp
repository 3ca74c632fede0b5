#include "runtime/device/cuda/EngineConfig.h"

#include <charconv>
#include <fmt/format.h>

namespace boostrt::cuda {
namespace {

constexpr std::string_view kEngineWord = "engine";

template <class T> bool readNumber(std::string_view &text, T &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

bool skip(std::string_view &text, std::string_view word) {
  if (!text.starts_with(word))
    return false;
  text.remove_prefix(word.size());
  return true;
}

} // namespace

std::string formatConfig(const EngineConfig &config) {
  std::string text = fmt::format("{}{}", kEngineWord, config.engine);
  for (const EngineConfig::Knob &knob : config.knobs)
    text += fmt::format(":{}={}", knob.type, knob.value);
  return text;
}

std::optional<EngineConfig> parseConfig(const std::string &text) {
  EngineConfig config;
  std::string_view rest = text;
  if (!skip(rest, kEngineWord) || !readNumber(rest, config.engine))
    return std::nullopt;
  while (!rest.empty()) {
    EngineConfig::Knob knob{};
    if (!skip(rest, ":") || !readNumber(rest, knob.type) || !skip(rest, "=") ||
        !readNumber(rest, knob.value))
      return std::nullopt;
    config.knobs.push_back(knob);
  }
  return config;
}

} // namespace boostrt::cuda
