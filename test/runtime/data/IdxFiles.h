// IdxFiles.h - writes small data sets in the files of MNIST, intact or not.
#pragma once

#include "test/runtime/data/DataFiles.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

/// Four files of a tiny set: 3 train and 2 test images of 2 x 3.
struct TinyMnist {
  std::string trainImages = idx({3, 2, 3}, "abcdefghijklmnopqr");
  std::string trainLabels = idx({3}, {7, 0, 9});
  std::string testImages = idx({2, 2, 3}, "ABCDEFGHIJKL");
  std::string testLabels = idx({2}, {1, 2});

  /// Under other names: of training images, training labels, test images and
  /// test labels. What ends in ".gz" is packed.
  void writeAs(const std::string &directory,
               const std::array<const char *, 4> &names) const {
    const std::string *files[] = {&trainImages, &trainLabels, &testImages,
                                  &testLabels};
    for (size_t i = 0; i < names.size(); ++i) {
      std::string name = names[i];
      writeFile(directory + "/" + name,
                name.ends_with(".gz") ? gzip(*files[i]) : *files[i]);
    }
  }
  void write(const std::string &directory) const {
    writeAs(directory, {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"});
  }
};

} // namespace boostrt
