// Images that are made: the same ones everywhere, and a directory that can be
// trained on.

#include "runtime/data/Patterns.h"

#include "runtime/data/ImageDecoder.h"
#include "runtime/data/JpegWriter.h"
#include "test/runtime/data/DataFiles.h"

#include <gmock/gmock.h>

namespace boostrt {
namespace {

using testing::HasSubstr;

constexpr PatternOptions kSmall{
    .classes = 3, .train = 4, .heldOut = 2, .size = 16};

TEST(Patterns, AreAFunctionOfTheirNumbers) {
  PatternImage pattern = drawPattern(kSmall, false, 1, 2);
  EXPECT_EQ(pattern.pixels.size(),
            static_cast<size_t>(pattern.height * pattern.width * 3));
  EXPECT_EQ(drawPattern(kSmall, false, 1, 2).pixels, pattern.pixels);
  PatternOptions other = kSmall;
  other.seed = 2;
  for (const PatternImage &different :
       {drawPattern(kSmall, true, 1, 2), drawPattern(kSmall, false, 2, 2),
        drawPattern(kSmall, false, 1, 3), drawPattern(other, false, 1, 2)})
    EXPECT_NE(different.pixels, pattern.pixels);
}

TEST(Patterns, SizesDifferByAQuarter) {
  PatternOptions options = kSmall;
  options.size = 100;
  int64_t least = 1000, most = 0;
  for (int64_t number = 0; number < 200; ++number) {
    PatternImage pattern = drawPattern(options, false, 0, number);
    for (int64_t side : {pattern.height, pattern.width}) {
      least = std::min(least, side);
      most = std::max(most, side);
    }
  }
  EXPECT_GE(least, 75);
  EXPECT_LT(least, 80);
  EXPECT_LE(most, 125);
  EXPECT_GT(most, 120);
}

TEST(Jpeg, NeedsPixels) {
  Result<std::string> file = encodeJpeg(0, 3, {});
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), ExitCode::Internal);
  EXPECT_THAT(file.status().message(),
              HasSubstr("an image cannot be encoded: Empty JPEG image"));
}

class WrittenPatterns : public testing::Test {
protected:
  Status write(const std::string &path) {
    return writePatterns(realFileSystem(), path, kSmall);
  }
  TemporaryDirectory directory;
};

TEST_F(WrittenPatterns, AreADirectoryOfImages) {
  std::string path = directory / "made";
  ASSERT_EQ(write(path).message(), "");
  Result<DataSource> source = openData("imagefolder:" + path);
  ASSERT_EQ(source.status().message(), "");
  EXPECT_EQ(source->train->size(), 12);
  EXPECT_EQ(source->test->size(), 6);
  EXPECT_EQ(source->train->classes(), 3);
  // Near to what was drawn: JPEG keeps the mean of an image.
  PatternImage pattern = drawPattern(kSmall, false, 1, 2);
  ImageDecoder decoder;
  Result<ImageSize> size = decoder.open(source->train->file(6));
  ASSERT_EQ(size.status().message(), "");
  EXPECT_EQ(size->height, pattern.height);
  EXPECT_EQ(size->width, pattern.width);
  std::vector<uint8_t> decoded(pattern.pixels.size());
  ASSERT_TRUE(decoder
                  .read({{0, 0, size->height, size->width},
                         *size,
                         {0, 0, size->height, size->width}},
                        decoded.data())
                  .ok());
  int64_t pixels = size->height * size->width;
  for (int64_t channel = 0; channel < 3; ++channel) {
    double drawn = 0, found = 0;
    for (int64_t i = 0; i < pixels; ++i) {
      drawn += pattern.pixels[static_cast<size_t>(i * 3 + channel)];
      found += decoded[static_cast<size_t>(channel * pixels + i)];
    }
    EXPECT_NEAR(drawn / static_cast<double>(pixels),
                found / static_cast<double>(pixels), 3);
  }
}

TEST_F(WrittenPatterns, OverwriteNothing) {
  writeFile(directory / "made/train/notes.txt", "mine");
  Status status = write(directory / "made");
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_THAT(status.message(),
              HasSubstr("/made: found a directory with files in it, expected a "
                        "new or an empty one; nothing was written"));
  EXPECT_EQ(readFile(directory / "made/train/notes.txt"), "mine");
  status = write(directory / "none/made");
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_THAT(status.message(), HasSubstr("none/made"));
}

} // namespace
} // namespace boostrt
