#include "runtime/data/Directory.h"
#include "runtime/data/Idx.h"

#include <filesystem>
#include <fmt/format.h>

namespace boostrt {

namespace fs = std::filesystem;

namespace {

/// The names of a split's files, and their directory inside the data set's.
struct SplitNames {
  const char *prefix;
  const char *subdirectory;
};
constexpr SplitNames kTrain = {"train", "train"};
constexpr SplitNames kTest = {"t10k", "test"};
constexpr const char *kImages = "images-idx3";
constexpr const char *kLabels = "labels-idx1";

/// The path of e.g. train-images-idx3-ubyte in one of its spellings; none when
/// it is absent.
Result<std::optional<std::string>> findOptional(const std::string &directory,
                                                const SplitNames &split,
                                                std::string_view kind) {
  std::string directories[] = {directory,
                               (fs::path(directory) / split.subdirectory)};
  for (const std::string &place : directories)
    for (const char *suffix : {"", ".gz"})
      for (const char *separator : {"-", "."}) {
        std::string path =
            fs::path(place) / fmt::format("{}-{}{}{}-ubyte{}", split.prefix,
                                          kind.substr(0, 6), separator,
                                          kind.substr(7), suffix);
        Result<bool> found = data::isThere(path);
        if (!found.ok())
          return found.status();
        if (*found)
          return std::optional(path);
      }
  return std::optional<std::string>();
}

Result<std::string> findFile(const std::string &directory,
                             const SplitNames &split, std::string_view kind) {
  Result<std::optional<std::string>> path =
      findOptional(directory, split, kind);
  if (!path.ok())
    return path.status();
  if (*path)
    return **std::move(path);
  return Status(
      ExitCode::Data,
      fmt::format("{0}: {1}-{2}-ubyte not found; {3}; expected it there or in "
                  "{4}/, plain or with .gz; get it from the data set's source",
                  directory, split.prefix, kind, data::listing(directory),
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
  Result<std::string> imagePath = findFile(directory, split, kImages);
  if (!imagePath.ok())
    return imagePath.status();
  Result<std::string> labelPath = findFile(directory, split, kLabels);
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
  Result<OwnedBytes> labels = files.labels.read();
  if (!labels.ok())
    return labels.status();
  Result<OwnedBytes> images = files.images.read();
  if (!images.ok())
    return images.status();
  std::vector<int32_t> values(labels->get(),
                              labels->get() + files.labels.size());
  return std::unique_ptr<Dataset>(new MemoryDataset(
      files.shape(), files.labels.size(), std::move(*images), std::move(values),
      files.images.path(), files.labels.path()));
}

Status checkShapes(const SplitFiles &train, const SplitFiles &test) {
  if (train.shape() == test.shape())
    return {};
  return Status(ExitCode::Data,
                fmt::format("{}: found images of {}, expected {} as in {}; "
                            "check that both belong to the same data set",
                            test.images.path(), toString(test.shape()),
                            toString(train.shape()), train.images.path()));
}

Status checkMemory(const std::string &directory, int64_t memory) {
  if (memory <= kIdxMaxBytes)
    return {};
  return Status(ExitCode::Data,
                fmt::format("{}: the files announce {} bytes in memory, "
                            "expected at most {}; use a smaller data set",
                            directory, memory, kIdxMaxBytes));
}

/// Whether a file of the split exists.
Result<bool> isPresent(const std::string &directory, const SplitNames &split) {
  for (const char *kind : {kImages, kLabels}) {
    Result<std::optional<std::string>> path =
        findOptional(directory, split, kind);
    if (!path.ok())
      return path.status();
    if (*path)
      return true;
  }
  return false;
}

} // namespace

bool isMnist(const std::string &directory) {
  Result<std::optional<std::string>> path =
      findOptional(directory, kTrain, kImages);
  return path.ok() && *path;
}

Result<DataSource> openMnist(const std::string &directory, HeldOut heldOut) {
  BOOSTRT_RETURN_IF_ERROR(
      data::checkDirectory(directory, "the four MNIST files", "mnist"));
  Result<SplitFiles> trainFiles = openSplit(directory, kTrain);
  if (!trainFiles.ok())
    return trainFiles.status();
  Result<bool> hasTest = heldOut == HeldOut::Required
                             ? Result<bool>(true)
                             : isPresent(directory, kTest);
  if (!hasTest.ok())
    return hasTest.status();
  std::optional<SplitFiles> testFiles;
  if (*hasTest) {
    Result<SplitFiles> files = openSplit(directory, kTest);
    if (!files.ok())
      return files.status();
    testFiles.emplace(std::move(*files));
    BOOSTRT_RETURN_IF_ERROR(checkShapes(*trainFiles, *testFiles));
  }
  BOOSTRT_RETURN_IF_ERROR(checkMemory(
      directory, trainFiles->memory() + (testFiles ? testFiles->memory() : 0)));

  Result<std::unique_ptr<Dataset>> train = readSplit(*trainFiles);
  if (!train.ok())
    return train.status();
  Result<std::unique_ptr<Dataset>> test =
      testFiles ? readSplit(*testFiles) : data::emptySplit(**train);
  if (!test.ok())
    return test.status();
  return data::makeSource("mnist", std::move(*train), std::move(*test),
                          directory);
}

} // namespace boostrt
