// FakeSettings.h - what the libraries that tests make read from the
// environment, and how their results are not right. No variables: those of
// equal names in libraries that are opened would be one.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace boostrt::cuda::fake {

inline std::string setting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

/// The failure that the environment's `variable` asks of a call: "call=1001".
inline int failureOf(const char *variable, const std::string &call) {
  std::string fails = setting(variable, "");
  size_t equal = fails.find('=');
  return equal != std::string::npos && fails.substr(0, equal) == call
             ? std::atoi(fails.c_str() + equal + 1)
             : 0;
}

/// What is added to results by a proposal that is "wrong", "off" or "restless".
/// `runs` counts the restless ones.
inline float errorOf(const std::string &proposal, int &runs) {
  return proposal == "wrong"      ? 1e6f
         : proposal == "off"      ? 10.0f
         : proposal == "restless" ? 1e-5f * static_cast<float>(++runs)
                                  : 0.0f;
}

inline constexpr uint32_t kAllBits = ~0u, kTf32Bits = ~0u << 13;

inline float cut(float value, uint32_t bits) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & bits);
}

} // namespace boostrt::cuda::fake
