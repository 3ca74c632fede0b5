// DataFiles.h - what the tests of all loaders need: packed files, and what a
// loader says of a directory it refuses.
#pragma once

#include "runtime/data/Dataset.h"
#include "test/runtime/support/Files.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <cassert>
#include <string>
#include <zlib.h>

namespace boostrt {

/// One gzip member.
inline std::string gzip(const std::string &bytes) {
  z_stream stream = {};
  int code = deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8,
                          Z_DEFAULT_STRATEGY);
  assert(code == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  code = deflate(&stream, Z_FINISH);
  assert(code == Z_STREAM_END);
  (void)code;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// What a source that must be refused says; as an error of the data.
inline std::string errorOf(const Result<DataSource> &source) {
  EXPECT_FALSE(source.ok());
  if (source.ok())
    return "";
  EXPECT_EQ(source.status().code(), ExitCode::Data);
  return source.status().message();
}

/// The source that a text names.
inline Result<DataSource> openData(const std::string &text,
                                   HeldOut heldOut = HeldOut::Required) {
  Result<DataSpec> spec = splitDataSpec(text);
  return spec.ok() ? openDataSource(*spec, heldOut) : spec.status();
}

} // namespace boostrt
