// Patterns.h - photographs' stand-ins: coloured stripes whose class is their
// direction and hue, in a directory of JPEG files.
//
// An image is a function of (seed, split, class, number): its size, the width
// and the phase of its stripes, the colour between them and its noise are
// drawn; direction and hue are those of the class. Integers alone are computed
// with, so that pixels are the same on every machine.
#pragma once

#include "runtime/support/File.h"

#include <cstdint>
#include <vector>

namespace boostrt {

struct PatternOptions {
  int64_t classes = 10; ///< 2 to 1000
  int64_t train = 100;  ///< images of each class; 1 or more
  int64_t heldOut = 20; ///< likewise
  int64_t size =
      96; ///< pixels of a side, 16 to 4096, by a quarter more or less
  uint64_t seed = 1;
};

struct PatternImage {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels; ///< [height, width, 3], red first
};

/// Image `number` of a class; held-out images are others than those of the same
/// numbers that are trained on.
PatternImage drawPattern(const PatternOptions &options, bool isHeldOut,
                         int64_t label, int64_t number);

/// Writes train/ and val/ with a directory of JPEG files for each class, as
/// ImageFolder.h reads them, into `directory`, which is new or empty. Fails
/// with ExitCode::Usage; what was written until then stays.
Status writePatterns(FileSystem &files, const std::string &directory,
                     const PatternOptions &options);

} // namespace boostrt
