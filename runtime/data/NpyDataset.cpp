#include "runtime/data/Directory.h"
#include "runtime/data/Inflate.h"
#include "runtime/data/Npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace boostrt {
namespace {

using Type = NpyFile::Type;

Status error(const std::string &path, const std::string &text) {
  return Status(ExitCode::Data, fmt::format("{}: {}", path, text));
}

/// The two files of a split, their headers read and judged.
struct Split {
  NpyFile images, labels;

  SampleShape shape() const {
    const std::vector<int64_t> &extents = images.shape();
    return extents.size() == 2
               ? SampleShape{1, 1, extents[1]}
               : SampleShape{extents[1], extents[2], extents[3]};
  }
  int64_t size() const { return images.shape()[0]; }
};

Result<NpyFile> openFile(const std::string &directory,
                         const std::string &name) {
  Result<std::string> path = data::findPacked(directory, name);
  if (!path.ok())
    return path.status();
  return NpyFile::open(*path);
}

Result<Split> openSplit(const std::string &directory, const char *name) {
  Result<NpyFile> images =
      openFile(directory, fmt::format("{}_images.npy", name));
  if (!images.ok())
    return images.status();
  Result<NpyFile> labels =
      openFile(directory, fmt::format("{}_labels.npy", name));
  if (!labels.ok())
    return labels.status();
  size_t rank = images->shape().size();
  if ((images->type() != Type::U8 && images->type() != Type::F32) ||
      (rank != 2 && rank != 4))
    return error(images->path(),
                 fmt::format("found {}, expected images as uint8 or float32 of "
                             "shape (N, channels, height, width) or (N, "
                             "features); convert with numpy's astype and "
                             "reshape",
                             images->description()));
  if (labels->type() == Type::F32 || labels->shape().size() != 1)
    return error(labels->path(),
                 fmt::format("found {}, expected labels as uint8, int32 or "
                             "int64 of shape (N,); convert with numpy's astype "
                             "and reshape",
                             labels->description()));
  if (images->shape()[0] != labels->shape()[0])
    return error(labels->path(),
                 fmt::format("found {} labels, expected {}, as many as there "
                             "are images in {}; check that both belong to the "
                             "same split",
                             labels->shape()[0], images->shape()[0],
                             images->path()));
  return Split{std::move(*images), std::move(*labels)};
}

Result<std::vector<int32_t>> readLabels(NpyFile &file) {
  Result<std::unique_ptr<uint8_t[]>> bytes = file.read();
  if (!bytes.ok())
    return bytes.status();
  std::vector<int32_t> labels(file.elements());
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
                               label, i, kNpyMaxLabel));
    labels[i] = static_cast<int32_t>(label);
  }
  return labels;
}

/// A single value that is not finite would end the training with exit code 4
/// some time later, and nobody would look here.
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

Result<std::unique_ptr<Dataset>> readSplit(Split &split) {
  Result<std::vector<int32_t>> labels = readLabels(split.labels);
  if (!labels.ok())
    return labels.status();
  Result<std::unique_ptr<uint8_t[]>> images = split.images.read();
  if (!images.ok())
    return images.status();
  bool isFloat = split.images.type() == Type::F32;
  if (isFloat)
    BOOSTRT_RETURN_IF_ERROR(checkFinite(split.images.path(), images->get(),
                                        split.images.elements(),
                                        split.shape().elements()));
  return std::unique_ptr<Dataset>(
      new MemoryDataset(split.shape(), std::move(*images), std::move(*labels),
                        split.images.path(), split.labels.path(),
                        isFloat ? ElementType::F32 : ElementType::U8));
}

} // namespace

Result<DataSource> openNpy(const std::string &directory) {
  BOOSTRT_RETURN_IF_ERROR(data::checkDirectory(
      directory, "{train,test}_{images,labels}.npy", "npy"));
  Result<Split> train = openSplit(directory, "train");
  if (!train.ok())
    return train.status();
  Result<Split> test = openSplit(directory, "test");
  if (!test.ok())
    return test.status();
  if (train->shape() != test->shape() ||
      train->images.type() != test->images.type())
    return error(test->images.path(),
                 fmt::format("found {}, expected samples of the type and shape "
                             "of {}, which holds {}",
                             test->images.description(), train->images.path(),
                             train->images.description()));

  Result<std::unique_ptr<Dataset>> trainSet = readSplit(*train);
  if (!trainSet.ok())
    return trainSet.status();
  Result<std::unique_ptr<Dataset>> testSet = readSplit(*test);
  if (!testSet.ok())
    return testSet.status();
  DataSource source;
  source.description = fmt::format(
      "npy: {} train + {} test samples of {}, {} classes, from {}",
      (*trainSet)->size(), (*testSet)->size(), toString((*trainSet)->shape()),
      std::max((*trainSet)->classes(), (*testSet)->classes()), directory);
  source.train = std::move(*trainSet);
  source.test = std::move(*testSet);
  return source;
}

} // namespace boostrt
