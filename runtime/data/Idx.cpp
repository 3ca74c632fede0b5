#include "runtime/data/Idx.h"
#include "runtime/data/Inflate.h"

#include <cassert>
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

/// What the header announces against what the file can hold.
Status checkSize(const ByteReader &reader, const IdxFile &file, int64_t header,
                 int64_t maxBytes) {
  std::string announced =
      fmt::format("the header announces {} = {} bytes of data",
                  fmt::join(file.dimensions, " x "), file.size);
  if (file.size > maxBytes)
    return Status(
        ExitCode::Data,
        fmt::format("{}: {}, expected at most {} (the limit of a data "
                    "source is {} MiB); use a smaller data set",
                    file.path, announced, maxBytes, kIdxMaxBytes >> 20));
  int64_t there = reader.fileBytes();
  if (reader.compressed()) {
    if (file.size / kDeflateMaxRatio > there)
      return Status(ExitCode::Data,
                    fmt::format("{}: {}, but {} compressed bytes cannot hold "
                                "that; get the file again",
                                file.path, announced, there));
    return {};
  }
  if (there == header + file.size)
    return {};
  return Status(
      ExitCode::Data,
      fmt::format("{}: {} by {} bytes: {}, expected a file of {} "
                  "bytes, found {}; get the file again",
                  file.path,
                  there < header + file.size ? "truncated" : "too long",
                  there < header + file.size ? header + file.size - there
                                             : there - header - file.size,
                  announced, header + file.size, there));
}

Status readHeader(ByteReader &reader, IdxFile &file, int rank) {
  uint8_t header[4 + 4 * kMaxRank];
  int64_t size = 4 + 4 * int64_t{rank};
  Result<int64_t> got = reader.read(header, size);
  if (!got.ok())
    return got.status();
  if (*got >= 4)
    BOOSTRT_RETURN_IF_ERROR(checkMagic(file.path, header, rank));
  if (*got < size)
    return Status(ExitCode::Data,
                  fmt::format("{}: truncated: found {} bytes, expected an IDX "
                              "header of {}; get the file again",
                              file.path, *got, size));
  file.size = 1;
  for (int i = 0; i < rank; ++i) {
    int64_t extent = bigEndian(header + 4 + 4 * i);
    file.dimensions.push_back(extent);
    if (__builtin_mul_overflow(file.size, extent, &file.size))
      return Status(ExitCode::Data,
                    fmt::format("{}: the header's dimensions {} overflow; get "
                                "the file again",
                                file.path, fmt::join(file.dimensions, " x ")));
  }
  if (file.size == 0)
    return Status(
        ExitCode::Data,
        fmt::format("{}: the header announces {} = 0 bytes of data, "
                    "expected at least one sample; get the file again",
                    file.path, fmt::join(file.dimensions, " x ")));
  return {};
}

Status readElements(ByteReader &reader, IdxFile &file) {
  Result<int64_t> got = reader.read(file.bytes.get(), file.size);
  if (!got.ok())
    return got.status();
  if (*got < file.size)
    return Status(ExitCode::Data,
                  fmt::format("{}: truncated: found {} bytes of data, the "
                              "header announces {}; get the file again",
                              file.path, *got, file.size));
  // Asking for one byte more also verifies the checksum of a gzip file.
  uint8_t extra;
  got = reader.read(&extra, 1);
  if (!got.ok())
    return got.status();
  if (*got != 0)
    return Status(ExitCode::Data,
                  fmt::format("{}: too long: found more than the {} bytes of "
                              "data which the header announces; get the file "
                              "again",
                              file.path, file.size));
  return {};
}

} // namespace

Result<IdxFile> readIdxFile(const std::string &path, int rank,
                            int64_t maxBytes) {
  assert(rank >= 1 && rank <= kMaxRank);
  Result<std::unique_ptr<ByteReader>> reader = ByteReader::open(path);
  if (!reader.ok())
    return reader.status();
  IdxFile file;
  file.path = path;
  BOOSTRT_RETURN_IF_ERROR(readHeader(**reader, file, rank));
  BOOSTRT_RETURN_IF_ERROR(
      checkSize(**reader, file, 4 + 4 * int64_t{rank}, maxBytes));
  // Left uninitialised: pages become resident as data arrive, so a header that
  // lies costs no memory.
  file.bytes.reset(new (std::nothrow) uint8_t[file.size]);
  if (!file.bytes)
    return Status(
        ExitCode::Data,
        fmt::format("{}: not enough memory for its {} bytes", path, file.size));
  BOOSTRT_RETURN_IF_ERROR(readElements(**reader, file));
  return file;
}

} // namespace boostrt
