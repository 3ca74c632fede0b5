// EngineConfig.h - how cuDNN is to execute a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace boostrt::cuda {

/// The number of an engine, and its settings. It means the same to the same
/// version of the library, on the same device, for the same graph.
struct EngineConfig {
  struct Knob {
    int type;
    int64_t value;
  };
  int64_t engine = 0;
  std::vector<Knob> knobs;
};

/// "engine70:2=4:18=0".
std::string formatConfig(const EngineConfig &config);
std::optional<EngineConfig> parseConfig(const std::string &text);

} // namespace boostrt::cuda
