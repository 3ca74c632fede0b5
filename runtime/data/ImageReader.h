// ImageReader.h - rows of images in files: JPEG and PNG, as red, green and blue
// bytes.
//
// Grey images have three equal channels, CMYK is converted without a profile, a
// palette or 16 bits become 8 bits a channel, and opacity is left out. A
// rotation that EXIF data ask for is not done, as torchvision and TensorFlow
// leave it. What is corrupt is read as far as it goes, where the libraries only
// warn; what ends too early is an error.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace boostrt {

/// Extents in pixels.
struct ImageSize {
  int64_t height = 0, width = 0;
  bool operator==(const ImageSize &) const = default;
};

/// Images of more pixels are refused, whatever their files hold.
constexpr int64_t kMaxImagePixels = 178'956'970;

/// One image after the other; for one thread. Every function fails with
/// ExitCode::Data and what is wrong with the file, which the caller names. A
/// failure ends the image, and the reader is good for the next one.
class ImageReader {
public:
  virtual ~ImageReader();

  /// Reads the header. `file` stays valid and unchanged while rows are read.
  virtual Result<ImageSize> open(std::span<const uint8_t> file) = 0;

  /// Bytes that reading the rows takes at most, after open(): of a progressive
  /// JPEG or an interlaced PNG those of the whole image.
  virtual uint64_t bytesToRead() const = 0;

  /// Begins with the rows, of a smaller image where the format has one at no
  /// cost and `halvings` says that 2, 4 or 8 pixels may become one. Returns how
  /// often both extents were halved, rounded up.
  virtual Result<int> begin(int halvings) = 0;

  /// The next row: width x 3 bytes, valid until the next call.
  virtual Result<const uint8_t *> row() = 0;
  /// Passes over rows, at less than the cost of reading them.
  virtual Status skip(int64_t rows) = 0;

  /// Ends the image before its last row. Fails where the file ends too early.
  virtual Status end() = 0;
};

/// Ends the memory of an image that has much, so that bounds of one image are
/// those of all.
template <typename T> void releaseIfLarge(std::vector<T> &memory) {
  if (memory.capacity() > (size_t{1} << 20))
    std::vector<T>().swap(memory);
}

std::unique_ptr<ImageReader> makeJpegReader();
std::unique_ptr<ImageReader> makePngReader();

/// `extent` after `halvings`.
constexpr int64_t halved(int64_t extent, int halvings) {
  return (extent + (int64_t{1} << halvings) - 1) >> halvings;
}

} // namespace boostrt
