// JpegWriter.h - bytes of an image as a JPEG file. Private to this room.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace boostrt {

/// The file of [height, width, 3] bytes, red first: baseline, colours at half
/// the resolution, quality 90. Both sides are 1 to 65500. Fails with
/// ExitCode::Internal where libjpeg does.
Result<std::string> encodeJpeg(int64_t height, int64_t width,
                               std::span<const uint8_t> pixels);

} // namespace boostrt
