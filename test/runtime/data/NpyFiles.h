// NpyFiles.h - NumPy's array files, for the tests that write them.
#pragma once

#include "runtime/data/Npy.h"
#include "test/runtime/data/DataFiles.h"

#include <string>
#include <vector>

namespace boostrt {

/// An array file with this text as its header, padded as NumPy pads it.
inline std::string npyOf(std::string header, const std::string &elements,
                         int major = 1) {
  size_t fixed = major == 1 ? 10 : 12;
  while ((fixed + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (size_t i = 0; i < fixed - 8; ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  return file + header + elements;
}

inline std::string npy(const std::string &descr, const std::string &shape,
                       const std::string &elements, int major = 1) {
  return npyOf("{'descr': '" + descr +
                   "', 'fortran_order': False, 'shape': " + shape + ", }",
               elements, major);
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

/// A directory of array files, for tests that write and open it.
class NpyDirectory : public testing::Test {
protected:
  std::string path(const std::string &name) const {
    return directory / name + ".npy";
  }
  void write(const std::string &name, const std::string &bytes) {
    writeFile(path(name), bytes);
  }
  /// What is said of the directory as it is.
  std::string error() const {
    return boostrt::errorOf(openNpy(directory.path()));
  }
  /// What is said of it with these bytes as file `name`.
  std::string errorOf(const std::string &name, const std::string &bytes) {
    write(name, bytes);
    return error();
  }

  TemporaryDirectory directory;
};

} // namespace boostrt
