#include "runtime/data/Cifar10.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/Digits.h"
#include "runtime/data/Idx.h"
#include "runtime/data/Npy.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <new>

namespace boostrt {

namespace {
/// A scheme whose argument is a directory.
struct DirectoryScheme {
  std::string_view name;
  const char *files; ///< what the directory holds, for messages
  Result<DataSource> (*open)(const std::string &directory);
};
constexpr DirectoryScheme kDirectories[] = {
    {"mnist", "the four IDX files", openMnist},
    {"cifar10", "the six .bin files", openCifar10},
    {"npy", kNpyFiles, openNpy},
};

const DirectoryScheme *findDirectoryScheme(std::string_view name) {
  for (const DirectoryScheme &scheme : kDirectories)
    if (scheme.name == name)
      return &scheme;
  return nullptr;
}

} // namespace

static constexpr std::string_view kSchemes[] = {"mnist", "cifar10", "npy",
                                                "digits"};

bool DataSpec::takesDirectory() const { return findDirectoryScheme(scheme); }

std::string DataSpec::text() const {
  return argument.empty() ? scheme : scheme + ":" + argument;
}

Result<DataSpec> splitDataSpec(std::string_view text) {
  size_t colon = text.find(':');
  DataSpec spec;
  spec.scheme = text.substr(0, colon);
  if (colon != std::string_view::npos)
    spec.argument = text.substr(colon + 1);
  for (std::string_view scheme : kSchemes)
    if (spec.scheme == scheme)
      return spec;

  std::string found =
      spec.scheme.empty()
          ? std::string("no data scheme")
          : fmt::format("unknown data scheme '{}'", printable(spec.scheme));
  // "--data DIR" is the likeliest slip: the scheme was left out altogether.
  std::string hint = text.find('/') != std::string_view::npos &&
                             colon == std::string_view::npos
                         ? fmt::format("; for a directory of MNIST files "
                                       "write 'mnist:{}'",
                                       printable(text))
                         : "";
  return Status(
      ExitCode::Data,
      fmt::format("data source '{}': {}{}{}; write mnist:DIR, cifar10:DIR, "
                  "npy:DIR, digits or digits:train=N,test=M,seed=S",
                  printable(text), found, hint,
                  didYouMean(spec.scheme, kSchemes)));
}

Result<DataSource> openDataSource(std::string_view text) {
  Result<DataSpec> spec = splitDataSpec(text);
  if (!spec.ok())
    return spec.status();
  try {
    if (spec->scheme == "digits") {
      Result<DigitsOptions> options = parseDigitsOptions(spec->argument);
      if (!options.ok())
        return options.status();
      return openDigits(*options);
    }
    const DirectoryScheme *scheme = findDirectoryScheme(spec->scheme);
    if (spec->argument.empty())
      return Status(
          ExitCode::Data,
          fmt::format("data source '{0}' names no directory; write '{0}:DIR' "
                      "with the directory that holds {1}, or set DATA_PATH to "
                      "it",
                      scheme->name, scheme->files));
    return scheme->open(spec->argument);
  } catch (const std::bad_alloc &) {
    return Status(ExitCode::Data,
                  fmt::format("data source '{}': not enough memory to hold it",
                              printable(text)));
  }
}

} // namespace boostrt
