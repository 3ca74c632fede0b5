// ColorJitter.h - colours of an image, changed at random: torchvision's
// ColorJitter on Pillow's images, byte for byte.
//
// An image is bytes, channels first: red, green and blue, or grey alone. A
// factor f blends it with another one, from + f (x - from) in float, cut to 0
// to 255 and rounded down:
//   brightness  with black
//   contrast    with one grey, the mean of the grey image, rounded
//   saturation  with the grey image
// where the grey of a pixel is (19595 red + 38470 green + 7471 blue) / 65536,
// rounded. Hue is shifted in bytes of hue, saturation and value, which are
// rounded down; so an image loses a little even where the shift is 0. A grey
// image has neither saturation nor hue.
#pragma once

#include "runtime/data/Draw.h"

#include <array>
#include <optional>
#include <span>

namespace boostrt {

/// An image of one or three planes of bytes.
struct ColorPlanes {
  uint8_t *bytes = nullptr;
  int64_t channels = 0;
  int64_t area = 0; ///< pixels

  std::span<uint8_t> plane(int64_t channel) const {
    return all().subspan(static_cast<size_t>(channel * area),
                         static_cast<size_t>(area));
  }
  std::span<uint8_t> all() const {
    return {bytes, static_cast<size_t>(channels * area)};
  }
};

void adjustBrightness(const ColorPlanes &image, float factor);
void adjustContrast(const ColorPlanes &image, float factor);
void adjustSaturation(const ColorPlanes &image, float factor);
/// Adds `shift` to the byte of the hue; 256 is once around.
void adjustHue(const ColorPlanes &image, uint8_t shift);

/// Hue, saturation and value of red, green and blue, and back.
std::array<uint8_t, 3> toHsv(uint8_t red, uint8_t green, uint8_t blue);
std::array<uint8_t, 3> toRgb(uint8_t hue, uint8_t saturation, uint8_t value);

/// What color_jitter draws from; what has no range is left alone.
struct ColorJitter {
  std::optional<DrawRange> brightness, contrast, saturation; ///< of the factor
  std::optional<DrawRange> hue; ///< of the shift in turns, -0.5 to 0.5

  /// Changes the image as the draw says, in an order that it says, too.
  void apply(const ColorPlanes &image, const DrawKey &key, size_t place) const;
};

} // namespace boostrt
