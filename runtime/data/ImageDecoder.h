// ImageDecoder.h - a part of an image file, in a given size.
//
// Rows are read, resized and added up one by one, so that memory depends on the
// size that is wanted and on the width of the image, not on its height. An
// image that is much larger than what is wanted is decoded at a half, a quarter
// or an eighth of its size, as long as no pixel has to be made up. What a
// decoder takes for its file, for reading, and for sums has a bound: an image
// that would take more is a bad one.
#pragma once

#include "runtime/data/ByteFilter.h"
#include "runtime/data/DataLimits.h"
#include "runtime/data/ImageReader.h"
#include "runtime/data/Resample.h"

#include <string>

namespace boostrt {

/// What is wanted of an image.
struct ImageRequest {
  ImageWindow window; ///< of the image
  ImageSize size;     ///< which the window gets
  ImageWindow part;   ///< of that, which is kept
};

/// For one thread.
class ImageDecoder {
public:
  explicit ImageDecoder(uint64_t maxBytes = kDecodingBytes);

  /// Reads `path` and the header of the image in it. Fails, as read() does,
  /// with ExitCode::Data and a message that names the file.
  Result<ImageSize> open(const std::string &path);

  /// Writes the part to `out`, channels first: 3 x part.height x part.width
  /// bytes. Once after open().
  Status read(const ImageRequest &request, uint8_t *out);

private:
  Status fail(const std::string &text) const;
  Status decode(const ImageRequest &request, uint8_t *out);
  /// Fails where the image takes more than the bound.
  Status checkBytes(const ImageRequest &request) const;

  const uint64_t maxBytes_;
  std::unique_ptr<ImageReader> jpeg_, png_;
  ImageReader *reader_ = nullptr; ///< of the file that is open
  std::string path_;
  ImageSize size_;
  std::vector<uint8_t> file_;
  ByteFilter rows_, columns_;
  std::vector<uint8_t> line_; ///< a row, resized
  std::vector<int32_t> sums_; ///< of the part's rows
};

} // namespace boostrt
