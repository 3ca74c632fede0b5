// Npy.h - NumPy's array files as a data set: formats 1.0 and 2.0, C order,
// little-endian.
#pragma once

#include "runtime/data/Dataset.h"

#include <memory>
#include <string>
#include <vector>

namespace boostrt {

namespace data {
class ByteReader;
}

/// Limit of one file's elements, in bytes: what a hostile compressed file can
/// cost.
inline constexpr int64_t kNpyMaxBytes = int64_t{4} << 30;

/// One array: its header at once, its elements on request.
class NpyFile {
public:
  enum class Type { U8, I32, I64, F32 };

  /// Opens the file and checks the header against what the file can hold.
  /// Fails with ExitCode::Data.
  static Result<NpyFile> open(const std::string &path);
  ~NpyFile();
  NpyFile(NpyFile &&) noexcept;

  const std::string &path() const { return path_; }
  Type type() const { return type_; }
  const std::vector<int64_t> &shape() const { return shape_; }
  int64_t elements() const { return elements_; }
  int64_t bytes() const;
  /// Where the elements begin, in a file that is not compressed.
  int64_t headerBytes() const { return headerBytes_; }
  bool isPacked() const; ///< compressed
  /// "float32 (60000, 1, 28, 28)".
  std::string description() const;

  /// Reads the elements and makes sure that nothing follows them; once. Fails
  /// with ExitCode::Data.
  Result<OwnedBytes> read();

private:
  NpyFile();
  Status readHeader();
  Status readText(std::string &text);
  Status checkSize() const;
  Status error(const std::string &found, const std::string &expected) const;

  std::string path_;
  std::unique_ptr<data::ByteReader> reader_;
  Type type_ = Type::U8;
  std::vector<int64_t> shape_;
  int64_t elements_ = 1;
  int64_t headerBytes_ = 0;
};

/// The files of a directory, for messages.
inline constexpr const char *kNpyFiles =
    "{train,test}_images.npy, with {train,test}_labels.npy, _targets.npy or "
    "_weights.npy where the model reads them";

/// Reads {train,test}_images.npy, which may also be called _features.npy, and
/// where they exist _labels.npy, _targets.npy and _weights.npy, from
/// `directory`, each with or without ".gz" or ".xz".
///   images   uint8 or float32, pixels or numbers; int32 or int64, integers;
///            (N, n), (N, a, b) or (N, C, H, W), fewer extents get
///            leading ones
///   labels   uint8, int32 or int64, (N)
///   targets  float32, (N, ...)
/// Floats must be finite, labels from 0 to kNpyMaxLabel, integers those of 32
/// bits. Both splits hold the same. Fails with ExitCode::Data.
Result<DataSource> openNpy(const std::string &directory,
                           HeldOut heldOut = HeldOut::Required);

/// Whether `directory` holds training samples for openNpy().
bool isNpy(const std::string &directory);

/// As many classes as a model may have, less one.
inline constexpr int64_t kNpyMaxLabel = (int64_t{1} << 24) - 1;

} // namespace boostrt
