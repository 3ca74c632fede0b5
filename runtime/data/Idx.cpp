#include "runtime/data/Idx.h"
#include "runtime/data/Inflate.h"

#include <cassert>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>

namespace boostrt {

using data::ByteReader;

namespace {

constexpr int kMaxRank = 4;
/// Deflate cannot pack more than this into one byte (zlib, "Maximum Compression
/// Factor"); a header that announces more lies.
constexpr int64_t kDeflateMaxRatio = 1032;

/// The name of an element type byte of the format.
std::string_view elementType(uint8_t code) {
  switch (code) {
  case 0x08:
    return "u8";
  case 0x09:
    return "i8";
  case 0x0b:
    return "i16";
  case 0x0c:
    return "i32";
  case 0x0d:
    return "f32";
  case 0x0e:
    return "f64";
  default:
    return "";
  }
}

uint32_t bigEndian(const uint8_t *bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 |
         uint32_t{bytes[2]} << 8 | bytes[3];
}

Status checkMagic(const std::string &path, const uint8_t *magic, int rank) {
  if (magic[0] == 0 && magic[1] == 0 && magic[2] == 0x08 && magic[3] == rank)
    return {};
  std::string found = fmt::format("magic 0x{:08x}", bigEndian(magic));
  std::string_view type = elementType(magic[2]);
  if (magic[0] == 0 && magic[1] == 0 && !type.empty())
    found += fmt::format(" (IDX, {} of rank {})", type, magic[3]);
  else
    found += " (not an IDX file)";
  const char *advice = magic[0] == 0 && magic[1] == 0 && magic[2] == 0x08 &&
                               (magic[3] == 1 || magic[3] == 3)
                           ? "check that images and labels are not swapped"
                           : "get the file again from the data set's source";
  return Status(ExitCode::Data,
                fmt::format("{}: found {}, expected 0x{:08x} ({} as u8 of rank "
                            "{}); {}",
                            path, found, 0x0800 + rank,
                            rank == 1 ? "labels" : "images", rank, advice));
}

} // namespace

IdxFile::IdxFile() = default;
IdxFile::~IdxFile() = default;
IdxFile::IdxFile(IdxFile &&) noexcept = default;

/// What the header announces against what the file can hold.
Status IdxFile::checkSize(int64_t header) const {
  std::string announced =
      fmt::format("the header announces {} = {} bytes of data",
                  fmt::join(dimensions_, " x "), size_);
  if (size_ > kIdxMaxBytes)
    return Status(ExitCode::Data,
                  fmt::format("{}: {}, expected at most {}; use a smaller data "
                              "set",
                              path_, announced, kIdxMaxBytes));
  int64_t there = reader_->fileBytes();
  if (reader_->packing() != data::Packing::None) {
    if (reader_->packing() == data::Packing::Gzip &&
        size_ / kDeflateMaxRatio > there)
      return Status(ExitCode::Data,
                    fmt::format("{}: {}, but {} compressed bytes cannot hold "
                                "that; get the file again",
                                path_, announced, there));
    return {};
  }
  int64_t missing = header + size_ - there;
  if (missing == 0)
    return {};
  return Status(ExitCode::Data,
                fmt::format("{}: {} by {} bytes: {}, expected a file of {} "
                            "bytes, found {}; get the file again",
                            path_, missing > 0 ? "truncated" : "too long",
                            std::abs(missing), announced, header + size_,
                            there));
}

Status IdxFile::readHeader(int rank) {
  uint8_t header[4 + 4 * kMaxRank];
  int64_t length = 4 + 4 * int64_t{rank};
  Result<int64_t> got = reader_->read(header, length);
  if (!got.ok())
    return got.status();
  if (*got >= 4)
    BOOSTRT_RETURN_IF_ERROR(checkMagic(path_, header, rank));
  if (*got < length)
    return Status(ExitCode::Data,
                  fmt::format("{}: truncated: found {} bytes, expected an IDX "
                              "header of {}; get the file again",
                              path_, *got, length));
  for (int i = 0; i < rank; ++i)
    dimensions_.push_back(bigEndian(header + 4 + 4 * i));
  for (int64_t extent : dimensions_)
    if (__builtin_mul_overflow(size_, extent, &size_))
      return Status(ExitCode::Data,
                    fmt::format("{}: the header's dimensions {} overflow; get "
                                "the file again",
                                path_, fmt::join(dimensions_, " x ")));
  if (size_ == 0)
    return Status(
        ExitCode::Data,
        fmt::format("{}: the header announces {} = 0 bytes of data, "
                    "expected at least one sample; get the file again",
                    path_, fmt::join(dimensions_, " x ")));
  return checkSize(length);
}

Result<IdxFile> IdxFile::open(const std::string &path, int rank) {
  assert(rank >= 1 && rank <= kMaxRank);
  Result<std::unique_ptr<ByteReader>> reader = ByteReader::open(path);
  if (!reader.ok())
    return reader.status();
  IdxFile file;
  file.path_ = path;
  file.reader_ = std::move(*reader);
  BOOSTRT_RETURN_IF_ERROR(file.readHeader(rank));
  return file;
}

Result<OwnedBytes> IdxFile::read() {
  // Left uninitialised: pages become resident as data arrive, so a header that
  // lies costs no memory.
  OwnedBytes bytes = allocateBytes(size_);
  if (!bytes)
    return Status(
        ExitCode::Data,
        fmt::format("{}: not enough memory for its {} bytes", path_, size_));
  Result<int64_t> got = reader_->read(bytes.get(), size_);
  if (!got.ok())
    return got.status();
  if (*got < size_)
    return Status(ExitCode::Data,
                  fmt::format("{}: truncated: found {} bytes of data, the "
                              "header announces {}; get the file again",
                              path_, *got, size_));
  // Asking for one byte more also verifies the checksum of a gzip file.
  uint8_t extra;
  got = reader_->read(&extra, 1);
  if (!got.ok())
    return got.status();
  if (*got != 0)
    return Status(ExitCode::Data,
                  fmt::format("{}: too long: found more than the {} bytes of "
                              "data which the header announces; get the file "
                              "again",
                              path_, size_));
  reader_.reset();
  return bytes;
}

} // namespace boostrt
