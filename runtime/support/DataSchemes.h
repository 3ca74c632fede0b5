// DataSchemes.h - what data sources are called, "SCHEME[:ARGUMENT]", as far as
// that needs no file: for the runtime that opens them, and for the compiler
// that checks "data.source".
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace boostrt {

inline constexpr std::string_view kDataSchemes[] = {"mnist", "cifar10", "npy",
                                                    "imagefolder", "digits"};

/// Whether the samples of such a source are images in files.
constexpr bool hasImageFiles(std::string_view source) {
  return source.substr(0, source.find(':')) == "imagefolder";
}

/// Limit of train + test of digits: they are held in memory.
inline constexpr int64_t kDigitsMaxSamples = 1'000'000;

struct DigitsOptions {
  int64_t train = 60'000;
  int64_t test = 10'000;
  uint64_t seed = 1;
};

/// Reads "train=N,test=M,seed=S" (any subset, any order, or ""). Fails with
/// ExitCode::Data; the message does not name the source.
Result<DigitsOptions> parseDigitsOptions(std::string_view text);

/// What is wrong with the name of a source, without that name; nothing when a
/// run can try it.
std::optional<std::string> findDataSourceMistake(std::string_view source);

} // namespace boostrt
