#include "runtime/data/JpegWriter.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

namespace boostrt {
namespace {

constexpr int kQuality = 90;

/// libjpeg leaves a function that fails by longjmp; see JpegReader.cpp.
struct Encoder {
  jpeg_compress_struct state = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf failed;
  char text[JMSG_LENGTH_MAX] = {};
  unsigned char *file = nullptr;
  unsigned long bytes = 0;

  Encoder() {
    state.err = jpeg_std_error(&errors);
    errors.error_exit = [](j_common_ptr common) {
      auto *self = static_cast<Encoder *>(common->client_data);
      common->err->format_message(common, self->text);
      std::longjmp(self->failed, 1);
    };
    jpeg_create_compress(&state);
    state.client_data = this;
  }
  ~Encoder() {
    jpeg_destroy_compress(&state);
    std::free(file);
  }

  bool encode(int64_t height, int64_t width, const uint8_t *pixels) {
    if (setjmp(failed))
      return false;
    jpeg_mem_dest(&state, &file, &bytes);
    state.image_height = static_cast<JDIMENSION>(height);
    state.image_width = static_cast<JDIMENSION>(width);
    state.input_components = 3;
    state.in_color_space = JCS_RGB;
    jpeg_set_defaults(&state);
    jpeg_set_quality(&state, kQuality, TRUE);
    jpeg_start_compress(&state, TRUE);
    while (state.next_scanline < state.image_height) {
      // libjpeg does not write to what it takes as not constant.
      auto *row = const_cast<uint8_t *>(pixels) +
                  static_cast<size_t>(state.next_scanline) *
                      static_cast<size_t>(width) * 3;
      jpeg_write_scanlines(&state, &row, 1);
    }
    jpeg_finish_compress(&state);
    return true;
  }
};

} // namespace

Result<std::string> encodeJpeg(int64_t height, int64_t width,
                               std::span<const uint8_t> pixels) {
  Encoder encoder;
  if (!encoder.encode(height, width, pixels.data()))
    return Status(ExitCode::Internal,
                  std::string("an image cannot be encoded: ") + encoder.text);
  return std::string(reinterpret_cast<const char *>(encoder.file),
                     encoder.bytes);
}

} // namespace boostrt
