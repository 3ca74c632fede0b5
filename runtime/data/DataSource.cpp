#include "runtime/data/Cifar10.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/Digits.h"
#include "runtime/data/Idx.h"
#include "runtime/data/ImageFolder.h"
#include "runtime/data/Npy.h"
#include "runtime/support/File.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <new>

namespace boostrt {

namespace {

/// What each of kDataSchemes reads.
struct Scheme {
  std::string_view name;
  /// Content of the directory that is its argument, for messages; null for a
  /// scheme without one.
  const char *files;
  /// Whether a directory holds its files.
  bool (*recognises)(const std::string &directory);
  Result<DataSource> (*open)(const std::string &argument, HeldOut heldOut);
  std::optional<SampleKind> samples; ///< where every source has the same
  /// Whether a file of this name in the directory may be one of its files.
  bool (*hasName)(std::string_view name);
};

bool isNoDirectory(const std::string &) { return false; }

// Packed files end with .gz or .xz.
bool hasMnistName(std::string_view name) {
  return name.find("-ubyte") != name.npos;
}
bool hasCifarName(std::string_view name) {
  return name.find(".bin") != name.npos;
}
bool hasNpyName(std::string_view name) {
  return name.find(".npy") != name.npos;
}

Result<DataSource> openDigitsOf(const std::string &argument, HeldOut) {
  Result<DigitsOptions> options = parseDigitsOptions(argument);
  return options.ok() ? openDigits(*options) : options.status();
}

constexpr Scheme kSchemes[] = {
    {"mnist", "the four IDX files", isMnist, openMnist, {}, hasMnistName},
    {"cifar10", "the six .bin files", isCifar10, openCifar10,
     SampleKind{kCifarShape, ElementType::U8}, hasCifarName},
    {"npy", kNpyFiles, isNpy, openNpy, {}, hasNpyName},
    {"imagefolder", kImageFolders, isImageFolder, openImageFolder,
     SampleKind{{3, 0, 0}, ElementType::U8}, hasImageName},
    {"digits", nullptr, isNoDirectory, openDigitsOf,
     SampleKind{{1, kDigitSide, kDigitSide}, ElementType::U8}, nullptr},
};

/// The row of a specification that splitDataSpec() made.
const Scheme &schemeOf(const DataSpec &spec) {
  const Scheme *found = std::ranges::find(kSchemes, spec.scheme, &Scheme::name);
  assert(found != std::end(kSchemes) && "a scheme of kDataSchemes");
  return *found;
}

} // namespace

bool DataSpec::takesDirectory() const { return schemeOf(*this).files; }

std::string DataSpec::text() const {
  return argument.empty() ? scheme : scheme + ":" + argument;
}

Result<DataSpec> splitDataSpec(std::string_view text) {
  size_t colon = text.find(':');
  bool hasArgument = colon != std::string_view::npos;
  std::optional<std::string> mistake = findDataSourceMistake(text);
  if (!mistake)
    return DataSpec{std::string(text.substr(0, colon)),
                    std::string(hasArgument ? text.substr(colon + 1) : "")};
  // "--data DIR" is the likeliest slip: the scheme was left out altogether.
  for (const Scheme &scheme : kSchemes)
    if (!hasArgument && scheme.recognises(std::string(text)))
      mistake = fmt::format("a directory without the scheme that says how to "
                            "read it; it holds files of {0}: write {0}:{1}",
                            scheme.name, printable(text));
  return Status(ExitCode::Data,
                fmt::format("data source '{}': {}", printable(text), *mistake));
}

Status checkDataSpec(const DataSpec &spec) {
  const Scheme &scheme = schemeOf(spec);
  if (!scheme.files || !spec.argument.empty())
    return {};
  return Status(
      ExitCode::Data,
      fmt::format("data source '{0}' names no directory; write '{0}:DIR' "
                  "with the directory that holds {1}, or set DATA_PATH to "
                  "it",
                  scheme.name, scheme.files));
}

bool isFileOf(const DataSpec &spec, const std::string &path) {
  const Scheme &scheme = schemeOf(spec);
  std::string directory, file;
  if (!scheme.files ||
      !realFileSystem().resolve(spec.argument, directory).ok() ||
      !realFileSystem().resolve(path, file).ok())
    return false;
  return file.starts_with(directory + "/") && scheme.hasName(baseNameOf(file));
}

std::optional<SampleKind> sampleKindOf(const DataSpec &spec) {
  return schemeOf(spec).samples;
}

Result<DataSource> openDataSource(const DataSpec &spec, HeldOut heldOut) {
  BOOSTRT_RETURN_IF_ERROR(checkDataSpec(spec));
  try {
    return schemeOf(spec).open(spec.argument, heldOut);
  } catch (const std::bad_alloc &) {
    return Status(ExitCode::Data,
                  fmt::format("data source '{}': not enough memory to hold it",
                              printable(spec.text())));
  }
}

} // namespace boostrt
