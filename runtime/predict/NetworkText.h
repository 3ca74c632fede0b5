// NetworkText.h - "10us,100Gbit/s": the network between servers, as the command
// line has it.
#pragma once

#include "runtime/program/StepModel.h"

#include <string>
#include <string_view>

namespace boostrt {

/// Latency (ns, us, ms, s) and bandwidth of a server in each direction (bits:
/// Mbit/s, Gbit/s; bytes: MB/s, GB/s; of 1000). Fails with ExitCode::Usage.
Result<NetworkCosts> parseNetwork(std::string_view text);

/// "30 us", "1.5 ms": a time in the unit that suits it.
std::string describeSeconds(double seconds);
/// "10 Gbit/s".
std::string describeBandwidth(double bytesPerSecond);

} // namespace boostrt
