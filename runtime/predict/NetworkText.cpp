#include "runtime/predict/NetworkText.h"

#include "runtime/support/Suggest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace boostrt {
namespace {

struct Unit {
  std::string_view name;
  double value;
};

constexpr Unit kTimes[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit kRates[] = {
    {"Mbit/s", 1e6 / 8}, {"Gbit/s", 1e9 / 8}, {"MB/s", 1e6}, {"GB/s", 1e9}};

Status wrong(std::string_view found, std::string_view what,
             std::span<const Unit> units, std::string_view example) {
  std::vector<std::string_view> names;
  for (const Unit &unit : units)
    names.push_back(unit.name);
  return Status(
      ExitCode::Usage,
      fmt::format(
          "'{}' is not a {}; expected a number above 0 and one of {}, as "
          "in {}",
          printable(std::string(found)), what, fmt::join(names, ", "),
          example));
}

/// A number above 0 and one of `units`.
Result<double> parseQuantity(std::string_view text, std::string_view what,
                             std::span<const Unit> units,
                             std::string_view example) {
  double number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest = text.substr(end - text.data());
  auto unit = std::find_if(units.begin(), units.end(),
                           [&](const Unit &unit) { return unit.name == rest; });
  if (error != std::errc() || !(number > 0) || !std::isfinite(number) ||
      unit == units.end())
    return wrong(text, what, units, example);
  return number * unit->value;
}

} // namespace

Result<NetworkCosts> parseNetwork(std::string_view text) {
  size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    return Status(ExitCode::Usage,
                  fmt::format("'{}' has no comma; expected latency and "
                              "bandwidth, as in 10us,100Gbit/s",
                              printable(std::string(text))));
  Result<double> latency =
      parseQuantity(text.substr(0, comma), "latency", kTimes, "10us");
  if (!latency.ok())
    return latency.status();
  Result<double> bandwidth =
      parseQuantity(text.substr(comma + 1), "bandwidth", kRates, "100Gbit/s");
  if (!bandwidth.ok())
    return bandwidth.status();
  return NetworkCosts{*latency, *bandwidth};
}

std::string describeSeconds(double seconds) {
  if (seconds < 1e-3)
    return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1)
    return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string describeBandwidth(double bytesPerSecond) {
  return fmt::format("{:.3g} Gbit/s", bytesPerSecond * 8e-9);
}

} // namespace boostrt
