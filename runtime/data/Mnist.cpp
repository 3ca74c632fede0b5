#include "runtime/data/Idx.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt {

namespace fs = std::filesystem;

namespace {

/// What the four files are called and where they may lie.
struct SplitNames {
  const char *prefix;
  const char *subdirectory;
};
constexpr SplitNames kTrain = {"train", "train"};
constexpr SplitNames kTest = {"t10k", "test"};

/// What is there instead, for a message: a few names.
std::string listing(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end;
       !error && it != end && names.size() < 1000; it.increment(error))
    names.push_back(printable(it->path().filename().string()));
  if (names.empty())
    return "it is empty";
  std::sort(names.begin(), names.end());
  size_t shown = std::min<size_t>(names.size(), 6);
  return fmt::format(
      "it holds {}{}", fmt::join(names.begin(), names.begin() + shown, ", "),
      shown < names.size() ? fmt::format(" and {} more", names.size() - shown)
                           : "");
}

Status checkDirectory(const std::string &directory) {
  std::error_code error;
  fs::file_status status = fs::status(directory, error);
  if (fs::is_directory(status))
    return {};
  return Status(
      ExitCode::Data,
      fmt::format(
          "{}: {}, expected a directory that holds the four MNIST "
          "files; give one with --data mnist:DIR or DATA_PATH, or train "
          "without files with --data digits",
          directory,
          fs::exists(status) ? "not a directory"
          : status.type() == fs::file_type::not_found
              ? std::string("no such directory")
              : "cannot be read: " + error.message()));
}

/// The path of e.g. train-images-idx3-ubyte, whichever way it is spelt.
Result<std::string> findFile(const std::string &directory,
                             const SplitNames &split, std::string_view kind) {
  std::string directories[] = {directory,
                               (fs::path(directory) / split.subdirectory)};
  for (const std::string &place : directories)
    for (const char *suffix : {"", ".gz"})
      for (const char *separator : {"-", "."}) {
        std::string path =
            fs::path(place) / fmt::format("{}-{}{}{}-ubyte{}", split.prefix,
                                          kind.substr(0, 6), separator,
                                          kind.substr(7), suffix);
        std::error_code error;
        if (fs::exists(path, error))
          return path;
      }
  return Status(
      ExitCode::Data,
      fmt::format("{0}: {1}-{2}-ubyte not found; {3}; expected it there or in "
                  "{4}/, plain or with .gz; get it from the data set's source",
                  directory, split.prefix, kind, listing(directory),
                  split.subdirectory));
}

/// The two files of a split, their headers read.
struct SplitFiles {
  IdxFile images, labels;

  SampleShape shape() const {
    return {1, images.dimensions()[1], images.dimensions()[2]};
  }
  /// A label takes one byte in the file and four in memory.
  int64_t memory() const {
    return images.size() +
           labels.size() * static_cast<int64_t>(1 + sizeof(int32_t));
  }
};

Result<SplitFiles> openSplit(const std::string &directory,
                             const SplitNames &split) {
  Result<std::string> imagePath = findFile(directory, split, "images-idx3");
  if (!imagePath.ok())
    return imagePath.status();
  Result<std::string> labelPath = findFile(directory, split, "labels-idx1");
  if (!labelPath.ok())
    return labelPath.status();
  Result<IdxFile> images = IdxFile::open(*imagePath, 3);
  if (!images.ok())
    return images.status();
  Result<IdxFile> labels = IdxFile::open(*labelPath, 1);
  if (!labels.ok())
    return labels.status();
  if (images->dimensions()[0] != labels->dimensions()[0])
    return Status(ExitCode::Data,
                  fmt::format("{}: found {} labels, expected {}, as many as "
                              "there are images in {}; check that both belong "
                              "to the same split",
                              *labelPath, labels->size(),
                              images->dimensions()[0], *imagePath));
  return SplitFiles{std::move(*images), std::move(*labels)};
}

Result<std::unique_ptr<Dataset>> readSplit(SplitFiles &files) {
  Result<std::unique_ptr<uint8_t[]>> labels = files.labels.read();
  if (!labels.ok())
    return labels.status();
  Result<std::unique_ptr<uint8_t[]>> images = files.images.read();
  if (!images.ok())
    return images.status();
  std::vector<int32_t> values(labels->get(),
                              labels->get() + files.labels.size());
  return std::unique_ptr<Dataset>(
      new MemoryDataset(files.shape(), std::move(*images), std::move(values),
                        files.images.path(), files.labels.path()));
}

Status checkSplits(const std::string &directory, const SplitFiles &train,
                   const SplitFiles &test) {
  if (train.shape() != test.shape())
    return Status(ExitCode::Data,
                  fmt::format("{}: found images of {}, expected {} as in {}; "
                              "check that both belong to the same data set",
                              test.images.path(), toString(test.shape()),
                              toString(train.shape()), train.images.path()));
  int64_t memory = train.memory() + test.memory();
  if (memory > kIdxMaxBytes)
    return Status(ExitCode::Data,
                  fmt::format("{}: the four files announce {} bytes in memory, "
                              "expected at most {}; use a smaller data set",
                              directory, memory, kIdxMaxBytes));
  return {};
}

} // namespace

Result<DataSource> openMnist(const std::string &directory) {
  BOOSTRT_RETURN_IF_ERROR(checkDirectory(directory));
  Result<SplitFiles> trainFiles = openSplit(directory, kTrain);
  if (!trainFiles.ok())
    return trainFiles.status();
  Result<SplitFiles> testFiles = openSplit(directory, kTest);
  if (!testFiles.ok())
    return testFiles.status();
  BOOSTRT_RETURN_IF_ERROR(checkSplits(directory, *trainFiles, *testFiles));

  Result<std::unique_ptr<Dataset>> train = readSplit(*trainFiles);
  if (!train.ok())
    return train.status();
  Result<std::unique_ptr<Dataset>> test = readSplit(*testFiles);
  if (!test.ok())
    return test.status();
  DataSource source;
  source.description = fmt::format(
      "mnist: {} train + {} test samples of {}, {} classes, from {}",
      (*train)->size(), (*test)->size(), toString((*train)->shape()),
      std::max((*train)->classes(), (*test)->classes()), directory);
  source.train = std::move(*train);
  source.test = std::move(*test);
  return source;
}

} // namespace boostrt
