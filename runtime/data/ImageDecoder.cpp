#include "runtime/data/ImageDecoder.h"

#include "runtime/support/File.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// Larger files hold no photograph.
constexpr uint64_t kMaxFile = uint64_t{1} << 28;
constexpr uint8_t kJpegStart[] = {0xff, 0xd8, 0xff};
constexpr uint8_t kPngStart[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

template <size_t N>
bool startsWith(const std::vector<uint8_t> &file, const uint8_t (&start)[N]) {
  return file.size() >= N && std::memcmp(file.data(), start, N) == 0;
}

/// How often both extents may be halved so that the window keeps as many pixels
/// as it is to have.
int getHalvings(const ImageRequest &request) {
  int halvings = 0;
  while (halvings < 3 &&
         request.window.height >> (halvings + 1) >= request.size.height &&
         request.window.width >> (halvings + 1) >= request.size.width)
    ++halvings;
  return halvings;
}

/// The pixels of a smaller image that a window of the whole one touches.
struct Span {
  int64_t begin, end;
  double offset, extent; ///< of the window, from `begin`
  Span(int64_t from, int64_t length, int64_t pixels, int halvings) {
    double scale = std::ldexp(1.0, -halvings);
    auto low = static_cast<double>(from) * scale;
    auto high = std::min(static_cast<double>(from + length) * scale,
                         static_cast<double>(pixels));
    begin = static_cast<int64_t>(std::floor(low));
    end = static_cast<int64_t>(std::ceil(high));
    offset = low - static_cast<double>(begin);
    extent = high - low;
  }
};

} // namespace

ImageDecoder::ImageDecoder(uint64_t maxBytes)
    : maxBytes_(maxBytes), jpeg_(makeJpegReader()), png_(makePngReader()) {}

Status ImageDecoder::fail(const std::string &text) const {
  return Status(ExitCode::Data,
                fmt::format("{}: {}; replace or remove the file", path_, text));
}

Result<ImageSize> ImageDecoder::open(const std::string &path) {
  path_ = path;
  std::unique_ptr<ReadableFile> file;
  if (IoError error = realFileSystem().open(path, file); !error.ok())
    return ioStatus(error, ExitCode::Data, "read", path);
  if (file->size() > std::min(kMaxFile, maxBytes_))
    return fail(
        fmt::format("found {} bytes, expected an image file of {} at most{}",
                    file->size(), std::min(kMaxFile, maxBytes_),
                    maxBytes_ < kMaxFile ? "; raise data.decode_memory" : ""));
  releaseIfLarge(file_);
  file_.resize(file->size());
  if (IoError error = file->read(0, file_); !error.ok())
    return ioStatus(error, ExitCode::Data, "read", path);
  if (startsWith(file_, kJpegStart))
    reader_ = jpeg_.get();
  else if (startsWith(file_, kPngStart))
    reader_ = png_.get();
  else
    return fail(fmt::format("found {}, expected a JPEG or PNG image",
                            file_.empty()
                                ? std::string("an empty file")
                                : fmt::format("a file of {} bytes that is "
                                              "neither",
                                              file_.size())));
  Result<ImageSize> size = reader_->open(file_);
  if (!size.ok())
    return fail(size.status().message());
  size_ = *size;
  if (size_.height < 1 || size_.width < 1 ||
      size_.height > kMaxImagePixels / size_.width)
    return fail(fmt::format("found an image of {}x{} pixels, expected 1 to {} "
                            "in all",
                            size_.height, size_.width, kMaxImagePixels));
  return size_;
}

Status ImageDecoder::read(const ImageRequest &request, uint8_t *out) {
  Status status = decode(request, out);
  return status.ok() ? status : fail(status.message());
}

Status ImageDecoder::checkBytes(const ImageRequest &request) const {
  const ImageWindow &window = request.window, &part = request.part;
  // Sums and a row of the part; weights of each pixel of the window and of the
  // part, for two axes.
  auto pixels = static_cast<uint64_t>(part.height * part.width);
  auto extents = static_cast<uint64_t>(window.height + window.width +
                                       part.height + part.width);
  uint64_t bytes = file_.size() + reader_->bytesToRead() +
                   3 * sizeof(int32_t) * pixels + 64 * extents;
  if (bytes <= maxBytes_)
    return {};
  return Status(
      ExitCode::Data,
      fmt::format("decoding its {}x{} pixels takes {} bytes, expected {} at "
                  "most on each worker; save it as a JPEG that is not "
                  "progressive, or as a PNG that is not interlaced, or raise "
                  "data.decode_memory",
                  size_.height, size_.width, bytes, maxBytes_));
}

Status ImageDecoder::decode(const ImageRequest &request, uint8_t *out) {
  BOOSTRT_RETURN_IF_ERROR(checkBytes(request));
  releaseIfLarge(sums_);
  Result<int> halvings = reader_->begin(getHalvings(request));
  if (!halvings.ok())
    return halvings.status();
  const ImageWindow &window = request.window, &part = request.part;
  assert(window.height > 0 && window.width > 0 &&
         window.top + window.height <= size_.height &&
         window.left + window.width <= size_.width && "a part of the image");
  int64_t height = halved(size_.height, *halvings);
  Span rows(window.top, window.height, height, *halvings);
  Span columns(window.left, window.width, halved(size_.width, *halvings),
               *halvings);
  rows_.set(rows.end - rows.begin, rows.offset, rows.extent,
            request.size.height, part.top, part.height);
  columns_.set(columns.end - columns.begin, columns.offset, columns.extent,
               request.size.width, part.left, part.width);

  size_t width = static_cast<size_t>(part.width) * 3;
  line_.resize(width);
  sums_.assign(width * static_cast<size_t>(part.height), ByteFilter::kHalf);
  int64_t first = rows_.output(0).low,
          last = rows_.output(part.height - 1).high();
  BOOSTRT_RETURN_IF_ERROR(reader_->skip(rows.begin + first));
  // Rows of the part that have not ended before this row of the image.
  int64_t open = 0;
  for (int64_t y = first; y < last; ++y) {
    Result<const uint8_t *> row = reader_->row();
    if (!row.ok())
      return row.status();
    const uint8_t *from = *row + columns.begin * 3;
    for (int64_t x = 0; x < part.width; ++x) {
      const ByteFilter::Output &output = columns_.output(x);
      const int32_t *weight = columns_.weights() + output.begin;
      const uint8_t *pixel = from + output.low * 3;
      int32_t sum[3] = {ByteFilter::kHalf, ByteFilter::kHalf,
                        ByteFilter::kHalf};
      for (size_t i = output.begin; i < output.end; ++i, ++weight, pixel += 3)
        for (int c = 0; c < 3; ++c)
          sum[c] += *weight * pixel[c];
      for (int c = 0; c < 3; ++c)
        line_[static_cast<size_t>(x) * 3 + static_cast<size_t>(c)] =
            ByteFilter::toByte(sum[c]);
    }
    while (rows_.output(open).high() <= y)
      ++open;
    for (int64_t i = open; i < part.height && rows_.output(i).low <= y; ++i) {
      const ByteFilter::Output &output = rows_.output(i);
      if (y >= output.high())
        continue;
      int32_t weight =
          rows_.weights()[output.begin + static_cast<size_t>(y - output.low)];
      int32_t *sums = sums_.data() + static_cast<size_t>(i) * width;
      for (size_t x = 0; x < width; ++x)
        sums[x] += weight * line_[x];
    }
  }
  // The rest of the file is as much a part of it.
  BOOSTRT_RETURN_IF_ERROR(reader_->end());
  size_t area = static_cast<size_t>(part.height * part.width);
  for (size_t i = 0; i < area; ++i)
    for (size_t c = 0; c < 3; ++c)
      out[c * area + i] = ByteFilter::toByte(sums_[i * 3 + c]);
  return {};
}

} // namespace boostrt
