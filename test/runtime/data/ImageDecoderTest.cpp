// Images in files: against Pillow, bit for bit, and files that are none.

#include "runtime/data/ImageDecoder.h"
#include "runtime/data/Transform.h"
#include "test/runtime/data/Sanitizers.h"
#include "test/runtime/support/Files.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <zlib.h>

namespace boostrt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using Pixels = std::vector<uint8_t>;

const fs::path kImages = BOOSTC_TEST_IMAGES;

/// A line of golden_images.py.
struct Golden {
  std::string name, what;
  ImageSize size;
  Pixels pixels;
};

void PrintTo(const Golden &golden, std::ostream *stream) {
  *stream << golden.name << " " << golden.what;
}

std::vector<Golden> readGolden() {
  std::vector<Golden> all;
  std::ifstream file(kImages / "golden.txt");
  std::string hex;
  for (Golden golden; file >> golden.name >> golden.what >>
                      golden.size.height >> golden.size.width >> hex;) {
    golden.pixels.clear();
    for (size_t i = 0; i < hex.size(); i += 2)
      golden.pixels.push_back(
          static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    all.push_back(golden);
  }
  return all;
}

/// All of the image in `size`, which is its own when that is 0.
Result<Pixels> decode(ImageDecoder &decoder, const std::string &path,
                      ImageSize size = {}) {
  Result<ImageSize> whole = decoder.open(path);
  if (!whole.ok())
    return whole.status();
  if (size.height == 0)
    size = *whole;
  Pixels out(static_cast<size_t>(3 * size.height * size.width));
  Status status = decoder.read({{0, 0, whole->height, whole->width},
                                size,
                                {0, 0, size.height, size.width}},
                               out.data());
  return status.ok() ? Result<Pixels>(out) : status;
}

class GoldenImage : public testing::TestWithParam<Golden> {};

TEST_P(GoldenImage, IsThatOfPillow) {
  const Golden &golden = GetParam();
  std::string path = kImages / golden.name;
  ImageDecoder decoder;
  if (golden.what == "window") {
    ASSERT_TRUE(decoder.open(path).ok());
    Pixels out(golden.pixels.size());
    Status status =
        decoder.read({{2, 3, 9, 11}, golden.size, {0, 0, 6, 4}}, out.data());
    ASSERT_EQ(status.message(), "");
    EXPECT_EQ(out, golden.pixels);
  } else if (golden.what == "short") {
    auto pipeline = TransformPipeline::create(
        json::parse(R"([{"op": "resize_short", "size": 8},
                        {"op": "center_crop", "size": [7, 6]}])"),
        {3, 0, 0}, ElementType::U8, TransformPurpose::Evaluation,
        TransformResult::Bytes);
    ASSERT_EQ(pipeline.status().message(), "");
    TransformScratch scratch = pipeline->makeScratch();
    Pixels out(golden.pixels.size());
    ASSERT_EQ(pipeline->applyFile(path, out.data(), scratch).message(), "");
    EXPECT_EQ(out, golden.pixels);
  } else {
    Result<Pixels> out = decode(decoder, path, golden.size);
    ASSERT_EQ(out.status().message(), "");
    EXPECT_EQ(*out, golden.pixels);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenImage, testing::ValuesIn(readGolden()));

TEST(ImageDecoder, HasGoldenImages) {
  EXPECT_EQ(readGolden().size(), 9u * 5u + 1u);
}

// What is drawn of a file is what is drawn of its pixels; operations that
// follow see bytes of one size.
TEST(ImageDecoder, PartsAreDrawnAsOfPixels) {
  const json list = json::parse(
      R"([{"op": "random_resized_crop", "size": [6, 4]},
          {"op": "random_flip"}, {"op": "rescale", "scale": 0.5}])");
  auto pipeline = TransformPipeline::create(list, {3, 0, 0}, ElementType::U8,
                                            TransformPurpose::Training);
  ASSERT_EQ(pipeline.status().message(), "");
  EXPECT_EQ(pipeline->outputShape(), (SampleShape{3, 6, 4}));
  TransformScratch scratch = pipeline->makeScratch();
  ImageDecoder decoder;
  std::string path = kImages / "420.jpg";
  int flipped = 0;
  for (int64_t epoch = 0; epoch < 20; ++epoch) {
    DrawKey key = {5, epoch, 77};
    std::vector<float> found(3 * 6 * 4);
    ASSERT_TRUE(pipeline->applyFile(path, found.data(), scratch, key).ok());
    ASSERT_TRUE(decoder.open(path).ok());
    ImageWindow window =
        drawWindow({3, 13, 19}, {0.08, 1.0}, {3.0 / 4.0, 4.0 / 3.0}, key, 0);
    Pixels part(found.size());
    ASSERT_TRUE(decoder.read({window, {6, 4}, {0, 0, 6, 4}}, part.data()).ok());
    bool flips = randomBits(key, 1).word[0] >= 0x80000000u;
    flipped += flips;
    for (size_t i = 0; i < found.size(); ++i) {
      size_t from = flips ? i / 4 * 4 + 3 - i % 4 : i;
      ASSERT_EQ(found[i], 0.5f * part[from]) << epoch << " " << i;
    }
  }
  EXPECT_GT(flipped, 3);
  EXPECT_LT(flipped, 17);
}

std::string mistakeOf(const char *list,
                      TransformPurpose purpose = TransformPurpose::Training) {
  auto pipeline = TransformPipeline::create(json::parse(list), {3, 0, 0},
                                            ElementType::U8, purpose);
  return pipeline.status().message();
}

TEST(ImageDecoder, ImagesNeedOneSize) {
  EXPECT_THAT(mistakeOf("[]"),
              HasSubstr("data.transforms: images of any size stay so, and the "
                        "model takes one; begin with random_resized_crop, or "
                        "with resize_short and center_crop"));
  EXPECT_THAT(mistakeOf("null"), HasSubstr("images of any size stay so"));
  EXPECT_THAT(mistakeOf(R"([{"op": "resize_short", "size": 8}])"),
              HasSubstr("images of any size stay so"));
  EXPECT_THAT(
      mistakeOf(R"([{"op": "random_flip"}])"),
      HasSubstr("data.transforms[0]: 'random_flip' is for images of one size, "
                "and these have their own; begin with random_resized_crop, or "
                "with resize_short and center_crop"));
  EXPECT_THAT(mistakeOf(R"([{"op": "resize_short", "size": 8},
                            {"op": "center_crop", "size": [9, 8]}])"),
              HasSubstr("data.transforms[1].size: found 9x8, which does not "
                        "fit into images whose shorter side is 8"));
  EXPECT_THAT(
      mistakeOf(R"([{"op": "resize_short", "size": 8},
                    {"op": "random_resized_crop", "size": [8, 8]}])"),
      HasSubstr("data.transforms[1]: 'random_resized_crop' is for images of "
                "one size"));
  EXPECT_THAT(
      mistakeOf(R"([{"op": "random_resized_crop", "size": [16384, 16384]}])"),
      HasSubstr("found 16384x16384, expected at most 67108864 values in all"));
  EXPECT_THAT(mistakeOf(R"([{"op": "random_resized_crop", "size": [8, 8]}])",
                        TransformPurpose::Evaluation),
              HasSubstr("give data.eval_transforms"));
}

void putNumber(std::string &text, size_t at, int value) {
  text[at] = static_cast<char>(value >> 8);
  text[at + 1] = static_cast<char>(value);
}

/// Gives a JPEG, whose frame begins with `marker`, another size, for which its
/// data do not suffice: the rest is grey. Returns where the frame is.
size_t resize(std::string &text, const char *marker, int height, int width) {
  size_t frame = text.find(marker);
  EXPECT_NE(frame, std::string::npos);
  putNumber(text, frame + 5, height);
  putNumber(text, frame + 7, width);
  return frame;
}

/// A progressive image of 1000 x 700 pixels, half as many of colour.
std::string largeProgressive() {
  std::string text = readFile(kImages / "progressive.jpg");
  resize(text, "\xff\xc2", 700, 1000);
  return text;
}

class BadImage : public testing::Test {
protected:
  /// What is said about a file with `content`, without its path in front.
  std::string say(const std::string &content) {
    std::string path = directory / "bad.jpg";
    writeFile(path, content);
    Result<Pixels> pixels = decode(decoder, path);
    EXPECT_FALSE(pixels.ok());
    EXPECT_EQ(pixels.status().code(), ExitCode::Data);
    std::string text = pixels.status().message();
    EXPECT_EQ(text.substr(0, path.size()), path);
    EXPECT_THAT(text, HasSubstr("; replace or remove the file"));
    // The decoder is good for the next image.
    EXPECT_TRUE(decode(decoder, kImages / "420.jpg").ok());
    return text.substr(path.size());
  }

  /// A JPEG header that announces an image.
  static std::string announce(int height, int width, int channels) {
    std::string text = readFile(kImages / "444.jpg");
    size_t frame = resize(text, "\xff\xc0", height, width);
    if (channels != 3) {
      putNumber(text, frame + 2, 8 + 3 * channels);
      text[frame + 9] = static_cast<char>(channels);
      text.erase(frame + 10 + 3 * static_cast<size_t>(channels),
                 3 * static_cast<size_t>(3 - channels));
      size_t scan = text.find("\xff\xda");
      text[scan + 3] = static_cast<char>(6 + 2 * channels);
      text[scan + 4] = static_cast<char>(channels);
      text.erase(scan + 5 + 2 * static_cast<size_t>(channels),
                 2 * static_cast<size_t>(3 - channels));
    }
    return text;
  }

  TemporaryDirectory directory;
  ImageDecoder decoder;
};

// Whatever part of it is wanted: the same image is good or bad in every epoch.
TEST_F(BadImage, APngIsReadToItsEnd) {
  std::string path = directory / "cut.png",
              whole = readFile(kImages / "rgb.png");
  auto readFirstPixel = [&](size_t length) {
    writeFile(path, whole.substr(0, length));
    uint8_t pixel[3];
    EXPECT_TRUE(decoder.open(path).ok());
    return decoder.read({{0, 0, 1, 1}, {1, 1}, {0, 0, 1, 1}}, pixel).message();
  };
  EXPECT_EQ(readFirstPixel(whole.size()), "");
  EXPECT_THAT(readFirstPixel(whole.size() - 30),
              HasSubstr("the image ends too early"));
}

TEST_F(BadImage, Nothing) {
  EXPECT_THAT(say(""),
              HasSubstr("found an empty file, expected a JPEG or PNG image"));
}

TEST_F(BadImage, Text) {
  EXPECT_THAT(say("not an image\n"),
              HasSubstr("found a file of 13 bytes that is neither, expected a "
                        "JPEG or PNG image"));
}

TEST_F(BadImage, TooLongAFile) {
  std::string path = directory / "long.jpg";
  writeFile(path, "x");
  fs::resize_file(path, (1 << 28) + 1);
  EXPECT_EQ(decoder.open(path).status().message(),
            path + ": found 268435457 bytes, expected an image file of "
                   "67108864 at most; raise data.decode_memory; replace or "
                   "remove the file");
  ImageDecoder large(uint64_t{1} << 30);
  EXPECT_EQ(large.open(path).status().message(),
            path + ": found 268435457 bytes, expected an image file of "
                   "268435456 at most; replace or remove the file");
}

TEST_F(BadImage, NoFile) {
  std::string path = directory / "absent.jpg";
  EXPECT_THAT(decoder.open(path).status().message(), HasSubstr(path));
}

TEST_F(BadImage, MorePixelsThanAPhotograph) {
  EXPECT_THAT(say(announce(65000, 65000, 3)),
              HasSubstr("found an image of 65000x65000 pixels, expected 1 to "
                        "178956970 in all"));
}

TEST_F(BadImage, TwoChannels) {
  EXPECT_THAT(say(announce(13, 19, 2)),
              HasSubstr("found 2 colour channels, expected 1, 3 or 4"));
}

// Wherever a file is cut, and whatever part of it is wanted.
TEST_F(BadImage, EndsTooEarly) {
  for (const char *name :
       {"420.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "rgb.png"}) {
    std::string whole = readFile(kImages / name);
    for (size_t length = 8; length + 1 < whole.size(); length += 7) {
      SCOPED_TRACE(fmt::format("{} {}", name, length));
      // A PNG has all its pixels before its last chunk.
      if (std::string(name) == "rgb.png" && length + 24 > whole.size())
        continue;
      say(whole.substr(0, length));
    }
  }
  EXPECT_THAT(say(readFile(kImages / "420.jpg").substr(0, 700)),
              HasSubstr("the image ends too early"));
  EXPECT_THAT(say(readFile(kImages / "rgb.png").substr(0, 40)),
              HasSubstr("the image ends too early"));
}

// A change of any byte gives some image or an error, and nothing else.
TEST_F(BadImage, WithAWrongByte) {
  for (const char *name : {"420.jpg", "progressive.jpg", "palette.png"}) {
    std::string whole = readFile(kImages / name);
    std::string path = directory / "changed";
    for (size_t i = 0; i < whole.size(); i += 3) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
      writeFile(path, changed);
      Result<Pixels> pixels = decode(decoder, path, {6, 5});
      if (!pixels.ok()) {
        EXPECT_THAT(pixels.status().message(), HasSubstr(path));
      }
    }
    Result<Pixels> good = decode(decoder, kImages / name);
    EXPECT_TRUE(good.ok());
  }
}

/// An interlaced PNG of black pixels.
std::string interlaced(uint32_t height, uint32_t width) {
  auto number = [](uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
      text += static_cast<char>(value >> shift);
    return text;
  };
  auto chunk = [&](const std::string &content) {
    auto sum = crc32(0, reinterpret_cast<const Bytef *>(content.data()),
                     static_cast<uInt>(content.size()));
    return number(static_cast<uint32_t>(content.size() - 4)) + content +
           number(static_cast<uint32_t>(sum));
  };
  // Where the seven passes begin, and their steps.
  constexpr uint32_t kPasses[7][4] = {{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4},
                                      {0, 2, 4, 4}, {2, 0, 4, 2}, {0, 1, 2, 2},
                                      {1, 0, 2, 1}};
  size_t bytes = 0;
  for (auto [top, left, down, right] : kPasses)
    bytes += size_t{(height - top + down - 1) / down} *
             (1 + 3 * size_t{(width - left + right - 1) / right});
  std::vector<Bytef> rows(bytes), packed(compressBound(bytes));
  uLongf length = packed.size();
  EXPECT_EQ(compress(packed.data(), &length, rows.data(), bytes), Z_OK);
  using namespace std::string_literals;
  return "\x89PNG\r\n\x1a\n"s +
         chunk("IHDR" + number(width) + number(height) + "\x8\x2\0\0\x1"s) +
         chunk("IDAT" +
               std::string(packed.begin(),
                           packed.begin() + static_cast<int64_t>(length))) +
         chunk("IEND");
}

/// What a reader has of the heap when it has begun with the rows of `file`, and
/// what it said before.
struct BytesToRead {
  uint64_t said, taken;
  BytesToRead(ImageReader &reader, const std::string &file) {
    EXPECT_TRUE(
        reader
            .open({reinterpret_cast<const uint8_t *>(file.data()), file.size()})
            .ok());
    said = reader.bytesToRead();
    auto heap = [] {
      struct mallinfo2 info = mallinfo2();
      return info.uordblks + info.hblkhd;
    };
    size_t before = heap();
    EXPECT_TRUE(reader.begin(0).ok());
    EXPECT_TRUE(reader.row().ok());
    taken = heap() - before;
  }
};

// The bound is about what decoders really take.
TEST(DecodingBytes, AreThoseOfTheReaders) {
  if (kThreadSanitizer || kAddressSanitizer)
    GTEST_SKIP() << "a sanitizer's heap has other sizes";
  // 1000 x 700 pixels have 63 x 44 units of 16 x 16, six blocks of coefficients
  // each.
  constexpr uint64_t kCoefficients = uint64_t{63} * 44 * 6 * 128;
  BytesToRead progressive(*makeJpegReader(), largeProgressive());
  EXPECT_GE(progressive.taken, kCoefficients);
  EXPECT_GE(progressive.said, progressive.taken);
  EXPECT_LE(progressive.said, kCoefficients + 600'000);
  BytesToRead baseline(*makeJpegReader(), readFile(kImages / "large.jpg"));
  EXPECT_GE(baseline.said, baseline.taken);
  EXPECT_LE(baseline.said, 300'000u);
  constexpr uint64_t kPixels = 3 * 3000 * 2000;
  BytesToRead passes(*makePngReader(), interlaced(2000, 3000));
  EXPECT_GE(passes.taken, kPixels);
  EXPECT_GE(passes.said, passes.taken);
  EXPECT_LE(passes.said, kPixels + 9'000'000);
  BytesToRead rows(*makePngReader(), readFile(kImages / "rgb.png"));
  EXPECT_GE(rows.said, rows.taken);
}

TEST_F(BadImage, ThatTakesTooMuchMemory) {
  std::string path = directory / "passes.png";
  writeFile(path, interlaced(2000, 3000));
  ImageDecoder little(uint64_t{20} << 20);
  EXPECT_EQ(decode(decoder, path, {20, 30}).status().message(), "");
  std::string text = decode(little, path, {20, 30}).status().message();
  EXPECT_THAT(text, HasSubstr(path + ": decoding its 2000x3000 pixels takes "));
  EXPECT_THAT(
      text,
      HasSubstr(" bytes, expected 20971520 at most on each worker; save it as "
                "a JPEG that is not progressive, or as a PNG that is not "
                "interlaced, or raise data.decode_memory; replace or remove "
                "the file"));
  // The next image is as good as before.
  writeFile(path, largeProgressive());
  EXPECT_EQ(decode(little, path).status().message(), "");
  ImageDecoder least(1 << 20);
  EXPECT_THAT(decode(least, path).status().message(),
              HasSubstr("decoding its 700x1000 pixels takes "));
  // A baseline image of this size takes its rows, grey where it has no data.
  std::string large = announce(700, 1000, 3);
  writeFile(path, large);
  ASSERT_TRUE(least.open(path).ok());
  uint8_t pixel[3];
  EXPECT_EQ(
      least.read({{0, 0, 700, 1000}, {1, 1}, {0, 0, 1, 1}}, pixel).message(),
      "");
}

/// Fields of a line that are separated by tabs.
std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');)
    fields.push_back(field);
  return fields;
}

// Odd files of several sources, as Pillow 9.4 reads them.
TEST(OddImages, AreReadAsByPillow) {
  fs::path folder = BOOSTC_SHARED_ODD_IMAGES;
  std::ifstream table(folder / "FILES.tsv");
  if (!table)
    GTEST_SKIP() << folder << " is not there";
  std::string line;
  std::getline(table, line);
  ImageDecoder decoder;
  int good = 0, bad = 0;
  while (std::getline(table, line)) {
    std::vector<std::string> fields = split(line);
    SCOPED_TRACE(fields[0]);
    Result<Pixels> pixels = decode(decoder, folder / fields[0]);
    if (!pixels.ok()) {
      ++bad;
      EXPECT_THAT(pixels.status().message(), HasSubstr(fields[0]));
      EXPECT_TRUE(fields[6] != "ok" || fields[3].starts_with("GIF"))
          << pixels.status().message();
      continue;
    }
    ++good;
    // Pillow 9.4 refuses some that are corrupt in the middle, and has other
    // Huffman tables for a frame of a film than later ones.
    if (fields[6] != "ok" || fields[0] == "sampling/mjpeg.jpg") {
      EXPECT_TRUE(fields[0].starts_with("corrupt/") ||
                  fields[0] == "sampling/mjpeg.jpg");
      continue;
    }
    std::istringstream means(fields[7]);
    size_t area = pixels->size() / 3;
    EXPECT_EQ(static_cast<int64_t>(area),
              std::stoll(fields[4]) * std::stoll(fields[5]));
    for (size_t c = 0; c < 3; ++c) {
      std::string expected;
      std::getline(means, expected, ',');
      double sum = 0;
      for (size_t i = 0; i < area; ++i)
        sum += (*pixels)[c * area + i];
      EXPECT_NEAR(sum / static_cast<double>(area), std::stod(expected), 0.0051);
    }
  }
  EXPECT_GE(good, 60);
  EXPECT_GE(bad, 20);
}

} // namespace
} // namespace boostrt
