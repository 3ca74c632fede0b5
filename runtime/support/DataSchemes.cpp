#include "runtime/support/DataSchemes.h"

#include "runtime/support/ForeignNames.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace boostrt {

static Status badOption(std::string_view text, const std::string &what) {
  return Status(ExitCode::Data, fmt::format("data source 'digits:{}': {}",
                                            printable(text), what));
}

static Status parseOption(std::string_view text, std::string_view option,
                          DigitsOptions &options) {
  static constexpr std::string_view kNames[] = {"train", "test", "seed"};
  size_t equals = option.find('=');
  std::string_view name = option.substr(0, equals);
  std::string_view value =
      equals == std::string_view::npos ? "" : option.substr(equals + 1);
  bool known = name == "train" || name == "test" || name == "seed";
  if (!known)
    return badOption(text,
                     fmt::format("unknown option '{}'{}; the options are "
                                 "train=N, test=M and seed=S",
                                 printable(name), didYouMean(name, kNames)));
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  bool count = name != "seed";
  if (value.empty() || error != std::errc() ||
      end != value.data() + value.size() ||
      (count && (number < 1 || number > uint64_t{kDigitsMaxSamples})))
    return badOption(
        text, fmt::format("{}: found '{}', expected a whole number from {} to "
                          "{}",
                          name, printable(value), count ? 1 : 0,
                          count ? uint64_t{kDigitsMaxSamples} : UINT64_MAX));
  if (name == "train")
    options.train = static_cast<int64_t>(number);
  else if (name == "test")
    options.test = static_cast<int64_t>(number);
  else
    options.seed = number;
  return {};
}

Result<DigitsOptions> parseDigitsOptions(std::string_view text) {
  DigitsOptions options;
  for (std::string_view rest = text; !rest.empty();) {
    size_t comma = rest.find(',');
    BOOSTRT_RETURN_IF_ERROR(parseOption(text, rest.substr(0, comma), options));
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
    return fmt::format("unknown data scheme '{}'{}; write mnist:DIR, "
                       "cifar10:DIR, npy:DIR, digits or "
                       "digits:train=N,test=M,seed=S",
                       printable(scheme), hint);
  }
  if (scheme != "digits" || colon == std::string_view::npos)
    return std::nullopt;
  Result<DigitsOptions> options = parseDigitsOptions(source.substr(colon + 1));
  if (options.ok())
    return std::nullopt;
  return options.status().message();
}

} // namespace boostrt
