// Inflate.h - a file as a stream of bytes, unpacked on the way when it is gzip
// or xz. Private to this room.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <string>

namespace boostrt::data {

enum class Packing { None, Gzip, Xz };

class ByteReader {
public:
  /// Opens a regular file (a pipe or device is refused without waiting on it).
  static Result<std::unique_ptr<ByteReader>> open(const std::string &path);
  ~ByteReader();
  ByteReader(const ByteReader &) = delete;
  ByteReader &operator=(const ByteReader &) = delete;

  /// What the content is packed as, whatever the name says.
  Packing packing() const;
  /// Bytes on disk.
  int64_t fileBytes() const;

  /// Fills `out` with the next `count` bytes, or fewer at the end; returns how
  /// many. At the end of a packed file its checksums and length have been
  /// verified, and that nothing but further members of the same kind follows.
  /// Fails with ExitCode::Data.
  Result<int64_t> read(uint8_t *out, int64_t count);

private:
  struct State;
  explicit ByteReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace boostrt::data
