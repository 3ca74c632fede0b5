// Colours against Pillow's, byte for byte, and what is drawn of them.

#include "runtime/data/Transform.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <zlib.h>

namespace boostrt {
namespace {

using nlohmann::json;

std::vector<uint8_t> image(int64_t channels) {
  std::vector<uint8_t> bytes(static_cast<size_t>(channels * 35));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 37 % 251);
  return bytes;
}

std::vector<uint8_t> fromHex(const std::string &text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(
        static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// Applies an operation by its name in colors.txt.
void change(const std::string &name, double number, const ColorPlanes &image) {
  auto factor = static_cast<float>(number);
  if (name == "brightness")
    adjustBrightness(image, factor);
  else if (name == "contrast")
    adjustContrast(image, factor);
  else if (name == "saturation")
    adjustSaturation(image, factor);
  else
    adjustHue(image, static_cast<uint8_t>(static_cast<int>(number * 255)));
}

/// The CRC-32 of what a conversion makes of all colours.
template <typename Convert> uint64_t checksum(Convert &&convert) {
  uLong sum = crc32(0, nullptr, 0);
  std::vector<uint8_t> plane;
  for (int a = 0; a < 256; ++a) {
    plane.clear();
    for (int b = 0; b < 256; ++b)
      for (int c = 0; c < 256; ++c)
        for (uint8_t byte :
             convert(static_cast<uint8_t>(a), static_cast<uint8_t>(b),
                     static_cast<uint8_t>(c)))
          plane.push_back(byte);
    sum = crc32(sum, plane.data(), static_cast<uInt>(plane.size()));
  }
  return sum;
}

// golden_colors.py
TEST(ColorJitter, IsPillows) {
  std::ifstream file(BOOSTC_TEST_IMAGES "/colors.txt");
  std::string name, number, pixels;
  int64_t channels = 0;
  int lines = 0;
  while (file >> name >> number >> channels >> pixels) {
    SCOPED_TRACE(name + " " + number);
    ++lines;
    if (channels == 0) {
      uint64_t found = name == "hsv" ? checksum(toHsv) : checksum(toRgb);
      EXPECT_EQ(std::to_string(found), number);
      continue;
    }
    std::vector<uint8_t> bytes = image(channels);
    change(name, std::stod(number), {bytes.data(), channels, 35});
    EXPECT_EQ(bytes, fromHex(pixels));
  }
  // Three operations of 8 factors and one of 7, for two kinds of images.
  EXPECT_EQ(lines, 2 + 2 * (3 * 8 + 7));
}

constexpr SampleShape kShape = {3, 5, 7};

Result<TransformPipeline>
create(const json &list, TransformPurpose purpose = TransformPurpose::Training,
       TransformResult result = TransformResult::Bytes,
       SampleShape shape = kShape, ElementType type = ElementType::U8) {
  return TransformPipeline::create(list, shape, type, purpose, result);
}

TransformPipeline pipelineOf(const char *jitter) {
  Result<TransformPipeline> made = create(json::array({json::parse(jitter)}));
  EXPECT_TRUE(made.ok()) << made.status().message();
  return std::move(made).value();
}

std::vector<uint8_t> run(const TransformPipeline &pipeline, const DrawKey &key,
                         const std::vector<uint8_t> &bytes = image(3)) {
  std::vector<uint8_t> out(static_cast<size_t>(pipeline.outputBytes()));
  TransformScratch scratch = pipeline.makeScratch();
  pipeline.apply(bytes.data(), out.data(), scratch, key);
  return out;
}

TEST(ColorJitter, AFactorIsUniformBetweenItsEnds) {
  // Brightness leaves the factor, times 200.
  std::vector<uint8_t> light(105, 200);
  TransformPipeline side =
      pipelineOf(R"({"op": "color_jitter", "brightness": 0.25})");
  TransformPipeline pair =
      pipelineOf(R"({"op": "color_jitter", "brightness": [0.5, 0.75]})");
  TransformPipeline wide =
      pipelineOf(R"({"op": "color_jitter", "brightness": 7})");
  double sum = 0, least = 255, most = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    int found = run(side, {3, 1, i}, light)[0];
    sum += found;
    least = std::min<double>(least, found);
    most = std::max<double>(most, found);
    int other = run(pair, {3, 1, i}, light)[0];
    EXPECT_GE(other, 100);
    EXPECT_LE(other, 150);
  }
  // 150 to 250, rounded down; four standard deviations of 100 / sqrt(12 n).
  EXPECT_NEAR(sum / kDraws, 199.5, 1.9);
  EXPECT_LE(least, 151);
  EXPECT_GE(most, 248);
  // 1 - 7 is less than 0: factors from 0 to 8.
  int dark = 0;
  for (int i = 0; i < kDraws; ++i)
    dark += run(wide, {3, 1, i}, light)[0] < 200;
  EXPECT_NEAR(dark, kDraws / 8, 4 * std::sqrt(kDraws * 7 / 64.0));
}

TEST(ColorJitter, WhatIsZeroIsLeftAlone) {
  for (const char *nothing :
       {R"({"op": "color_jitter"})",
        R"({"op": "color_jitter", "brightness": 0, "hue": 0})",
        R"({"op": "color_jitter", "contrast": [1, 1], "hue": [0, 0]})"})
    EXPECT_EQ(run(pipelineOf(nothing), {1, 1, 1}), image(3)) << nothing;
  // A way around HSV is not: torchvision's images lose as much.
  EXPECT_NE(
      run(pipelineOf(R"({"op": "color_jitter", "hue": 0.0001})"), {1, 1, 1}),
      image(3));
}

// Every result is that of one order, with the factors of the first draw; all
// orders occur, about equally often.
TEST(ColorJitter, OrdersAreDrawn) {
  TransformPipeline pipeline = pipelineOf(
      R"({"op": "color_jitter", "brightness": 0.4, "contrast": 0.4,
          "saturation": 0.4, "hue": 0.1})");
  const char *names[] = {"brightness", "contrast", "saturation", "hue"};
  std::map<std::array<int, 4>, int> orders;
  constexpr int kDraws = 2400;
  for (int sample = 0; sample < kDraws; ++sample) {
    DrawKey key{7, 2, sample};
    BoostRandomBlock draw = randomBits(key, 0);
    double numbers[4];
    for (int i = 0; i < 3; ++i)
      numbers[i] = 0.6 + 0.8 * (draw.word[i] * 0x1p-32);
    numbers[3] = -0.1 + 0.2 * (draw.word[3] * 0x1p-32);
    std::vector<uint8_t> found = run(pipeline, key);
    std::array<int, 4> order = {0, 1, 2, 3};
    std::vector<std::array<int, 4>> matching;
    do {
      std::vector<uint8_t> bytes = image(3);
      for (int i : order)
        change(names[i], numbers[i], {bytes.data(), 3, 35});
      if (bytes == found)
        matching.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    ASSERT_FALSE(matching.empty()) << sample;
    if (matching.size() == 1)
      ++orders[matching[0]];
  }
  ASSERT_EQ(orders.size(), 24u);
  for (const auto &[order, count] : orders)
    // Some draws fit two orders; six standard deviations of 100 above.
    EXPECT_LE(count, 160);
}

TEST(ColorJitter, DependsOnSeedEpochSampleAndPlace) {
  json jitter = {{"op", "color_jitter"}, {"hue", 0.5}, {"contrast", 0.9}};
  std::set<std::vector<uint8_t>> seen;
  for (const json &list :
       {json::array({jitter}),
        json::array({{{"op", "random_flip"}, {"p", 0}}, jitter})})
    for (uint64_t seed : {1, 2})
      for (int64_t epoch : {1, 2})
        for (int64_t sample : {0, 1}) {
          TransformPipeline pipeline = create(list).value();
          DrawKey key{seed, epoch, sample};
          std::vector<uint8_t> out = run(pipeline, key);
          EXPECT_EQ(run(pipeline, key), out);
          seen.insert(out);
        }
  EXPECT_EQ(seen.size(), 16u);
}

TEST(ColorJitter, IsLeftOutOfAnEvaluation) {
  json list = json::parse(R"([{"op": "color_jitter", "brightness": 0.9}])");
  EXPECT_EQ(run(create(list, TransformPurpose::Evaluation).value(), {1, 1, 1}),
            image(3));
}

// Numbers of a program that takes floats are those of the bytes.
TEST(ColorJitter, FloatsAreMadeOfTheSameBytes) {
  json list = json::parse(R"([{"op": "color_jitter", "contrast": 0.5,
      "saturation": 0.5}, {"op": "rescale", "scale": 0.5}])");
  TransformPipeline bytes = create(list).value(),
                    floats = create(list, TransformPurpose::Training,
                                    TransformResult::Floats)
                                 .value();
  for (int64_t sample = 0; sample < 20; ++sample) {
    DrawKey key{5, 1, sample};
    std::vector<uint8_t> expected = run(bytes, key), pixels = image(3);
    std::vector<float> found(105);
    TransformScratch scratch = floats.makeScratch();
    floats.apply(pixels.data(), found.data(), scratch, key);
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i], static_cast<float>(expected[i]) * 0.5f);
  }
}

std::string errorOf(const char *list, SampleShape shape = kShape,
                    ElementType type = ElementType::U8) {
  Result<TransformPipeline> made =
      create(json::parse(list), TransformPurpose::Training,
             TransformResult::Floats, shape, type);
  EXPECT_FALSE(made.ok()) << list;
  return made.ok() ? "" : made.status().message();
}

TEST(ColorJitterErrors, NameThePlace) {
  for (const char *wrong : {"-0.1", "1001", "\"x\"", "[0.5]", "[1.5,0.5]",
                            "[-1,1]", "[0,1002]", "[0,\"x\"]", "null"})
    EXPECT_EQ(errorOf((R"([{"op":"color_jitter","contrast":)" +
                       std::string(wrong) + "}]")
                          .c_str()),
              "data.transforms[0].contrast: found " + std::string(wrong) +
                  ", expected a number from 0 to 1000, or [lowest, highest] "
                  "from 0 to 1001");
  for (const char *wrong : {"-0.1", "0.6", "[-0.6,0]", "[0,0.6]"})
    EXPECT_EQ(
        errorOf((R"([{"op":"color_jitter","hue":)" + std::string(wrong) + "}]")
                    .c_str()),
        "data.transforms[0].hue: found " + std::string(wrong) +
            ", expected a number from 0 to 0.5, or [lowest, highest] from "
            "-0.5 to 0.5");
  EXPECT_EQ(errorOf(R"([{"op":"color_jitter","colour":1}])"),
            "data.transforms[0]: unknown key 'colour'; the keys are op, "
            "brightness, contrast, saturation, hue");
  EXPECT_EQ(errorOf(R"([{"op":"color_jitter"}])", {2, 5, 7}),
            "data.transforms[0]: found images of 2 channels, expected 1 or 3: "
            "grey, or red, green and blue");
  EXPECT_EQ(errorOf(R"([{"op":"color_jitter"}])", kShape, ElementType::F32),
            "data.transforms[0]: changes the colours of bytes, and these "
            "samples are floats; remove it, or convert them with numpy's "
            "astype(\"uint8\")");
  EXPECT_EQ(
      errorOf(R"([{"op":"rescale","scale":1},{"op":"color_jitter"}])"),
      "data.transforms[1]: changes the colours of bytes, and comes after "
      "rescale or normalize, which make other numbers of them; move it before "
      "all of these");
}

} // namespace
} // namespace boostrt
