#include "runtime/support/DataSchemes.h"

#include "runtime/support/ForeignNames.h"
#include "runtime/support/ParseNumber.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {

static Status parseOption(std::string_view option, DigitsOptions &options) {
  static constexpr std::string_view kNames[] = {"train", "test", "seed"};
  size_t equals = option.find('=');
  std::string_view name = option.substr(0, equals);
  std::string_view value =
      equals == std::string_view::npos ? "" : option.substr(equals + 1);
  if (std::ranges::find(kNames, name) == std::end(kNames))
    return Status(ExitCode::Data,
                  fmt::format("unknown option '{}'{}; the options are "
                              "train=N, test=M and seed=S",
                              printable(name), didYouMean(name, kNames)));
  std::optional<uint64_t> number = parseWhole<uint64_t>(value);
  bool isCount = name != "seed";
  uint64_t min = isCount ? 1 : 0,
           max = isCount ? uint64_t{kDigitsMaxSamples} : UINT64_MAX;
  if (!number || *number < min || *number > max)
    return Status(ExitCode::Data,
                  fmt::format("{}: found '{}', expected a whole number from {} "
                              "to {}",
                              name, printable(value), min, max));
  if (name == "train")
    options.train = static_cast<int64_t>(*number);
  else if (name == "test")
    options.test = static_cast<int64_t>(*number);
  else
    options.seed = *number;
  return {};
}

Result<DigitsOptions> parseDigitsOptions(std::string_view text) {
  DigitsOptions options;
  for (std::string_view rest = text; !rest.empty();) {
    size_t comma = rest.find(',');
    BOOSTRT_RETURN_IF_ERROR(parseOption(rest.substr(0, comma), options));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  return options;
}

std::optional<std::string> findDataSourceMistake(std::string_view source) {
  size_t colon = source.find(':');
  std::string_view scheme = source.substr(0, colon);
  if (std::ranges::find(kDataSchemes, scheme) == std::end(kDataSchemes)) {
    bool isPath =
        colon == std::string_view::npos && source.find('/') != source.npos;
    std::string hint =
        isPath ? fmt::format("; for a directory of MNIST files write "
                             "'mnist:{}'",
                             printable(source))
               : suggestName(NameKind::DataScheme, scheme, kDataSchemes);
    std::string found = scheme.empty() ? std::string("no data scheme")
                                       : fmt::format("unknown data scheme '{}'",
                                                     printable(scheme));
    return fmt::format(
        "{}{}; write mnist:DIR, cifar10:DIR, npy:DIR, "
        "imagefolder:DIR, digits or digits:train=N,test=M,seed=S",
        found, hint);
  }
  if (scheme != "digits" || colon == std::string_view::npos)
    return std::nullopt;
  Result<DigitsOptions> options = parseDigitsOptions(source.substr(colon + 1));
  if (options.ok())
    return std::nullopt;
  return options.status().message();
}

} // namespace boostrt
