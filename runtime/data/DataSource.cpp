#include "runtime/data/Cifar10.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/Digits.h"
#include "runtime/data/Idx.h"
#include "runtime/data/Npy.h"
#include "runtime/support/ForeignNames.h"
#include "runtime/support/Suggest.h"

#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <vector>

namespace boostrt {

namespace {

/// A scheme whose argument is a directory.
struct DirectoryScheme {
  std::string_view name;
  const char *files; ///< what the directory holds, for messages
  /// Files by which such a directory is known, without ".gz" and ".xz".
  std::vector<const char *> marks;
  Result<DataSource> (*open)(const std::string &directory, HeldOut heldOut);
};

const std::vector<DirectoryScheme> &directorySchemes() {
  static const std::vector<DirectoryScheme> schemes = {
      {"mnist",
       "the four IDX files",
       {"train-images-idx3-ubyte", "train-images.idx3-ubyte",
        "train/train-images-idx3-ubyte", "train/train-images.idx3-ubyte"},
       openMnist},
      {"cifar10", "the six .bin files", {"data_batch_1.bin"}, openCifar10},
      {"npy", kNpyFiles, {"train_images.npy", "train_features.npy"}, openNpy},
  };
  return schemes;
}

const DirectoryScheme *findDirectoryScheme(std::string_view name) {
  for (const DirectoryScheme &scheme : directorySchemes())
    if (scheme.name == name)
      return &scheme;
  return nullptr;
}

/// The scheme whose files `directory` holds; null for none.
const DirectoryScheme *recognise(const std::string &directory) {
  for (const DirectoryScheme &scheme : directorySchemes())
    for (std::string mark : scheme.marks)
      for (const char *suffix : {"", ".gz", ".xz"}) {
        std::error_code error;
        if (std::filesystem::exists(
                std::filesystem::path(directory) / (mark + suffix), error))
          return &scheme;
      }
  return nullptr;
}

/// What was meant by a text without a scheme.
std::string directoryHint(const std::string &text) {
  std::error_code error;
  if (std::filesystem::is_directory(text, error) ||
      text.find('/') != std::string::npos)
    return fmt::format("; for a directory of MNIST files write 'mnist:{}'",
                       printable(text));
  return {};
}

} // namespace

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
  for (std::string_view scheme : kDataSchemes)
    if (spec.scheme == scheme)
      return spec;

  // "--data DIR" is the likeliest slip: the scheme was left out altogether.
  if (const DirectoryScheme *scheme = colon == std::string_view::npos
                                          ? recognise(std::string(text))
                                          : nullptr)
    return Status(ExitCode::Data,
                  fmt::format("data source '{0}': a directory without the "
                              "scheme that says how to read it; it holds files "
                              "of {1}: write {1}:{0}",
                              printable(text), scheme->name));
  std::string found =
      spec.scheme.empty()
          ? std::string("no data scheme")
          : fmt::format("unknown data scheme '{}'", printable(spec.scheme));
  std::string hint = colon == std::string_view::npos
                         ? directoryHint(std::string(text))
                         : std::string();
  if (hint.empty())
    hint = suggestName(NameKind::DataScheme, spec.scheme, kDataSchemes);
  return Status(
      ExitCode::Data,
      fmt::format("data source '{}': {}{}; write mnist:DIR, cifar10:DIR, "
                  "npy:DIR, digits or digits:train=N,test=M,seed=S",
                  printable(text), found, hint));
}

Result<DataSpec> parseDataSpec(std::string_view text) {
  Result<DataSpec> spec = splitDataSpec(text);
  if (!spec.ok())
    return spec;
  if (spec->scheme == "digits")
    if (Status s = parseDigitsOptions(spec->argument).status(); !s.ok())
      return s;
  if (const DirectoryScheme *scheme = findDirectoryScheme(spec->scheme);
      scheme && spec->argument.empty())
    return Status(
        ExitCode::Data,
        fmt::format("data source '{0}' names no directory; write '{0}:DIR' "
                    "with the directory that holds {1}, or set DATA_PATH to "
                    "it",
                    scheme->name, scheme->files));
  return spec;
}

std::optional<SampleKind> sampleKindOf(const DataSpec &spec) {
  if (spec.scheme == "cifar10")
    return SampleKind{kCifarShape, ElementType::U8};
  if (spec.scheme == "digits")
    return SampleKind{{1, kDigitSide, kDigitSide}, ElementType::U8};
  return std::nullopt;
}

Result<DataSource> openDataSource(std::string_view text, HeldOut heldOut) {
  Result<DataSpec> spec = parseDataSpec(text);
  if (!spec.ok())
    return spec.status();
  try {
    if (spec->scheme == "digits")
      return openDigits(*parseDigitsOptions(spec->argument));
    return findDirectoryScheme(spec->scheme)->open(spec->argument, heldOut);
  } catch (const std::bad_alloc &) {
    return Status(ExitCode::Data,
                  fmt::format("data source '{}': not enough memory to hold it",
                              printable(text)));
  }
}

} // namespace boostrt
