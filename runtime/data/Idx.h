// Idx.h - MNIST-like data sets in IDX files, plain or gzip-compressed.
//
// An IDX file is a big-endian header (0, 0, element type, rank, then one u32
// per dimension) followed by the elements. Images are u8 of rank 3 (magic
// 0x00000803), labels u8 of rank 1 (0x00000801). Compression is recognised by
// content, not by name, because browsers unpack downloads without renaming
// them.
//
// Files are not trusted: a header is believed only as far as the bytes after
// it reach, inflation stops at the announced size, and a gzip file must end
// with its own checksum. Both splits together may have up to kIdxMaxBytes.
#pragma once

#include "runtime/data/Dataset.h"

namespace boostrt {

namespace data {
class ByteReader;
}

/// Limit of images and labels of both splits. It bounds what a hostile file can
/// cost; the largest IDX set in common use (EMNIST ByClass) has 639 MB.
inline constexpr int64_t kIdxMaxBytes = int64_t{640} << 20;

/// One IDX file of u8 elements: its header at once, its elements on request, so
/// that files can be compared before any of them costs time and memory.
class IdxFile {
public:
  /// Opens a file of the given rank and checks the header against what the file
  /// can hold. Fails with ExitCode::Data.
  static Result<IdxFile> open(const std::string &path, int rank);
  ~IdxFile();
  IdxFile(IdxFile &&) noexcept;

  const std::string &path() const { return path_; }
  const std::vector<int64_t> &dimensions() const { return dimensions_; }
  /// Number of elements, which are bytes; at most kIdxMaxBytes.
  int64_t size() const { return size_; }

  /// Reads the elements and makes sure that nothing follows them; once. Fails
  /// with ExitCode::Data.
  Result<OwnedBytes> read();

private:
  IdxFile();
  Status readHeader(int rank);
  Status checkSize(int64_t header) const;

  std::string path_;
  std::unique_ptr<data::ByteReader> reader_;
  std::vector<int64_t> dimensions_;
  int64_t size_ = 1;
};

/// Reads the four files {train,t10k}-{images-idx3,labels-idx1}-ubyte (or
/// ".idx3-ubyte"), each with or without ".gz", from `directory` or from its
/// train/ and test/. Of several spellings that exist, the directory itself
/// goes before its subdirectories and plain files go before compressed ones.
/// Fails with ExitCode::Data.
Result<DataSource> openMnist(const std::string &directory,
                             HeldOut heldOut = HeldOut::Required);

/// Whether `directory` holds training images for openMnist().
bool isMnist(const std::string &directory);

} // namespace boostrt
