// JpegReader.cpp - JPEG by libjpeg-turbo.
//
// libjpeg leaves a function that fails by longjmp. Every call of it is in a
// function that has set the jump, and between the two no C++ object lives that
// would have to be destroyed.

#include "runtime/data/ImageReader.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <fmt/format.h>
#include <vector>

#include <jpeglib.h>

namespace boostrt {

ImageReader::~ImageReader() = default;

namespace {

/// Bytes of libjpeg's tables and of all its rows that do not depend on the
/// width; and rows that it has of each channel, by the highest sampling factor:
/// in and out of the conversions, and those around them.
constexpr uint64_t kTables = 256 << 10;
constexpr uint64_t kRows = 4 * DCTSIZE;
/// How far from its end a file has the marker that ends an image, else it is
/// read to its end.
constexpr size_t kTail = 4096;

class JpegReader final : public ImageReader {
public:
  JpegReader() {
    decoder_.err = jpeg_std_error(&errors_);
    errors_.error_exit = [](j_common_ptr common) {
      auto *self = static_cast<JpegReader *>(common->client_data);
      common->err->format_message(common, self->text_);
      std::longjmp(self->failed_, 1);
    };
    errors_.emit_message = [](j_common_ptr, int) {};
    errors_.output_message = [](j_common_ptr) {};
    jpeg_create_decompress(&decoder_); // leaves client_data zero
    decoder_.client_data = this;
    source_.init_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = fillInput;
    source_.skip_input_data = [](j_decompress_ptr decoder, long bytes) {
      if (bytes <= 0)
        return;
      if (static_cast<size_t>(bytes) > decoder->src->bytes_in_buffer) {
        fillInput(decoder);
        return;
      }
      decoder->src->next_input_byte += bytes;
      decoder->src->bytes_in_buffer -= static_cast<size_t>(bytes);
    };
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = [](j_decompress_ptr) {};
    decoder_.src = &source_;
  }
  ~JpegReader() override { jpeg_destroy_decompress(&decoder_); }

  Result<ImageSize> open(std::span<const uint8_t> file) override {
    jpeg_abort_decompress(&decoder_);
    file_ = file;
    isAtEnd_ = false;
    source_.next_input_byte = file.data();
    source_.bytes_in_buffer = file.size();
    if (!readHeader())
      return broken();
    ImageSize size{decoder_.image_height, decoder_.image_width};
    if (decoder_.num_components != 1 && decoder_.num_components != 3 &&
        decoder_.num_components != 4)
      return Status(ExitCode::Data,
                    fmt::format("found {} colour channels, expected 1, 3 or 4",
                                decoder_.num_components));
    return size;
  }

  uint64_t bytesToRead() const override {
    auto channels = static_cast<uint64_t>(decoder_.num_components);
    uint64_t bytes =
        kTables + kRows * static_cast<uint64_t>(decoder_.max_v_samp_factor) *
                      (decoder_.image_width + DCTSIZE) * channels;
    if (!hasManyScans_)
      return bytes;
    // All coefficients, of whole blocks.
    auto blocks = [](JDIMENSION blocks, int factor) {
      auto multiple = static_cast<uint64_t>(factor);
      return (blocks + multiple - 1) / multiple * multiple;
    };
    for (uint64_t i = 0; i < channels; ++i) {
      const jpeg_component_info &channel = decoder_.comp_info[i];
      bytes += blocks(channel.width_in_blocks, channel.h_samp_factor) *
               blocks(channel.height_in_blocks, channel.v_samp_factor) *
               sizeof(JBLOCK);
    }
    return bytes;
  }

  Result<int> begin(int halvings) override {
    halvings = std::clamp(halvings, 0, 3);
    decoder_.scale_num = 1;
    decoder_.scale_denom = 1u << halvings;
    decoder_.out_color_space =
        decoder_.num_components == 4 ? JCS_CMYK : JCS_RGB;
    decoder_.dct_method = JDCT_ISLOW;
    if (!startDecoding())
      return broken();
    row_.resize(size_t{decoder_.output_width} *
                static_cast<size_t>(decoder_.output_components));
    return halvings;
  }

  Result<const uint8_t *> row() override {
    if (!readRow() || isAtEnd_)
      return broken();
    if (decoder_.num_components == 4)
      convertRow();
    return row_.data();
  }

  Status skip(int64_t rows) override {
    if (rows > 0 && (!skipRows(static_cast<JDIMENSION>(rows)) || isAtEnd_))
      return broken();
    return {};
  }

  Status end() override {
    std::span<const uint8_t> tail = file_.last(std::min(kTail, file_.size()));
    constexpr uint8_t kEnd[] = {0xff, JPEG_EOI};
    Status status;
    if (std::ranges::search(tail, kEnd).empty())
      status = skip(decoder_.output_height - decoder_.output_scanline);
    jpeg_abort_decompress(&decoder_);
    return status;
  }

private:
  /// At the end of the file: what ends an image, so that the decoder comes to
  /// its end as well.
  static boolean fillInput(j_decompress_ptr decoder) {
    static constexpr JOCTET kEnd[] = {0xff, JPEG_EOI};
    static_cast<JpegReader *>(decoder->client_data)->isAtEnd_ = true;
    decoder->src->next_input_byte = kEnd;
    decoder->src->bytes_in_buffer = std::size(kEnd);
    return TRUE;
  }

  bool readHeader() {
    if (setjmp(failed_))
      return false;
    if (jpeg_read_header(&decoder_, TRUE) != JPEG_HEADER_OK)
      return false;
    hasManyScans_ = jpeg_has_multiple_scans(&decoder_) != FALSE;
    return true;
  }
  bool startDecoding() {
    if (setjmp(failed_))
      return false;
    return jpeg_start_decompress(&decoder_) != FALSE;
  }
  bool readRow() {
    if (setjmp(failed_))
      return false;
    JSAMPROW row = row_.data();
    return jpeg_read_scanlines(&decoder_, &row, 1) == 1;
  }
  bool skipRows(JDIMENSION rows) {
    if (setjmp(failed_))
      return false;
    return jpeg_skip_scanlines(&decoder_, rows) == rows;
  }

  /// CMYK as Adobe's programs store it, where 0 is all ink.
  void convertRow() {
    const uint8_t *from = row_.data();
    uint8_t *to = row_.data();
    for (JDIMENSION x = 0; x < decoder_.output_width; ++x, from += 4) {
      int light = from[3];
      for (int c = 0; c < 3; ++c) {
        int taken = (255 - from[c]) * light + 128;
        *to++ = static_cast<uint8_t>(light - ((taken + (taken >> 8)) >> 8));
      }
    }
  }

  Status broken() {
    std::string text = isAtEnd_ || text_[0] == 0
                           ? std::string("the image ends too early")
                           : std::string(text_);
    text_[0] = 0;
    jpeg_abort_decompress(&decoder_);
    return Status(ExitCode::Data, text);
  }

  jpeg_decompress_struct decoder_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  std::jmp_buf failed_;
  char text_[JMSG_LENGTH_MAX] = {};
  std::span<const uint8_t> file_;
  std::vector<uint8_t> row_;
  bool hasManyScans_ = false;
  bool isAtEnd_ = false; ///< of the file, before that of the image
};

} // namespace

std::unique_ptr<ImageReader> makeJpegReader() {
  return std::make_unique<JpegReader>();
}

} // namespace boostrt
