// IdxFiles.h - writes small data sets in the files of MNIST, intact or not.
#pragma once

#include "test/runtime/support/TemporaryDirectory.h"

#include <cassert>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

namespace boostrt {

/// An IDX file: header for `dimensions`, then `elements`.
inline std::string idx(const std::vector<uint32_t> &dimensions,
                       const std::string &elements, char type = 0x08) {
  std::string file = {0, 0, type, static_cast<char>(dimensions.size())};
  for (uint32_t extent : dimensions)
    for (int shift = 24; shift >= 0; shift -= 8)
      file += static_cast<char>(extent >> shift);
  return file + elements;
}

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

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good()) << path;
}

/// Four files of a tiny set: 3 train and 2 test images of 2 x 3.
struct TinyMnist {
  std::string trainImages = idx({3, 2, 3}, "abcdefghijklmnopqr");
  std::string trainLabels = idx({3}, {7, 0, 9});
  std::string testImages = idx({2, 2, 3}, "ABCDEFGHIJKL");
  std::string testLabels = idx({2}, {1, 2});

  void write(const std::string &directory) const {
    writeFile(directory + "/train-images-idx3-ubyte", trainImages);
    writeFile(directory + "/train-labels-idx1-ubyte", trainLabels);
    writeFile(directory + "/t10k-images-idx3-ubyte", testImages);
    writeFile(directory + "/t10k-labels-idx1-ubyte", testLabels);
  }
};

} // namespace boostrt
