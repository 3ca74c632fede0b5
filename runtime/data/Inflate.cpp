#include "runtime/data/Inflate.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace boostrt::data {

struct ByteReader::State {
  std::string path;
  int file = -1;
  int64_t fileBytes = 0;
  int64_t consumed = 0; ///< bytes read from disk
  bool gzip = false;

  z_stream stream = {};
  bool streamOpen = false;
  bool ended = false; ///< the last gzip member is complete
  uint8_t buffer[64 << 10];

  ~State() {
    if (streamOpen)
      inflateEnd(&stream);
    if (file >= 0)
      close(file);
  }

  Result<int64_t> readFile(uint8_t *out, int64_t count);
  Result<int64_t> inflateInto(uint8_t *out, int64_t count);
  Status refill();
  Status nextMember();
  Status damaged(std::string_view what) const;
};

ByteReader::ByteReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
ByteReader::~ByteReader() = default;
bool ByteReader::compressed() const { return state_->gzip; }
int64_t ByteReader::fileBytes() const { return state_->fileBytes; }

static Status cannotRead(const std::string &path, int error) {
  return Status(ExitCode::Data,
                fmt::format("{}: cannot read: {}; check that the file is there "
                            "and readable",
                            path, std::strerror(error)));
}

Status ByteReader::State::damaged(std::string_view what) const {
  return Status(ExitCode::Data,
                fmt::format("{}: {} (around byte {} of {} compressed bytes), "
                            "expected one intact gzip file; get the file again",
                            path, what, consumed - stream.avail_in, fileBytes));
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

  uint8_t magic[2] = {};
  ssize_t got = pread(state->file, magic, sizeof(magic), 0);
  if (got < 0)
    return cannotRead(path, errno);
  state->gzip = got == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  if (state->gzip) {
    // 16: a gzip header and trailer, nothing else.
    if (inflateInit2(&state->stream, 16 + MAX_WBITS) != Z_OK)
      return Status(ExitCode::Data,
                    fmt::format("{}: not enough memory to unpack it", path));
    state->streamOpen = true;
  }
  return std::unique_ptr<ByteReader>(new ByteReader(std::move(state)));
}

Result<int64_t> ByteReader::read(uint8_t *out, int64_t count) {
  return state_->gzip ? state_->inflateInto(out, count)
                      : state_->readFile(out, count);
}

} // namespace boostrt::data
