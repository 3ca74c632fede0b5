#include "runtime/data/Digits.h"
#include "runtime/abi/boost_random.h"
#include "runtime/data/DigitStrokes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace boostrt {

namespace {

// Fixed point: a pixel is 32 units of the pen, 256 units of a position.
constexpr int32_t kPixel = 256;
constexpr int32_t kPenPixel = 32;
// A spline parameter of 1, and a sine or scale of 1.
constexpr int32_t kOne = 4096;

/// The numbers of one sample, in order: block b of sample i is Philox with
/// counter i << 16 | b.
class Draws {
public:
  Draws(uint64_t seed, DigitsSplit split, int64_t index)
      : seed_(seed),
        stream_(boost_random_stream(
            split == DigitsSplit::Train ? "digits.train" : "digits.test")),
        counter_(static_cast<uint64_t>(index) << 16) {}

  uint32_t word() {
    if (used_ == 4) {
      block_ = boost_random_block(seed_, stream_, counter_++);
      used_ = 0;
    }
    return block_.word[used_++];
  }

  /// Uniform in [low, high].
  int32_t between(int32_t low, int32_t high) {
    uint64_t width = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int32_t>(word() * width >> 32);
  }

  /// Around 0 with bell shape, within [-reach, reach]: the mean of two uniform
  /// numbers.
  int32_t around(int32_t reach) {
    return (between(-reach, reach) + between(-reach, reach)) / 2;
  }

  bool chance(int32_t percent) { return between(1, 100) <= percent; }

private:
  uint64_t seed_, stream_, counter_;
  BoostRandomBlock block_ = {};
  int used_ = 4;
};

struct Point {
  int32_t x, y; ///< 1/256 pixel
};

/// Ink around a point of the path by squared distance in pen units, for one
/// radius: full inside, falling to nothing over one pixel.
class Pen {
public:
  static constexpr int kReach = 4 * kPenPixel; ///< radius + 1/2 pixel at most

  explicit Pen(int32_t radius) : radius_(radius) {}

  int32_t radius() const { return radius_; }
  int32_t ink(int32_t squaredDistance) const {
    return std::clamp((radius_ + kPenPixel / 2 - root(squaredDistance)) * 8, 0,
                      255);
  }

private:
  static int32_t root(int32_t square) {
    static constexpr auto kRoots = [] {
      std::array<uint8_t, kReach * kReach> roots = {};
      for (int root = 0; root < kReach; ++root)
        for (int i = root * root; i < (root + 1) * (root + 1); ++i)
          roots[i] = static_cast<uint8_t>(root);
      return roots;
    }();
    return square < kReach * kReach ? kRoots[square] : kReach;
  }

  int32_t radius_;
};

/// The sheet under the pen. Strokes darken it, they never add up.
class Sheet {
public:
  explicit Sheet(uint8_t *pixels) : pixels_(pixels) {
    std::memset(pixels, 0, kDigitBytes);
  }

  void dot(Point at, const Pen &pen) {
    constexpr int32_t kToPen = kPixel / kPenPixel;
    int32_t x = at.x / kToPen, y = at.y / kToPen;
    int32_t reach = pen.radius() + kPenPixel / 2;
    int32_t left = std::max((x - reach) / kPenPixel, 0);
    int32_t right = std::min<int32_t>((x + reach) / kPenPixel, kDigitSide - 1);
    int32_t top = std::max((y - reach) / kPenPixel, 0);
    int32_t bottom = std::min<int32_t>((y + reach) / kPenPixel, kDigitSide - 1);
    for (int32_t row = top; row <= bottom; ++row)
      for (int32_t column = left; column <= right; ++column) {
        int32_t dx = column * kPenPixel + kPenPixel / 2 - x;
        int32_t dy = row * kPenPixel + kPenPixel / 2 - y;
        uint8_t &pixel = pixels_[row * kDigitSide + column];
        pixel = std::max<uint8_t>(
            pixel, static_cast<uint8_t>(pen.ink(dx * dx + dy * dy)));
      }
  }

  /// From b to c along a Catmull-Rom spline whose neighbours are a and d, with
  /// dots at most half a pixel apart.
  void curve(Point a, Point b, Point c, Point d, const Pen &pen) {
    int32_t length = std::max(std::abs(c.x - b.x), std::abs(c.y - b.y));
    int32_t steps = length * 3 / kPixel + 1;
    for (int32_t step = 0; step <= steps; ++step) {
      int64_t t = int64_t{step} * kOne / steps;
      dot({spline(a.x, b.x, c.x, d.x, t), spline(a.y, b.y, c.y, d.y, t)}, pen);
    }
  }

private:
  static int32_t spline(int64_t a, int64_t b, int64_t c, int64_t d, int64_t t) {
    int64_t cubic = -a + 3 * b - 3 * c + d;
    int64_t square = 2 * a - 5 * b + 4 * c - d;
    int64_t value = cubic * t / kOne + square;
    value = value * t / kOne + (c - a);
    value = value * t / kOne + 2 * b;
    return static_cast<int32_t>(value / 2);
  }

  uint8_t *pixels_;
};

/// From the 100 x 100 sheet of the styles to pixels: scaled, sheared, turned,
/// shifted.
class Placement {
public:
  explicit Placement(Draws &draws) {
    // Pixels per unit: digits are 15 to 21 pixels high.
    int32_t scaleX = kOne * draws.between(150, 245) / 1000;
    int32_t scaleY = kOne * draws.between(185, 250) / 1000;
    int32_t shear = draws.around(kOne * 35 / 100);
    int32_t angle = draws.around(kOne * 35 / 100); // radians
    // Taylor: exact to 1/500 for these angles, and integers.
    int32_t sine = angle - angle * angle / kOne * angle / kOne / 6;
    int32_t cosine = kOne - angle * angle / kOne / 2;
    // Turn * shear * scale.
    xx_ = cosine * scaleX / kOne;
    yx_ = sine * scaleX / kOne;
    xy_ = (cosine * shear / kOne - sine) * scaleY / kOne;
    yy_ = (sine * shear / kOne + cosine) * scaleY / kOne;
    centre_.x = kDigitSide * kPixel / 2 + draws.around(kPixel * 3);
    centre_.y = kDigitSide * kPixel / 2 + draws.around(kPixel * 3);
  }

  /// `x` and `y` in 1/16 unit of the style's sheet, from its centre.
  Point operator()(int32_t x, int32_t y) const {
    constexpr int32_t kShrink = kOne * 16 / kPixel;
    return {centre_.x + (xx_ * x + xy_ * y) / kShrink,
            centre_.y + (yx_ * x + yy_ * y) / kShrink};
  }

private:
  int32_t xx_, xy_, yx_, yy_;
  Point centre_;
};

void drawStroke(Draws &draws, const data::Stroke &stroke,
                const Placement &place, int32_t jitter, const Pen &pen,
                Sheet &sheet) {
  std::array<Point, data::kMaxStrokePoints> points;
  size_t count = stroke.size();
  for (size_t i = 0; i < count; ++i) {
    // One statement a draw: compilers choose the order inside a call.
    int32_t dy = draws.around(jitter);
    int32_t dx = draws.around(jitter);
    points[i] =
        place((stroke[i].x - 50) * 16 + dx, (stroke[i].y - 50) * 16 + dy);
  }
  for (size_t i = 0; i + 1 < count; ++i) {
    bool sharpStart = i == 0 || stroke[i].corner;
    bool sharpEnd = i + 2 == count || stroke[i + 1].corner;
    sheet.curve(points[sharpStart ? i : i - 1], points[i], points[i + 1],
                points[sharpEnd ? i + 1 : i + 2], pen);
  }
}

/// A short line that does not belong to the digit.
void drawStray(Draws &draws, Sheet &sheet) {
  Pen pen(draws.between(kPenPixel / 2, kPenPixel));
  Point from = {draws.between(0, kDigitSide * kPixel),
                draws.between(0, kDigitSide * kPixel)};
  Point to = {from.x + draws.between(-8 * kPixel, 8 * kPixel),
              from.y + draws.between(-8 * kPixel, 8 * kPixel)};
  sheet.curve(from, from, to, to, pen);
}

/// A band without ink, as where the pen skipped: the pixels near a line through
/// a point in the middle. One that would take most of the digit (along the only
/// stroke of a 1, say) is left out.
void eraseBand(Draws &draws, uint8_t *pixels) {
  int32_t nx = draws.between(-16, 16), ny = draws.between(-16, 16);
  int32_t x0 = draws.between(8, 19), y0 = draws.between(8, 19);
  int32_t reach = 16 * draws.between(2, 4) / 2;
  auto inside = [&](int32_t x, int32_t y) {
    return std::abs((x - x0) * nx + (y - y0) * ny) < reach;
  };
  int32_t ink = 0, taken = 0;
  for (int32_t y = 0; y < kDigitSide; ++y)
    for (int32_t x = 0; x < kDigitSide; ++x) {
      ink += pixels[y * kDigitSide + x];
      taken += inside(x, y) ? pixels[y * kDigitSide + x] : 0;
    }
  if (2 * taken > ink)
    return;
  for (int32_t y = 0; y < kDigitSide; ++y)
    for (int32_t x = 0; x < kDigitSide; ++x)
      if (inside(x, y))
        pixels[y * kDigitSide + x] /= 4;
}

/// The paper's grain and the pen's strength.
void disturb(Draws &draws, uint8_t *pixels) {
  int32_t strength = draws.between(170, 256);
  int32_t grain = draws.between(0, 40);
  uint32_t bytes = 0;
  for (int i = 0; i < kDigitBytes; ++i) {
    bytes = i % 4 == 0 ? draws.word() : bytes >> 8;
    int32_t noise = (static_cast<int32_t>(bytes & 255) - 128) * grain >> 7;
    pixels[i] = static_cast<uint8_t>(
        std::clamp((pixels[i] * strength >> 8) + noise, 0, 255));
  }
}

} // namespace

void drawDigit(uint64_t seed, DigitsSplit split, int64_t index, int32_t label,
               uint8_t *pixels) {
  Draws draws(seed, split, index);
  auto styles = data::digitStyles(label);
  const data::DigitStyle &style =
      styles[draws.between(0, static_cast<int32_t>(styles.size()) - 1)];
  Placement place(draws);
  int32_t jitter = 16 * draws.between(4, 11);
  Pen pen(draws.between(kPenPixel * 7 / 10, kPenPixel * 17 / 10));
  Sheet sheet(pixels);
  for (const data::Stroke &stroke : style)
    drawStroke(draws, stroke, place, jitter, pen, sheet);
  if (draws.chance(15))
    eraseBand(draws, pixels);
  if (draws.chance(15))
    drawStray(draws, sheet);
  disturb(draws, pixels);
}

std::vector<int32_t> digitLabels(uint64_t seed, DigitsSplit split,
                                 int64_t count) {
  std::vector<int32_t> labels(count);
  const uint64_t stream =
      boost_random_stream(split == DigitsSplit::Train ? "digits.train.labels"
                                                      : "digits.test.labels");
  for (int64_t begin = 0; begin < count; begin += 10) {
    int32_t order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    BoostRandomBlock block = {};
    for (int i = 9; i > 0; --i) {
      int draw = 9 - i;
      if (draw % 4 == 0)
        block = boost_random_block(seed, stream, begin + draw / 4);
      std::swap(order[i],
                order[uint64_t{block.word[draw % 4]} * (i + 1) >> 32]);
    }
    std::copy_n(order, std::min<int64_t>(10, count - begin),
                labels.begin() + begin);
  }
  return labels;
}

} // namespace boostrt
