#include "runtime/data/ColorJitter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace boostrt {
namespace {

constexpr int64_t kColours = 3;

/// `byte` at a factor of 1, `from` at 0.
uint8_t blend(int from, int byte, float factor) {
  float value =
      static_cast<float>(from) + factor * static_cast<float>(byte - from);
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f));
}

uint8_t greyOf(uint32_t red, uint32_t green, uint32_t blue) {
  return static_cast<uint8_t>(
      (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
}

/// Blends every pixel with one grey.
void blendWith(int grey, const ColorPlanes &image, float factor) {
  std::array<uint8_t, 256> table;
  for (int byte = 0; byte < 256; ++byte)
    table[static_cast<size_t>(byte)] = blend(grey, byte, factor);
  for (uint8_t &byte : image.all())
    byte = table[byte];
}

/// The mean of the grey image, rounded.
int meanGrey(const ColorPlanes &image) {
  uint64_t sum = 0;
  if (image.channels == kColours) {
    std::span<uint8_t> red = image.plane(0), green = image.plane(1),
                       blue = image.plane(2);
    for (size_t i = 0; i < red.size(); ++i)
      sum += greyOf(red[i], green[i], blue[i]);
  } else {
    for (uint8_t byte : image.all())
      sum += byte;
  }
  return static_cast<int>(
      static_cast<double>(sum) / static_cast<double>(image.area) + 0.5);
}

} // namespace

void adjustBrightness(const ColorPlanes &image, float factor) {
  blendWith(0, image, factor);
}

void adjustContrast(const ColorPlanes &image, float factor) {
  blendWith(meanGrey(image), image, factor);
}

void adjustSaturation(const ColorPlanes &image, float factor) {
  if (image.channels != kColours)
    return;
  std::span<uint8_t> red = image.plane(0), green = image.plane(1),
                     blue = image.plane(2);
  for (size_t i = 0; i < red.size(); ++i) {
    int grey = greyOf(red[i], green[i], blue[i]);
    red[i] = blend(grey, red[i], factor);
    green[i] = blend(grey, green[i], factor);
    blue[i] = blend(grey, blue[i], factor);
  }
}

void adjustHue(const ColorPlanes &image, uint8_t shift) {
  if (image.channels != kColours)
    return;
  std::span<uint8_t> red = image.plane(0), green = image.plane(1),
                     blue = image.plane(2);
  for (size_t i = 0; i < red.size(); ++i) {
    auto [hue, saturation, value] = toHsv(red[i], green[i], blue[i]);
    auto rgb = toRgb(static_cast<uint8_t>(hue + shift), saturation, value);
    red[i] = rgb[0];
    green[i] = rgb[1];
    blue[i] = rgb[2];
  }
}

// Which of these numbers are float and which double decides bits.
std::array<uint8_t, 3> toHsv(uint8_t red, uint8_t green, uint8_t blue) {
  auto [low, high] = std::minmax({red, green, blue});
  if (low == high)
    return {0, 0, high};
  auto range = static_cast<float>(high - low);
  auto below = [&](uint8_t colour) {
    return static_cast<float>(high - colour) / range;
  };
  float sixths; // of a turn
  if (red == high)
    sixths = below(blue) - below(green);
  else if (green == high)
    sixths = static_cast<float>(2.0 + below(red) - below(blue));
  else
    sixths = static_cast<float>(4.0 + below(green) - below(red));
  auto turn = static_cast<float>(std::fmod(sixths / 6.0 + 1.0, 1.0));
  float saturation = range / static_cast<float>(high);
  return {static_cast<uint8_t>(turn * 255.0),
          static_cast<uint8_t>(saturation * 255.0), high};
}

std::array<uint8_t, 3> toRgb(uint8_t hue, uint8_t saturation, uint8_t value) {
  if (saturation == 0)
    return {value, value, value};
  auto sixths = static_cast<float>(hue * 6.0 / 255.0);
  auto share = static_cast<float>(saturation / 255.0);
  auto whole = static_cast<int>(sixths);
  float rest = sixths - static_cast<float>(whole);
  auto scaled = [&](double by) {
    return static_cast<uint8_t>(std::round(static_cast<float>(value * by)));
  };
  uint8_t least = scaled(1.0 - share), falling = scaled(1.0 - share * rest),
          rising = scaled(1.0 - share * (1.0 - rest));
  switch (whole % 6) {
  case 0:
    return {value, rising, least};
  case 1:
    return {falling, value, least};
  case 2:
    return {least, value, rising};
  case 3:
    return {least, falling, value};
  case 4:
    return {rising, least, value};
  default:
    return {value, least, falling};
  }
}

void ColorJitter::apply(const ColorPlanes &image, const DrawKey &key,
                        size_t place) const {
  BoostRandomBlock draw = randomBits(key, place);
  auto factor = [&](DrawRange range, int word) {
    return static_cast<float>(between(range, draw.word[word]));
  };
  // One of the 24 orders: the first of four, then of three, then of two.
  std::array<int, 4> order = {0, 1, 2, 3};
  auto code = below(24, randomBits(key, place, 1).word[0]);
  for (int64_t i = 0; i < 3; ++i) {
    int64_t left = 4 - i;
    std::rotate(order.begin() + i, order.begin() + i + code % left,
                order.begin() + i + code % left + 1);
    code /= left;
  }
  for (int step : order) {
    if (step == 0 && brightness)
      adjustBrightness(image, factor(*brightness, 0));
    if (step == 1 && contrast)
      adjustContrast(image, factor(*contrast, 1));
    if (step == 2 && saturation)
      adjustSaturation(image, factor(*saturation, 2));
    if (step == 3 && hue)
      // Towards 0, and once around.
      adjustHue(image, static_cast<uint8_t>(static_cast<int>(
                           between(*hue, draw.word[3]) * 255)));
  }
}

} // namespace boostrt
