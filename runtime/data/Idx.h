// Idx.h - MNIST-like data sets in IDX files, plain or gzip-compressed.
//
// An IDX file is a big-endian header (0, 0, element type, rank, then one u32
// per dimension) followed by the elements. Images are u8 of rank 3 (magic
// 0x00000803), labels u8 of rank 1 (0x00000801). Compression is recognised by
// content, not by name, because browsers unpack downloads without renaming
// them.
//
// Files are not trusted: a header is believed only as far as the bytes behind
// it reach, inflation stops at the announced size, and a gzip file must end
// with its own checksum. Both splits together may have up to kIdxMaxBytes.
#pragma once

#include "runtime/data/Dataset.h"

namespace boostrt {

/// Limit of images and labels of both splits. It bounds what a hostile file can
/// cost; the largest IDX set in common use (EMNIST ByClass) has 639 MB.
inline constexpr int64_t kIdxMaxBytes = int64_t{640} << 20;

/// One IDX file in memory.
struct IdxFile {
  std::string path;
  std::vector<int64_t> dimensions;
  std::unique_ptr<uint8_t[]> bytes;
  int64_t size = 0; ///< of bytes; the product of the dimensions
};

/// Reads a u8 IDX file of the given rank with at most `maxBytes` of elements.
/// Fails with ExitCode::Data.
Result<IdxFile> readIdxFile(const std::string &path, int rank,
                            int64_t maxBytes = kIdxMaxBytes);

/// Reads the four files {train,t10k}-{images-idx3,labels-idx1}-ubyte (or
/// ".idx3-ubyte"), each with or without ".gz", from `directory` or from its
/// train/ and test/. Where several spellings are there, the directory itself
/// goes before its subdirectories and plain files go before compressed ones.
/// Fails with ExitCode::Data.
Result<DataSource> openMnist(const std::string &directory);

} // namespace boostrt
