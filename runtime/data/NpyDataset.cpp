#include "runtime/data/Directory.h"
#include "runtime/data/Inflate.h"
#include "runtime/data/Npy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace boostrt {
namespace {

using Type = NpyFile::Type;

Status error(const std::string &path, const std::string &text) {
  return Status(ExitCode::Data, fmt::format("{}: {}", path, text));
}

/// The files of a split, their headers read and judged.
struct Split {
  NpyFile samples;
  std::optional<NpyFile> labels, targets, weights;

  SampleShape shape() const {
    std::vector<int64_t> extents = sampleExtents(samples);
    extents.insert(extents.begin(), 3 - extents.size(), 1);
    return {extents[0], extents[1], extents[2]};
  }
  ElementType elementType() const {
    return samples.type() == Type::U8    ? ElementType::U8
           : samples.type() == Type::F32 ? ElementType::F32
                                         : ElementType::I32;
  }
  static std::vector<int64_t> sampleExtents(const NpyFile &file) {
    return {file.shape().begin() + 1, file.shape().end()};
  }
};

/// Both names of a split's samples.
std::array<std::string, 2> sampleFiles(const char *split) {
  return {fmt::format("{}_images.npy", split),
          fmt::format("{}_features.npy", split)};
}

Result<NpyFile> openSamples(const std::string &directory, const char *split) {
  std::array<std::string, 2> names = sampleFiles(split);
  Result<std::optional<std::string>> images =
      data::findOptional(directory, names[0]);
  if (!images.ok())
    return images.status();
  Result<std::optional<std::string>> features =
      data::findOptional(directory, names[1]);
  if (!features.ok())
    return features.status();
  if (*images && *features)
    return error(**features,
                 fmt::format("found next to {}, expected one of the "
                             "two, because both names mean the "
                             "samples; remove one",
                             **images));
  if (!*images && !*features)
    return data::notFound(directory,
                          fmt::format("{} (or {})", names[0], names[1]));
  Result<NpyFile> file = NpyFile::open(*images ? **images : **features);
  if (!file.ok())
    return file;
  size_t rank = file->shape().size();
  if (rank < 2 || rank > 4)
    return error(file->path(),
                 fmt::format("found {}, expected samples of shape (N, n), (N, "
                             "a, b) or (N, channels, height, width); convert "
                             "with numpy's reshape",
                             file->description()));
  return file;
}

/// As many rows as there are samples.
Status checkRows(const NpyFile &file, const char *what,
                 const NpyFile &samples) {
  if (file.shape()[0] == samples.shape()[0])
    return {};
  return error(file.path(),
               fmt::format("found {} {}, expected {}, as many as there are "
                           "samples in {}; check that both belong to the same "
                           "split",
                           file.shape()[0], what, samples.shape()[0],
                           samples.path()));
}

Status openLabels(const std::string &path, Split &split) {
  Result<NpyFile> file = NpyFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->type() == Type::F32 || file->shape().empty())
    return error(path,
                 fmt::format("found {}, expected labels as uint8, int32 or "
                             "int64 of shape (N,), or (N, ...) for several a "
                             "sample; convert with numpy's astype and reshape",
                             file->description()));
  split.labels.emplace(std::move(*file));
  return checkRows(*split.labels, "labels", split.samples);
}

/// `what`: "targets".
Status openNumbers(const std::string &path, const char *what, Split &split,
                   std::optional<NpyFile> &numbers) {
  Result<NpyFile> file = NpyFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->type() != Type::F32 || file->shape().empty())
    return error(path, fmt::format("found {}, expected {} as float32 of "
                                   "shape (N, ...); convert with numpy's "
                                   "astype and reshape",
                                   file->description(), what));
  numbers.emplace(std::move(*file));
  return checkRows(*numbers, what, split.samples);
}

Status openTargets(const std::string &path, Split &split) {
  return openNumbers(path, "targets", split, split.targets);
}

Status openWeights(const std::string &path, Split &split) {
  return openNumbers(path, "weights", split, split.weights);
}

Result<Split> openSplit(const std::string &directory, const char *name) {
  Result<NpyFile> samples = openSamples(directory, name);
  if (!samples.ok())
    return samples.status();
  Split split{std::move(*samples), {}, {}, {}};
  for (auto [what, openAnswers] : {std::pair{"labels", &openLabels},
                                   {"targets", &openTargets},
                                   {"weights", &openWeights}}) {
    Result<std::optional<std::string>> path =
        data::findOptional(directory, fmt::format("{}_{}.npy", name, what));
    if (!path.ok())
      return path.status();
    if (*path)
      BOOSTRT_RETURN_IF_ERROR(openAnswers(**path, split));
  }
  return split;
}

/// What one split has the other has too. Whether there must be labels or
/// targets is for the program to say: one that compares with its own samples
/// reads neither.
Status checkAnswers(const std::string &directory, const Split &train,
                    const Split &test) {
  auto alone = [&](bool inTrain, const char *what) {
    return error(directory,
                 fmt::format("{0}_{1}.npy not found; {2}; expected it there, "
                             "plain or with .gz or .xz, because {3}_{1}.npy "
                             "is; add it or remove that",
                             inTrain ? "test" : "train", what,
                             data::listing(directory),
                             inTrain ? "train" : "test"));
  };
  if (train.labels.has_value() != test.labels.has_value())
    return alone(train.labels.has_value(), "labels");
  if (train.targets.has_value() != test.targets.has_value())
    return alone(train.targets.has_value(), "targets");
  if (train.weights.has_value() != test.weights.has_value())
    return alone(train.weights.has_value(), "weights");
  auto agree = [](const char *what, const std::optional<NpyFile> &train,
                  const std::optional<NpyFile> &test) -> Status {
    if (!train || Split::sampleExtents(*train) == Split::sampleExtents(*test))
      return {};
    return error(test->path(),
                 fmt::format("found {}, expected {} of the shape of {}, which "
                             "holds {}",
                             test->description(), what, train->path(),
                             train->description()));
  };
  BOOSTRT_RETURN_IF_ERROR(agree("labels", train.labels, test.labels));
  BOOSTRT_RETURN_IF_ERROR(agree("targets", train.targets, test.targets));
  return agree("weights", train.weights, test.weights);
}

Result<std::vector<int32_t>> readLabels(NpyFile &file) {
  Result<OwnedBytes> bytes = file.read();
  if (!bytes.ok())
    return bytes.status();
  std::vector<int32_t> labels(file.elements());
  int64_t perSample = file.elements() / file.shape()[0];
  for (int64_t i = 0; i < file.elements(); ++i) {
    int64_t label = 0;
    if (file.type() == Type::U8) {
      label = (*bytes)[i];
    } else if (file.type() == Type::I32) {
      int32_t value;
      std::memcpy(&value, bytes->get() + i * sizeof value, sizeof value);
      label = value;
    } else {
      std::memcpy(&label, bytes->get() + i * sizeof label, sizeof label);
    }
    if (label < 0 || label > kNpyMaxLabel)
      return error(file.path(),
                   fmt::format("found label {} at sample {}, expected 0 to {}; "
                               "number the classes from 0",
                               label, i / perSample, kNpyMaxLabel));
    labels[i] = static_cast<int32_t>(label);
  }
  return labels;
}

/// A value that is not finite would end the training with exit code 4 some time
/// later, without a word of the data.
Status checkFinite(const std::string &path, const uint8_t *bytes,
                   int64_t elements, int64_t elementsPerSample) {
  for (int64_t i = 0; i < elements; ++i) {
    float value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    if (!std::isfinite(value))
      return error(path, fmt::format("found {} in sample {}, expected finite "
                                     "numbers; clean the array",
                                     value, i / elementsPerSample));
  }
  return {};
}

/// The file's integers in 32 bits.
Result<OwnedBytes> readIntegers(NpyFile &file) {
  Result<OwnedBytes> bytes = file.read();
  if (!bytes.ok() || file.type() == Type::I32)
    return bytes;
  OwnedBytes out = allocateBytes(file.elements() * sizeof(int32_t));
  if (!out)
    return error(file.path(), fmt::format("not enough memory for its {} "
                                          "integers",
                                          file.elements()));
  int64_t perSample = file.elements() / file.shape()[0];
  for (int64_t i = 0; i < file.elements(); ++i) {
    int64_t value;
    std::memcpy(&value, bytes->get() + i * sizeof value, sizeof value);
    auto narrow = static_cast<int32_t>(value);
    if (narrow != value)
      return error(file.path(),
                   fmt::format("found {} in sample {} at position {}, expected "
                               "{} to {}; number the values from 0",
                               value, i / perSample, i % perSample, INT32_MIN,
                               INT32_MAX));
    std::memcpy(out.get() + i * sizeof narrow, &narrow, sizeof narrow);
  }
  return out;
}

Result<OwnedBytes> readFloats(NpyFile &file) {
  Result<OwnedBytes> bytes = file.read();
  if (!bytes.ok())
    return bytes;
  BOOSTRT_RETURN_IF_ERROR(checkFinite(file.path(), bytes->get(),
                                      file.elements(),
                                      file.elements() / file.shape()[0]));
  return bytes;
}

/// The numbers of `file`; none where there is no file.
Result<SampleNumbers> readNumbers(std::optional<NpyFile> &file) {
  if (!file)
    return SampleNumbers();
  Result<OwnedBytes> values = readFloats(*file);
  if (!values.ok())
    return values.status();
  return SampleNumbers{file->shape()[0], Split::sampleExtents(*file),
                       std::move(*values), file->path()};
}

/// Weights are 0 or more, and not all 0.
Status checkWeights(const SampleNumbers &weights) {
  bool isAnyAbove = false;
  int64_t elements = weights.elements();
  for (int64_t i = 0; i < weights.samples * elements; ++i) {
    float value;
    std::memcpy(&value, weights.values.get() + i * sizeof value, sizeof value);
    if (value < 0)
      return error(weights.source,
                   fmt::format("found {} in sample {}, expected weights of 0 "
                               "or more; clean the array",
                               value, i / elements));
    isAnyAbove |= value > 0;
  }
  if (weights.samples > 0 && !isAnyAbove)
    return error(weights.source, "found weights that are all 0, expected one "
                                 "above 0, because no sample counts");
  return {};
}

Result<std::unique_ptr<Dataset>> readSplit(Split &split) {
  std::vector<int32_t> labels;
  if (split.labels) {
    Result<std::vector<int32_t>> read = readLabels(*split.labels);
    if (!read.ok())
      return read.status();
    labels = std::move(*read);
  }
  Result<SampleNumbers> targets = readNumbers(split.targets);
  if (!targets.ok())
    return targets.status();
  Result<SampleNumbers> weights = readNumbers(split.weights);
  if (!weights.ok())
    return weights.status();
  BOOSTRT_RETURN_IF_ERROR(checkWeights(*weights));
  ElementType type = split.elementType();
  Result<OwnedBytes> samples =
      type == ElementType::F32   ? readFloats(split.samples)
      : type == ElementType::I32 ? readIntegers(split.samples)
                                 : split.samples.read();
  if (!samples.ok())
    return samples.status();
  return std::unique_ptr<Dataset>(new MemoryDataset(
      split.shape(), split.samples.shape()[0], std::move(*samples),
      std::move(labels), split.samples.path(),
      split.labels ? split.labels->path() : "", type, std::move(*targets),
      std::move(*weights)));
}

/// Whether a file of the split exists.
Result<bool> isPresent(const std::string &directory, const char *split) {
  for (const char *what :
       {"images", "features", "labels", "targets", "weights"}) {
    Result<std::optional<std::string>> path =
        data::findOptional(directory, fmt::format("{}_{}.npy", split, what));
    if (!path.ok())
      return path.status();
    if (*path)
      return true;
  }
  return false;
}

/// Fails unless both splits hold the same.
Status checkSplits(const std::string &directory, const Split &train,
                   const Split &test) {
  if (train.shape() != test.shape() ||
      train.elementType() != test.elementType())
    return error(test.samples.path(),
                 fmt::format("found {}, expected samples of the type and shape "
                             "of {}, which holds {}",
                             test.samples.description(), train.samples.path(),
                             train.samples.description()));
  return checkAnswers(directory, train, test);
}

} // namespace

bool isNpy(const std::string &directory) {
  return std::ranges::any_of(sampleFiles("train"),
                             [&](const std::string &name) {
                               Result<std::optional<std::string>> path =
                                   data::findOptional(directory, name);
                               return path.ok() && *path;
                             });
}

Result<DataSource> openNpy(const std::string &directory, HeldOut heldOut) {
  BOOSTRT_RETURN_IF_ERROR(data::checkDirectory(directory, kNpyFiles, "npy"));
  Result<Split> train = openSplit(directory, "train");
  if (!train.ok())
    return train.status();
  Result<bool> hasTest = heldOut == HeldOut::Required
                             ? Result<bool>(true)
                             : isPresent(directory, "test");
  if (!hasTest.ok())
    return hasTest.status();
  std::optional<Split> test;
  if (*hasTest) {
    Result<Split> split = openSplit(directory, "test");
    if (!split.ok())
      return split.status();
    test.emplace(std::move(*split));
    BOOSTRT_RETURN_IF_ERROR(checkSplits(directory, *train, *test));
  }

  Result<std::unique_ptr<Dataset>> trainSet = readSplit(*train);
  if (!trainSet.ok())
    return trainSet.status();
  Result<std::unique_ptr<Dataset>> testSet =
      test ? readSplit(*test) : data::emptySplit(**trainSet);
  if (!testSet.ok())
    return testSet.status();
  return data::makeSource("npy", std::move(*trainSet), std::move(*testSet),
                          directory);
}

} // namespace boostrt
