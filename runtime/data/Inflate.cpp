#include "runtime/data/Inflate.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace boostrt::data {

/// What a decoder of xz files may need; `xz -9` asks for 65 MiB.
static constexpr uint64_t kXzMemory = uint64_t{256} << 20;

struct ByteReader::State {
  std::string path;
  int file = -1;
  int64_t fileBytes = 0;
  int64_t consumed = 0; ///< bytes read from disk
  Packing packing = Packing::None;

  z_stream stream = {}; ///< of gzip
  lzma_stream lzma = LZMA_STREAM_INIT;
  bool streamOpen = false;
  bool ended = false; ///< the last gzip member or xz stream is complete
  uint8_t buffer[64 << 10];

  ~State() {
    if (streamOpen)
      inflateEnd(&stream);
    lzma_end(&lzma);
    if (file >= 0)
      close(file);
  }

  Result<int64_t> readFile(uint8_t *out, int64_t count);
  Result<int64_t> inflateInto(uint8_t *out, int64_t count);
  Result<int64_t> unxzInto(uint8_t *out, int64_t count);
  Status openDecoder();
  Status refill();
  Status nextMember();
  Status damaged(std::string_view what) const;
};

ByteReader::ByteReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
ByteReader::~ByteReader() = default;
Packing ByteReader::packing() const { return state_->packing; }
int64_t ByteReader::fileBytes() const { return state_->fileBytes; }

static Status cannotRead(const std::string &path, int error) {
  return Status(ExitCode::Data,
                fmt::format("{}: cannot read: {}; check that the file exists "
                            "and is readable",
                            path, std::strerror(error)));
}

Status ByteReader::State::damaged(std::string_view what) const {
  bool gzip = packing == Packing::Gzip;
  int64_t waiting =
      gzip ? stream.avail_in : static_cast<int64_t>(lzma.avail_in);
  return Status(ExitCode::Data,
                fmt::format("{}: {} (around byte {} of {} compressed bytes), "
                            "expected one intact {} file; get the file again",
                            path, what, consumed - waiting, fileBytes,
                            gzip ? "gzip" : "xz"));
}

Result<int64_t> ByteReader::State::readFile(uint8_t *out, int64_t count) {
  int64_t done = 0;
  while (done < count) {
    ssize_t got = ::read(file, out + done, static_cast<size_t>(count - done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannotRead(path, errno);
    if (got == 0)
      break;
    done += got;
  }
  consumed += done;
  return done;
}

/// Makes compressed input available; leaves none at the end of the file.
Status ByteReader::State::refill() {
  if (stream.avail_in)
    return {};
  Result<int64_t> got = readFile(buffer, sizeof(buffer));
  if (!got.ok())
    return got.status();
  stream.next_in = buffer;
  stream.avail_in = static_cast<uInt>(*got);
  return {};
}

/// After a complete member: gzip allows further ones, and nothing else.
Status ByteReader::State::nextMember() {
  BOOSTRT_RETURN_IF_ERROR(refill());
  if (!stream.avail_in) {
    ended = true;
    return {};
  }
  if (*stream.next_in != 0x1f)
    return damaged("found trailing bytes after the compressed data");
  inflateReset(&stream);
  return {};
}

Result<int64_t> ByteReader::State::inflateInto(uint8_t *out, int64_t count) {
  int64_t done = 0;
  while (done < count && !ended) {
    BOOSTRT_RETURN_IF_ERROR(refill());
    if (!stream.avail_in)
      return damaged("the compressed data stop early");
    uInt room = static_cast<uInt>(std::min<int64_t>(count - done, 1 << 30));
    stream.next_out = out + done;
    stream.avail_out = room;
    int code = inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    if (code == Z_STREAM_END) {
      BOOSTRT_RETURN_IF_ERROR(nextMember());
      continue;
    }
    if (code == Z_MEM_ERROR)
      return Status(ExitCode::Data,
                    fmt::format("{}: not enough memory to unpack it", path));
    if (code != Z_OK)
      return damaged(fmt::format("damaged compressed data ({})",
                                 stream.msg ? stream.msg : "unexpected end"));
  }
  return done;
}

Result<int64_t> ByteReader::State::unxzInto(uint8_t *out, int64_t count) {
  lzma.next_out = out;
  lzma.avail_out = static_cast<size_t>(count);
  while (lzma.avail_out && !ended) {
    if (!lzma.avail_in) {
      Result<int64_t> got = readFile(buffer, sizeof(buffer));
      if (!got.ok())
        return got.status();
      lzma.next_in = buffer;
      lzma.avail_in = static_cast<size_t>(*got);
    }
    // Only at the end of the file may a stream be the last one.
    bool last = consumed >= fileBytes || !lzma.avail_in;
    switch (lzma_ret code = lzma_code(&lzma, last ? LZMA_FINISH : LZMA_RUN)) {
    case LZMA_OK:
      break;
    case LZMA_STREAM_END:
      ended = true;
      break;
    case LZMA_BUF_ERROR:
      return damaged("the compressed data stop early");
    case LZMA_MEM_ERROR:
      return Status(ExitCode::Data,
                    fmt::format("{}: not enough memory to unpack it", path));
    case LZMA_MEMLIMIT_ERROR:
      return Status(ExitCode::Data,
                    fmt::format("{}: unpacking it requires {} bytes of memory, "
                                "expected at most {}; unpack it with xz first",
                                path, lzma_memusage(&lzma), kXzMemory));
    default:
      return damaged(fmt::format("damaged compressed data or other bytes after "
                                 "them (lzma error {})",
                                 int(code)));
    }
  }
  return count - static_cast<int64_t>(lzma.avail_out);
}

Status ByteReader::State::openDecoder() {
  bool good = true;
  if (packing == Packing::Gzip) {
    // 16: a gzip header and trailer, nothing else.
    good = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;
    streamOpen = good;
  } else if (packing == Packing::Xz) {
    good = lzma_stream_decoder(&lzma, kXzMemory, LZMA_CONCATENATED) == LZMA_OK;
  }
  return good ? Status()
              : Status(ExitCode::Data,
                       fmt::format("{}: not enough memory to unpack it", path));
}

Result<std::unique_ptr<ByteReader>> ByteReader::open(const std::string &path) {
  auto state = std::make_unique<State>();
  state->path = path;
  // Opening a pipe would wait for a writer; O_NONBLOCK returns at once.
  state->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (state->file < 0)
    return cannotRead(path, errno);
  struct stat info;
  if (fstat(state->file, &info) != 0)
    return cannotRead(path, errno);
  if (!S_ISREG(info.st_mode))
    return Status(ExitCode::Data,
                  fmt::format("{}: found {}, expected a regular file", path,
                              S_ISDIR(info.st_mode) ? "a directory"
                                                    : "a device or pipe"));
  state->fileBytes = info.st_size;

  static constexpr uint8_t kXzMagic[6] = {0xfd, '7', 'z', 'X', 'Z', 0};
  uint8_t magic[6] = {};
  ssize_t got = pread(state->file, magic, sizeof(magic), 0);
  if (got < 0)
    return cannotRead(path, errno);
  if (got >= 2 && magic[0] == 0x1f && magic[1] == 0x8b)
    state->packing = Packing::Gzip;
  else if (got == 6 && std::memcmp(magic, kXzMagic, sizeof(magic)) == 0)
    state->packing = Packing::Xz;
  BOOSTRT_RETURN_IF_ERROR(state->openDecoder());
  return std::unique_ptr<ByteReader>(new ByteReader(std::move(state)));
}

Result<int64_t> ByteReader::read(uint8_t *out, int64_t count) {
  switch (state_->packing) {
  case Packing::Gzip:
    return state_->inflateInto(out, count);
  case Packing::Xz:
    return state_->unxzInto(out, count);
  case Packing::None:
    break;
  }
  return state_->readFile(out, count);
}

} // namespace boostrt::data
