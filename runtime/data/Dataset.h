// Dataset.h - what a training run reads: samples of raw bytes, with labels,
// targets, weights, or none of them, and the one place that turns the text
// after --data into them.
//
// Everything a data set will ever occupy is resident when openDataSource()
// returns: the memory plan is checked against the growth of the process after
// that moment, so nothing here may be mapped lazily or allocated later. Images
// in files stay there, and are decoded when a batch needs them.
#pragma once

#include "runtime/support/OwnedBytes.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// Extents of one sample, in pixels; bytes are stored channels-first. Samples
/// of fewer extents have leading ones. Images in files have a size of their
/// own, for which height and width are 0.
struct SampleShape {
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;

  int64_t elements() const { return channels * height * width; }
  bool isOfAnySize() const { return height == 0 && width == 0; }
  bool operator==(const SampleShape &) const = default;
};

/// "1x28x28", as messages write a shape; "images of any size".
std::string toString(const SampleShape &shape);

/// The same for any number of extents; "1" without extents.
std::string toString(std::span<const int64_t> extents);

/// What a sample is made of. Only pixels and floats have transforms; integers
/// are numbers of something, such as tokens.
enum class ElementType { U8, F32, I32 };

/// Has a sample come from memory. Long ones are left to the processor, which
/// prefetches what is read in a row.
void prefetchBytes(const uint8_t *sample, int64_t bytes);

/// Numbers of each sample that a loss reads, as the source states them: f32,
/// sample after sample.
struct SampleNumbers {
  int64_t samples = 0;        ///< 0: none
  std::vector<int64_t> shape; ///< of one sample; empty when that is one number
  OwnedBytes values;
  std::string source; ///< for messages

  int64_t elements() const; ///< of one sample
  int64_t bytesPerSample() const { return elements() * 4; }
  /// Those of sample `index`, as bytes.
  const uint8_t *at(int64_t index) const {
    return values.get() + index * bytesPerSample();
  }
};

/// One split (train or test) of a data source. Immutable for its readers; every
/// member may be called from several threads at once.
class Dataset {
public:
  virtual ~Dataset();
  Dataset(const Dataset &) = delete;
  Dataset &operator=(const Dataset &) = delete;

  int64_t size() const { return size_; }
  const SampleShape &shape() const { return shape_; }
  ElementType elementType() const { return elementType_; }
  int64_t bytesPerSample() const {
    return shape_.elements() * (elementType_ == ElementType::U8 ? 1 : 4);
  }

  /// The bytesPerSample() bytes of sample `index`, 0 <= index < size(). They
  /// stay valid and unchanged as long as the data set lives. Null where
  /// samples are files.
  virtual const uint8_t *sample(int64_t index) const;
  /// The bytes of sample `index` are needed soon: has them come from memory,
  /// where that takes long and nothing else.
  virtual void prefetch(int64_t index) const;
  /// Likewise its labels.
  void prefetchLabels(int64_t index) const;
  /// The path of the image that sample `index` is. Empty where samples are
  /// bytes.
  virtual std::string file(int64_t index) const;

  bool hasLabels() const { return !labels_.empty(); }

  /// 1, or as many as a sample has positions.
  int64_t labelsPerSample() const { return std::ssize(labels_) / size_; }

  /// The labels of a sample as the source states them; whether they fit the
  /// model is checked where batches are made, because only the model knows its
  /// classes.
  std::span<const int32_t> labels(int64_t index) const {
    auto count = static_cast<size_t>(labelsPerSample());
    return std::span(labels_).subspan(static_cast<size_t>(index) * count,
                                      count);
  }
  /// The only one of a sample.
  int32_t label(int64_t index) const { return labels_[index]; }

  /// One more than the largest label that occurs; 0 without labels.
  int32_t classes() const { return classes_; }

  bool hasTargets() const { return targets_.samples > 0; }
  /// What the loss compares with.
  const SampleNumbers &targets() const { return targets_; }

  bool hasWeights() const { return weights_.samples > 0; }
  /// How much samples, or their labels, count: finite numbers of 0 or more.
  const SampleNumbers &weights() const { return weights_; }

  /// Equal on two ranks that read the same split. 64-bit FNV-1a over size,
  /// shape, every label and the bytes, or name and size of the file, targets
  /// and weights of at most 64 samples spread evenly from the first to the
  /// last: it tells different data sets apart in microseconds and does not
  /// protect against deliberate collisions.
  uint64_t fingerprint() const;

  /// What a sample and its answer are: "1x28x28, 10 classes".
  std::string contents() const;

  /// Where samples and labels come from, for messages: a file or a generator.
  const std::string &source() const { return source_; }
  const std::string &labelSource() const { return labelSource_; }

protected:
  /// `size` samples, or none; as many labels, or a multiple, and as many
  /// targets and weights, or none of them.
  Dataset(SampleShape shape, int64_t size, std::vector<int32_t> labels,
          std::string source, std::string labelSource,
          ElementType elementType = ElementType::U8, SampleNumbers targets = {},
          SampleNumbers weights = {});

private:
  SampleShape shape_;
  ElementType elementType_;
  int64_t size_;
  std::vector<int32_t> labels_;
  SampleNumbers targets_;
  SampleNumbers weights_;
  int32_t classes_ = 0;
  std::string source_;
  std::string labelSource_;
};

/// A split whose bytes all exist from the start.
class MemoryDataset final : public Dataset {
public:
  /// `bytes` holds the `size` samples, one after the other.
  MemoryDataset(SampleShape shape, int64_t size, OwnedBytes bytes,
                std::vector<int32_t> labels, std::string source,
                std::string labelSource,
                ElementType elementType = ElementType::U8,
                SampleNumbers targets = {}, SampleNumbers weights = {});

  const uint8_t *sample(int64_t index) const override {
    return bytes_.get() + index * bytesPerSample();
  }
  void prefetch(int64_t index) const override;

private:
  OwnedBytes bytes_;
};

/// Both splits of one source; they agree in shape and in what they hold.
struct DataSource {
  std::unique_ptr<Dataset> train;
  std::unique_ptr<Dataset> test;
  std::string description; ///< one line, for the log
};

/// A data specification "scheme[:argument]" taken apart, e.g. "mnist" and its
/// directory. `--data`, DATA_PATH and the model's data.source are combined from
/// these parts. splitDataSpec() makes it.
struct DataSpec {
  std::string scheme; ///< "mnist", "cifar10", "npy", "imagefolder" or "digits"
  std::string argument; ///< "" when there is none

  /// Whether the argument is a directory, so that DATA_PATH may replace it.
  bool takesDirectory() const;
  /// Back to one text.
  std::string text() const;
};

/// Splits at the first colon; checks the scheme, and the options of one that
/// reads no directory. Fails with ExitCode::Data.
Result<DataSpec> splitDataSpec(std::string_view text);

/// Whether `path`, which exists, has the name of a file that is read of `spec`.
bool isFileOf(const DataSpec &spec, const std::string &path);

/// Fails with ExitCode::Data when a directory is missing.
Status checkDataSpec(const DataSpec &spec);

/// Shape and element type of samples, where the scheme alone determines them.
struct SampleKind {
  SampleShape shape;
  ElementType elementType;
};
std::optional<SampleKind> sampleKindOf(const DataSpec &spec);

/// Whether files with held-out data may be absent: the split is then empty.
enum class HeldOut { Required, Optional };

/// Opens "mnist:DIR" (see Idx.h), "cifar10:DIR" (see Cifar10.h), "npy:DIR"
/// (see Npy.h), "imagefolder:DIR" (see ImageFolder.h), "digits" or
/// "digits:train=N,test=M,seed=S" (see Digits.h; each option may be left out).
/// Fails with ExitCode::Data.
Result<DataSource> openDataSource(const DataSpec &spec,
                                  HeldOut heldOut = HeldOut::Required);

} // namespace boostrt
