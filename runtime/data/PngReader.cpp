// PngReader.cpp - PNG by libpng, which leaves a function that fails by longjmp;
// see JpegReader.cpp.

#include "runtime/data/ImageReader.h"

#include <csetjmp>
#include <cstring>
#include <png.h>
#include <vector>

namespace boostrt {
namespace {

/// Bytes of the profile and of another chunk that libpng may keep.
constexpr png_alloc_size_t kMaxChunk = 4 << 20;
constexpr uint64_t kChunks = 2 * kMaxChunk;
/// Bytes of zlib's window and of libpng's tables.
constexpr uint64_t kTables = 256 << 10;
/// Bytes of a pixel in the rows that libpng has: two as they are in the file,
/// and one that is converted.
constexpr uint64_t kRowBytes = 3 * 8;

class PngReader final : public ImageReader {
public:
  ~PngReader() override { close(); }

  Result<ImageSize> open(std::span<const uint8_t> file) override {
    close();
    left_ = file;
    if (!readHeader())
      return broken();
    return ImageSize{png_get_image_height(png_, info_),
                     png_get_image_width(png_, info_)};
  }

  uint64_t bytesToRead() const override {
    uint64_t width = png_get_image_width(png_, info_),
             height = png_get_image_height(png_, info_);
    bool isInterlaced =
        png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
    uint64_t kept =
        isInterlaced ? height * (3 * width + sizeof(png_bytep)) : 3 * width;
    return kTables + kChunks + kRowBytes * width + kept;
  }

  Result<int> begin(int) override {
    int passes = 0;
    if (!startDecoding(passes))
      return broken();
    size_t bytes = png_get_rowbytes(png_, info_);
    size_t height = passes > 1 ? png_get_image_height(png_, info_) : 1;
    pixels_.resize(bytes * height);
    rows_.clear();
    next_ = 0;
    height_ = png_get_image_height(png_, info_);
    if (passes == 1)
      return 0;
    for (size_t y = 0; y < height; ++y)
      rows_.push_back(pixels_.data() + y * bytes);
    if (!readImage())
      return broken();
    return 0;
  }

  Result<const uint8_t *> row() override {
    if (!rows_.empty())
      return rows_[next_++];
    BOOSTRT_RETURN_IF_ERROR(skip(1));
    return pixels_.data();
  }

  Status skip(int64_t rows) override {
    if (rows_.empty())
      for (int64_t i = 0; i < rows; ++i)
        if (!readRow())
          return broken();
    next_ += static_cast<size_t>(rows);
    return {};
  }

  /// Reads the other rows too, so that an image which ends too early is bad
  /// whatever part of it is wanted.
  Status end() override {
    BOOSTRT_RETURN_IF_ERROR(skip(static_cast<int64_t>(height_ - next_)));
    close();
    return {};
  }

private:
  static void read(png_structp png, png_bytep to, size_t bytes) {
    auto *self = static_cast<PngReader *>(png_get_io_ptr(png));
    if (bytes > self->left_.size())
      png_error(png, "the image ends too early");
    std::memcpy(to, self->left_.data(), bytes);
    self->left_ = self->left_.subspan(bytes);
  }

  static void fail(png_structp png, png_const_charp text) {
    auto *self = static_cast<PngReader *>(png_get_error_ptr(png));
    std::strncpy(self->text_, text, sizeof self->text_ - 1);
    std::longjmp(self->failed_, 1);
  }

  bool readHeader() {
    if (setjmp(failed_))
      return false;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail,
                                  [](png_structp, png_const_charp) {});
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_)
      return false;
    png_set_read_fn(png_, this, read);
    png_set_chunk_malloc_max(png_, kMaxChunk);
    png_set_chunk_cache_max(png_, 1);
    png_read_info(png_, info_);
    return true;
  }

  /// Three channels of 8 bits, whatever the file has.
  bool startDecoding(int &passes) {
    if (setjmp(failed_))
      return false;
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_strip_alpha(png_);
    passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return png_get_channels(png_, info_) == 3;
  }
  bool readRow() {
    if (setjmp(failed_))
      return false;
    png_read_row(png_, pixels_.data(), nullptr);
    return true;
  }
  bool readImage() {
    if (setjmp(failed_))
      return false;
    png_read_image(png_, rows_.data());
    return true;
  }

  Status broken() {
    std::string text = text_[0] ? text_ : "no memory for the image";
    text_[0] = 0;
    close();
    return Status(ExitCode::Data, text);
  }

  void close() {
    // Large images are rare, and what they take is not kept for all others.
    releaseIfLarge(pixels_);
    releaseIfLarge(rows_);
    if (png_)
      png_destroy_read_struct(&png_, &info_, nullptr);
    png_ = nullptr;
    info_ = nullptr;
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf failed_;
  char text_[128] = {};
  std::span<const uint8_t> left_;
  std::vector<uint8_t> pixels_; ///< a row, or all of an interlaced image
  std::vector<png_bytep> rows_; ///< of an interlaced image
  size_t height_ = 0;
  size_t next_ = 0; ///< row
};

} // namespace

std::unique_ptr<ImageReader> makePngReader() {
  return std::make_unique<PngReader>();
}

} // namespace boostrt
