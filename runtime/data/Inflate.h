// Inflate.h - a file as a stream of bytes, unpacked on the way when it is gzip.
// Private to this room.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <string>

namespace boostrt::data {

class ByteReader {
public:
  /// Opens a regular file (a pipe or device is refused without waiting on it).
  static Result<std::unique_ptr<ByteReader>> open(const std::string &path);
  ~ByteReader();
  ByteReader(const ByteReader &) = delete;
  ByteReader &operator=(const ByteReader &) = delete;

  /// Whether the content is gzip; then all errors below are possible.
  bool compressed() const;
  /// Bytes on disk.
  int64_t fileBytes() const;

  /// Fills `out` with the next `count` bytes, or fewer at the end; returns how
  /// many. At the end of a gzip stream its checksum and length have been
  /// verified, and that nothing but further gzip members follows. Fails with
  /// ExitCode::Data.
  Result<int64_t> read(uint8_t *out, int64_t count);

private:
  struct State;
  explicit ByteReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace boostrt::data
