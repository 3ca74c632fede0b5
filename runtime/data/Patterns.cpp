#include "runtime/data/Patterns.h"

#include "runtime/abi/boost_random.h"
#include "runtime/data/JpegWriter.h"
#include "runtime/support/ByteText.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// Directions of stripes, as (x, y) steps of about the same length.
constexpr struct {
  int64_t x, y;
} kDirections[] = {{16, 0}, {15, 6},  {11, 11},  {6, 15},
                   {0, 16}, {-6, 15}, {-11, 11}, {-15, 6}};

/// A colour of full saturation; `hue` goes around in 1536 steps.
std::array<int64_t, 3> colourOf(int64_t hue) {
  int64_t sector = hue / 256, rise = hue % 256, fall = 255 - rise;
  switch (sector) {
  case 0:
    return {255, rise, 0};
  case 1:
    return {fall, 255, 0};
  case 2:
    return {0, 255, rise};
  case 3:
    return {0, fall, 255};
  case 4:
    return {rise, 0, 255};
  default:
    return {255, 0, fall};
  }
}

/// What is drawn for an image: words of boost_random_block().
class Draws {
public:
  Draws(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}
  uint32_t word() {
    if (next_ == 4) {
      block_ = boost_random_block(seed_, stream_, counter_++);
      next_ = 0;
    }
    return block_.word[next_++];
  }
  /// From `low` to `high`.
  int64_t between(int64_t low, int64_t high) {
    return low + word() % static_cast<uint32_t>(high - low + 1);
  }

private:
  uint64_t seed_, stream_, counter_ = 0;
  BoostRandomBlock block_ = {};
  int next_ = 4;
};

constexpr int64_t kNoise = 24;

} // namespace

PatternImage drawPattern(const PatternOptions &options, bool isHeldOut,
                         int64_t label, int64_t number) {
  std::string name =
      fmt::format("{}/{}/{}", isHeldOut ? "val" : "train", label, number);
  Draws draws(options.seed, boost_random_stream(name.c_str()));
  PatternImage pattern;
  int64_t quarter = options.size / 4;
  pattern.height = options.size + draws.between(-quarter, quarter);
  pattern.width = options.size + draws.between(-quarter, quarter);
  // Classes share directions, and hues tell those apart.
  auto direction =
      kDirections[static_cast<size_t>(label) % std::size(kDirections)];
  std::array<int64_t, 3> stripe = colourOf(label * 1536 / options.classes);
  std::array<int64_t, 3> ground;
  for (int64_t &channel : ground)
    channel = draws.between(40, 140);
  // Lengths are in sixteenths of a pixel.
  int64_t period = options.size * draws.between(3, 6);
  int64_t phase = draws.between(0, period - 1);
  pattern.pixels.reserve(
      static_cast<size_t>(pattern.height * pattern.width * 3));
  for (int64_t y = 0; y < pattern.height; ++y)
    for (int64_t x = 0; x < pattern.width; ++x) {
      int64_t place = (x * direction.x + y * direction.y + phase) % period;
      place = place < 0 ? place + period : place;
      // 0 to 256 and back.
      int64_t share = std::abs(2 * place - period) * 256 / period;
      uint32_t noise = draws.word();
      for (size_t c = 0; c < 3; ++c, noise >>= 8) {
        int64_t value = (stripe[c] * share + ground[c] * (256 - share)) / 256 +
                        noise % (2 * kNoise + 1) - kNoise;
        pattern.pixels.push_back(
            static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255)));
      }
    }
  return pattern;
}

namespace {

Status makeDirectory(FileSystem &files, const std::string &path) {
  IoError error = files.makeDirectory(path);
  return error.ok() ? Status() : ioStatus(error, ExitCode::Usage, "make", path);
}

Status writeSplit(FileSystem &files, const std::string &directory,
                  const PatternOptions &options, bool isHeldOut) {
  std::string split = directory + (isHeldOut ? "/val" : "/train");
  BOOSTRT_RETURN_IF_ERROR(makeDirectory(files, split));
  int64_t images = isHeldOut ? options.heldOut : options.train;
  for (int64_t label = 0; label < options.classes; ++label) {
    std::string folder = fmt::format("{}/class{:03}", split, label);
    BOOSTRT_RETURN_IF_ERROR(makeDirectory(files, folder));
    for (int64_t number = 0; number < images; ++number) {
      PatternImage pattern = drawPattern(options, isHeldOut, label, number);
      Result<std::string> file =
          encodeJpeg(pattern.height, pattern.width, pattern.pixels);
      if (!file.ok())
        return file.status();
      BOOSTRT_RETURN_IF_ERROR(writeFileAtomically(
          files, fmt::format("{}/{:05}.jpg", folder, number), ExitCode::Usage,
          *file));
    }
  }
  return Status();
}

} // namespace

Status writePatterns(FileSystem &files, const std::string &directory,
                     const PatternOptions &options) {
  std::vector<DirectoryEntry> entries;
  if (files.list(directory, entries).ok()) {
    if (!entries.empty())
      return Status(ExitCode::Usage,
                    fmt::format("{}: found a directory with files in it, "
                                "expected a new or an empty one; nothing was "
                                "written",
                                directory));
  } else {
    BOOSTRT_RETURN_IF_ERROR(makeDirectory(files, directory));
  }
  for (bool isHeldOut : {false, true})
    BOOSTRT_RETURN_IF_ERROR(writeSplit(files, directory, options, isHeldOut));
  return Status();
}

} // namespace boostrt
