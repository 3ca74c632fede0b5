#include "runtime/data/ImageFolder.h"

#include "runtime/data/Directory.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace boostrt {
namespace {

namespace fs = std::filesystem;

struct Layout {
  const char *train, *heldOut;
};
constexpr Layout kLayouts[] = {{"train", "val"},
                               {"train", "validation_preprocess"},
                               {"ilsvrc", "ilsvrc_eval"}};

bool isDirectory(const fs::path &path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// The first layout of which both directories are there, else the first with
/// training images; null without any.
const Layout *findLayout(const fs::path &directory) {
  const Layout *found = nullptr;
  for (const Layout &layout : kLayouts) {
    if (!isDirectory(directory / layout.train))
      continue;
    if (isDirectory(directory / layout.heldOut))
      return &layout;
    if (!found)
      found = &layout;
  }
  return found;
}

/// Names of the directories in `directory`, sorted. Fails as listing fails.
Status listClasses(const fs::path &directory,
                   std::vector<std::string> &classes) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error))
    if (std::error_code ignored; it->is_directory(ignored))
      classes.push_back(it->path().filename());
  if (error)
    return Status(ExitCode::Data,
                  fmt::format("{}: cannot be listed ({})", directory.string(),
                              error.message()));
  std::ranges::sort(classes);
  return {};
}

/// Paths of many files below one directory, in one piece of memory.
class Paths {
public:
  void add(std::string_view path) {
    text_.append(path);
    ends_.push_back(text_.size());
  }
  int64_t size() const { return std::ssize(ends_); }
  std::string_view operator[](int64_t index) const {
    auto i = static_cast<size_t>(index);
    size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }

private:
  std::string text_;
  std::vector<size_t> ends_;
};

class ImageFolder final : public Dataset {
public:
  ImageFolder(std::string directory, Paths paths, std::vector<int32_t> labels)
      : Dataset({3, 0, 0}, paths.size(), std::move(labels), directory,
                directory),
        paths_(std::move(paths)) {}

  std::string file(int64_t index) const override {
    return fmt::format("{}/{}", source(), paths_[index]);
  }

private:
  Paths paths_;
};

/// Adds the images of one class, sorted by path.
Status addImages(const fs::path &split, const std::string &name, Paths &paths) {
  std::vector<std::string> found;
  std::error_code error;
  fs::path directory = split / name;
  for (fs::recursive_directory_iterator it(directory, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (hasImageName(it->path().native()) && !it->is_directory(ignored))
      found.push_back(it->path().lexically_relative(split));
  }
  if (error)
    return Status(ExitCode::Data,
                  fmt::format("{}: cannot be listed ({})", directory.string(),
                              error.message()));
  std::ranges::sort(found);
  for (const std::string &path : found)
    paths.add(path);
  return {};
}

/// With `areAll`, each class must have an image: the directory of one without,
/// left there by an editor, say, would number those after it anew.
Result<std::unique_ptr<Dataset>>
readSplit(const fs::path &split, const std::vector<std::string> &classes,
          bool areAll) {
  std::vector<std::string> own;
  BOOSTRT_RETURN_IF_ERROR(listClasses(split, own));
  std::vector<std::string_view> known(classes.begin(), classes.end());
  Paths paths;
  std::vector<int32_t> labels;
  std::optional<std::string> empty;
  for (const std::string &name : own) {
    auto place = std::ranges::lower_bound(classes, name);
    if (place == classes.end() || *place != name)
      return Status(ExitCode::Data,
                    fmt::format("{}: found the class '{}', expected one of the "
                                "{} classes of the training images{}; move or "
                                "remove the directory",
                                split.string(), printable(name), classes.size(),
                                didYouMean(name, known)));
    int64_t before = paths.size();
    BOOSTRT_RETURN_IF_ERROR(addImages(split, name, paths));
    if (paths.size() == before && !empty)
      empty = name;
    labels.resize(static_cast<size_t>(paths.size()),
                  static_cast<int32_t>(place - classes.begin()));
  }
  if (paths.size() == 0)
    return Status(
        ExitCode::Data,
        fmt::format("{}: found no images, expected files *.jpg, *.jpeg or "
                    "*.png in a directory for each class; {}",
                    split.string(), data::listing(split)));
  if (empty && areAll)
    return Status(
        ExitCode::Data,
        fmt::format("{}/{}: found no images of this class, expected files "
                    "*.jpg, *.jpeg or *.png; remove the directory if it is "
                    "not a class: {} directories are as many classes",
                    split.string(), printable(*empty), own.size()));
  return std::unique_ptr<Dataset>(std::make_unique<ImageFolder>(
      split.string(), std::move(paths), std::move(labels)));
}

} // namespace

bool hasImageName(std::string_view name) {
  std::string suffix = fs::path(name).extension();
  std::ranges::transform(suffix, suffix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png";
}

bool isImageFolder(const std::string &directory) {
  const Layout *layout = findLayout(directory);
  return layout && isDirectory(fs::path(directory) / layout->heldOut);
}

Result<DataSource> openImageFolder(const std::string &directory,
                                   HeldOut heldOut) {
  BOOSTRT_RETURN_IF_ERROR(
      data::checkDirectory(directory, kImageFolders, "imagefolder"));
  const Layout *layout = findLayout(directory);
  if (!layout)
    return Status(ExitCode::Data,
                  fmt::format("{}: found neither train/ nor ilsvrc/, expected "
                              "{}; {}",
                              directory, kImageFolders,
                              data::listing(directory)));
  fs::path train = fs::path(directory) / layout->train,
           held = fs::path(directory) / layout->heldOut;
  std::vector<std::string> classes;
  BOOSTRT_RETURN_IF_ERROR(listClasses(train, classes));
  Result<std::unique_ptr<Dataset>> trainSplit =
      readSplit(train, classes, /*areAll=*/true);
  if (!trainSplit.ok())
    return trainSplit.status();
  bool hasHeldOut = isDirectory(held);
  if (!hasHeldOut && heldOut == HeldOut::Required)
    return Status(ExitCode::Data,
                  fmt::format("{}: {}/ not found, expected held-out images "
                              "there; {}",
                              directory, layout->heldOut,
                              data::listing(directory)));
  Result<std::unique_ptr<Dataset>> testSplit =
      hasHeldOut ? readSplit(held, classes, /*areAll=*/false)
                 : data::emptySplit(**trainSplit);
  if (!testSplit.ok())
    return testSplit.status();
  return data::makeSource("imagefolder", std::move(*trainSplit),
                          std::move(*testSplit), directory);
}

} // namespace boostrt
