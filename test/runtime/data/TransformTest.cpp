// Transforms against their definition, bit for bit, and against PyTorch.

#include "runtime/data/Transform.h"
#include "runtime/abi/boost_random.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

using nlohmann::json;

std::vector<uint8_t> image(const SampleShape &shape, uint64_t seed = 1) {
  std::vector<uint8_t> bytes(shape.elements());
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(boost_random_uniform(seed, 0, i) * 256);
  return bytes;
}

std::vector<float> run(const char *transforms, const SampleShape &shape,
                       const std::vector<uint8_t> &bytes,
                       SampleShape *output = nullptr) {
  Result<TransformPipeline> pipeline =
      TransformPipeline::create(json::parse(transforms), shape);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
  if (!pipeline.ok())
    return {};
  if (output)
    *output = pipeline->outputShape();
  std::vector<float> out(pipeline->outputShape().elements(), -1e30f);
  TransformScratch scratch = pipeline->makeScratch();
  pipeline->apply(bytes.data(), out.data(), scratch);
  return out;
}

/// The definition in Transform.h, pixel by pixel, one operation after another.
struct Plain {
  SampleShape shape;
  std::vector<double> values;

  Plain(SampleShape shape, const std::vector<uint8_t> &bytes)
      : shape(shape), values(bytes.begin(), bytes.end()) {}

  double at(int64_t c, int64_t y, int64_t x) const {
    return values[(c * shape.height + y) * shape.width + x];
  }
  void become(SampleShape next,
              std::function<double(int64_t, int64_t, int64_t)> value) {
    std::vector<double> made;
    for (int64_t c = 0; c < next.channels; ++c)
      for (int64_t y = 0; y < next.height; ++y)
        for (int64_t x = 0; x < next.width; ++x)
          made.push_back(value(c, y, x));
    shape = next;
    values = made;
  }
  Plain &rescale(double scale, double shift) {
    become(shape, [&](int64_t c, int64_t y, int64_t x) {
      return at(c, y, x) * scale + shift;
    });
    return *this;
  }
  Plain &normalize(std::vector<double> mean, std::vector<double> deviation) {
    become(shape, [&](int64_t c, int64_t y, int64_t x) {
      return (at(c, y, x) - mean[mean.size() == 1 ? 0 : c]) /
             deviation[deviation.size() == 1 ? 0 : c];
    });
    return *this;
  }
  Plain &pad(int64_t top, int64_t bottom, int64_t left, int64_t right,
             double value) {
    SampleShape next = {shape.channels, shape.height + top + bottom,
                        shape.width + left + right};
    become(next, [&](int64_t c, int64_t y, int64_t x) {
      bool inside = y >= top && y < top + shape.height && x >= left &&
                    x < left + shape.width;
      return inside ? at(c, y - top, x - left) : value;
    });
    return *this;
  }
  Plain &resize(int64_t height, int64_t width) {
    auto place = [](int64_t i, int64_t in, int64_t out, int64_t &low,
                    int64_t &high) {
      double source = (static_cast<double>(i) + 0.5) *
                          (static_cast<double>(in) / static_cast<double>(out)) -
                      0.5;
      source = std::max(source, 0.0);
      low = static_cast<int64_t>(source);
      high = std::min(low + 1, in - 1);
      return source - static_cast<double>(low);
    };
    become({shape.channels, height, width}, [&](int64_t c, int64_t y,
                                                int64_t x) {
      int64_t top, bottom, left, right;
      double v = place(y, shape.height, height, top, bottom);
      double u = place(x, shape.width, width, left, right);
      double above = (1 - u) * at(c, top, left) + u * at(c, top, right);
      double below = (1 - u) * at(c, bottom, left) + u * at(c, bottom, right);
      return (1 - v) * above + v * below;
    });
    return *this;
  }
  std::vector<float> rounded() const {
    return std::vector<float>(values.begin(), values.end());
  }
};

void expectSameBits(const std::vector<float> &found, const Plain &plain) {
  std::vector<float> expected = plain.rounded();
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(
      std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)),
      0);
}

constexpr SampleShape kGrey = {1, 28, 28};
constexpr SampleShape kColour = {3, 5, 7};

TEST(Transform, NoneLeavesBytes) {
  std::vector<uint8_t> bytes = image(kColour);
  for (const char *none : {"[]", "null"}) {
    SampleShape output;
    expectSameBits(run(none, kColour, bytes, &output), Plain(kColour, bytes));
    EXPECT_EQ(output, kColour);
  }
}

TEST(Transform, TheMnistRecipe) {
  std::vector<uint8_t> bytes = image(kGrey);
  std::vector<float> out = run(R"([{"op":"rescale","scale":0.00392156862745098},
              {"op":"normalize","mean":[0.1307],"std":[0.3081]}])",
                               kGrey, bytes);
  expectSameBits(out, Plain(kGrey, bytes)
                          .rescale(0.00392156862745098, 0)
                          .normalize({0.1307}, {0.3081}));
  // PyTorch's own: byte / 255 and the normalisation, all in float.
  for (size_t i = 0; i < bytes.size(); ++i) {
    float torch = (static_cast<float>(bytes[i]) / 255.0f - 0.1307f) / 0.3081f;
    EXPECT_NEAR(out[i], torch, 1e-6);
  }
}

TEST(Transform, ChannelsHaveTheirOwnNumbers) {
  std::vector<uint8_t> bytes = image(kColour);
  expectSameBits(run(R"([{"op":"rescale","scale":0.0039,"shift":-0.5},
              {"op":"normalize","mean":[0.485,0.456,0.406],"std":[0.25]},
              {"op":"rescale","scale":3}])",
                     kColour, bytes),
                 Plain(kColour, bytes)
                     .rescale(0.0039, -0.5)
                     .normalize({0.485, 0.456, 0.406}, {0.25})
                     .rescale(3, 0));
}

TEST(Transform, PaddingStandsInTheUnitsOfItsPlace) {
  std::vector<uint8_t> bytes = image(kColour);
  SampleShape output;
  expectSameBits(run(R"([{"op":"pad","padding":[1,2,3,4],"value":9},
              {"op":"normalize","mean":[1,2,3],"std":[7,8,9]},
              {"op":"pad","padding":2},
              {"op":"rescale","scale":0.1,"shift":1}])",
                     kColour, bytes, &output),
                 Plain(kColour, bytes)
                     .pad(1, 2, 3, 4, 9)
                     .normalize({1, 2, 3}, {7, 8, 9})
                     .pad(2, 2, 2, 2, 0)
                     .rescale(0.1, 1));
  EXPECT_EQ(output, (SampleShape{3, 12, 18}));
}

TEST(Transform, PaddingByNothing) {
  std::vector<uint8_t> bytes = image(kColour);
  expectSameBits(run(R"([{"op":"pad","padding":0,"value":5}])", kColour, bytes),
                 Plain(kColour, bytes));
}

TEST(Transform, ResizesUpAndDown) {
  std::vector<uint8_t> bytes = image(kColour);
  for (auto [height, width] :
       {std::pair{10, 14}, std::pair{3, 2}, std::pair{5, 7}, std::pair{1, 1},
        std::pair{32, 3}}) {
    std::string text = "[{\"op\":\"resize\",\"size\":[" +
                       std::to_string(height) + "," + std::to_string(width) +
                       "]}]";
    expectSameBits(run(text.c_str(), kColour, bytes),
                   Plain(kColour, bytes).resize(height, width));
  }
}

// Weights in fractions of a power of two are computed in integers, whole groups
// of a row at once where they fit; others are not.
TEST(Transform, ResizesOfSimpleWeights) {
  const int64_t sizes[][2] = {{28, 32}, {8, 16},  {16, 64}, {32, 16}, {64, 16},
                              {20, 20}, {17, 34}, {1, 8},   {28, 30}, {24, 9}};
  for (auto [rows, toRows] : sizes)
    for (auto [columns, toColumns] : sizes) {
      SampleShape shape = {3, rows, columns};
      std::string to = std::to_string(toRows) + "," + std::to_string(toColumns);
      std::vector<uint8_t> bytes = image(shape, 5);
      std::string resize = R"({"op":"resize","size":[)" + to + "]}";
      std::string same = "[" + resize + R"(,{"op":"rescale","scale":0.0039},
          {"op":"normalize","mean":[0.13],"std":[0.3081]}])";
      expectSameBits(run(same.c_str(), shape, bytes),
                     Plain(shape, bytes)
                         .resize(toRows, toColumns)
                         .rescale(0.0039, 0)
                         .normalize({0.13}, {0.3081}));
      std::string own = "[" + resize + R"(,
          {"op":"normalize","mean":[9,8,7],"std":[3,5,7]}])";
      expectSameBits(run(own.c_str(), shape, bytes),
                     Plain(shape, bytes)
                         .resize(toRows, toColumns)
                         .normalize({9, 8, 7}, {3, 5, 7}));
      auto pixels = TransformPipeline::create(
          json::parse("[" + resize + "]"), shape, ElementType::U8,
          TransformPurpose::Evaluation, TransformResult::Bytes);
      std::vector<uint8_t> rounded(pixels->outputBytes());
      TransformScratch scratch = pixels->makeScratch();
      pixels->apply(bytes.data(), rounded.data(), scratch);
      Plain plain = Plain(shape, bytes).resize(toRows, toColumns);
      for (size_t i = 0; i < rounded.size(); ++i)
        ASSERT_EQ(rounded[i], std::floor(plain.values[i] + 0.5)) << to;
    }
}

TEST(Transform, EverythingInOneList) {
  std::vector<uint8_t> bytes = image(kColour);
  SampleShape output;
  expectSameBits(run(R"([{"op":"rescale","scale":0.0039},
              {"op":"pad","padding":1,"value":0.5},
              {"op":"resize","size":[9,4]},
              {"op":"normalize","mean":[0.5,0.4,0.3],"std":[0.2,0.3,0.4]},
              {"op":"resize","size":[6,6]},
              {"op":"pad","padding":[0,1,0,1],"value":-1}])",
                     kColour, bytes, &output),
                 Plain(kColour, bytes)
                     .rescale(0.0039, 0)
                     .pad(1, 1, 1, 1, 0.5)
                     .resize(9, 4)
                     .normalize({0.5, 0.4, 0.3}, {0.2, 0.3, 0.4})
                     .resize(6, 6)
                     .pad(0, 1, 0, 1, -1));
  EXPECT_EQ(output, (SampleShape{3, 7, 7}));
}

// torch.nn.functional.interpolate(x, size, mode="bilinear",
// align_corners=False) of PyTorch 1.13 on x = [[0, 10, 20], [100, 50, 250]] in
// double, rounded to float.
TEST(Transform, ResizeIsPyTorchs) {
  std::vector<uint8_t> bytes = {0, 10, 20, 100, 50, 250};
  std::vector<float> larger =
      run(R"([{"op":"resize","size":[3,5]}])", {1, 2, 3}, bytes);
  const std::vector<float> expectedLarger = {
      0.0f,  4.0f,   10.0f,  16.0f, 20.0f, 50.0f,  42.0f, 30.0f,
      93.0f, 135.0f, 100.0f, 80.0f, 50.0f, 170.0f, 250.0f};
  std::vector<float> smaller =
      run(R"([{"op":"resize","size":[1,2]}])", {1, 2, 3}, bytes);
  const std::vector<float> expectedSmaller = {45.0f, 108.75f};
  ASSERT_EQ(larger.size(), expectedLarger.size());
  ASSERT_EQ(smaller.size(), expectedSmaller.size());
  for (size_t i = 0; i < larger.size(); ++i)
    EXPECT_FLOAT_EQ(larger[i], expectedLarger[i]) << i;
  for (size_t i = 0; i < smaller.size(); ++i)
    EXPECT_FLOAT_EQ(smaller[i], expectedSmaller[i]) << i;
}

Result<TransformPipeline> bytesPipeline(const char *transforms,
                                        ElementType type = ElementType::U8) {
  return TransformPipeline::create(json::parse(transforms), kColour, type,
                                   TransformPurpose::Evaluation,
                                   TransformResult::Bytes);
}

TEST(Transform, BytesStayBytes) {
  std::vector<uint8_t> bytes = image(kColour);
  // What comes last is the program's.
  auto pipeline = bytesPipeline(R"([{"op":"rescale","scale":0.5},
      {"op":"normalize","mean":[1,2,3],"std":[4]}])");
  ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
  TransformScratch scratch = pipeline->makeScratch();
  std::vector<uint8_t> out(pipeline->outputBytes());
  pipeline->apply(bytes.data(), out.data(), scratch);
  EXPECT_EQ(out, bytes);
}

TEST(Transform, AResizeOfBytesRoundsOnce) {
  std::vector<uint8_t> bytes = image(kColour);
  auto pipeline = bytesPipeline(R"([{"op":"resize","size":[8,3]}])");
  ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
  TransformScratch scratch = pipeline->makeScratch();
  std::vector<uint8_t> out(pipeline->outputBytes());
  pipeline->apply(bytes.data(), out.data(), scratch);
  Plain plain(kColour, bytes);
  plain.resize(8, 3);
  ASSERT_EQ(out.size(), plain.values.size());
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], std::floor(plain.values[i] + 0.5)) << i;
}

TEST(Transform, OnePipelineServesManyScratches) {
  Result<TransformPipeline> pipeline = TransformPipeline::create(
      json::parse(R"([{"op":"resize","size":[6,6]}])"), kColour);
  ASSERT_TRUE(pipeline.ok());
  TransformPipeline copy = *pipeline;
  TransformScratch one = pipeline->makeScratch(), two = copy.makeScratch();
  std::vector<uint8_t> bytes = image(kColour);
  std::vector<float> a(108), b(108, 1);
  pipeline->apply(bytes.data(), a.data(), one);
  copy.apply(bytes.data(), b.data(), two);
  EXPECT_EQ(a, b);
}

std::string errorOf(const char *transforms, SampleShape shape = kColour) {
  Result<TransformPipeline> pipeline =
      TransformPipeline::create(json::parse(transforms), shape);
  EXPECT_FALSE(pipeline.ok()) << transforms;
  if (pipeline.ok())
    return "";
  EXPECT_EQ(pipeline.status().code(), ExitCode::Input);
  return pipeline.status().message();
}

TEST(TransformErrors, OperationsThatDraw) {
  // In a program they are wrong whether they will be done or not.
  const std::string expected = ", expected a number from 0 to 16384";
  EXPECT_EQ(errorOf(R"([{"op":"random_crop"}])"),
            "data.transforms[0].padding: missing" + expected);
  for (const char *padding : {"-1", "16385", "1.5", "[1,1,1,1]", "\"4\""})
    EXPECT_EQ(errorOf(("[{\"op\":\"random_crop\",\"padding\":" +
                       std::string(padding) + "}]")
                          .c_str()),
              "data.transforms[0].padding: found " + std::string(padding) +
                  expected);
  EXPECT_EQ(errorOf(R"([{"op":"random_flip","chance":0.5}])"),
            "data.transforms[0]: unknown key 'chance'; the keys are op, p");
}

TEST(TransformErrors, Structure) {
  EXPECT_EQ(errorOf(R"({"op":"pad"})"),
            "data.transforms: found {\"op\":\"pad\"}, expected a list of "
            "operations");
  EXPECT_EQ(errorOf("[5]"),
            "data.transforms[0]: found 5, expected an object with \"op\"");
  EXPECT_EQ(
      errorOf("[{}]"),
      "data.transforms[0].op: missing, expected the name of an operation");
  EXPECT_EQ(errorOf(R"([{"op":"rescale","scale":1},{"op":"normalise"}])"),
            "data.transforms[1].op: unknown operation 'normalise'; did you "
            "mean 'normalize'?; the operations are rescale, normalize, resize, "
            "pad, resize_short, center_crop, random_crop, random_flip, "
            "random_resized_crop, color_jitter");
  EXPECT_EQ(errorOf(R"([{"op":"rescale","scael":1}])"),
            "data.transforms[0]: unknown key 'scael'; did you mean 'scale'?; "
            "the keys are op, scale, shift");
}

TEST(TransformErrors, Rescale) {
  EXPECT_EQ(errorOf(R"([{"op":"rescale"}])"),
            "data.transforms[0].scale: missing, expected a number");
  EXPECT_EQ(errorOf(R"([{"op":"rescale","scale":"1"}])"),
            "data.transforms[0].scale: found \"1\", expected a number");
}

TEST(TransformErrors, Normalize) {
  EXPECT_EQ(errorOf(R"([{"op":"normalize","std":[1]}])"),
            "data.transforms[0].mean: missing, expected a list of 1 or 3 "
            "numbers, one a channel");
  EXPECT_EQ(errorOf(R"([{"op":"normalize","mean":[1,2],"std":[1]}])"),
            "data.transforms[0].mean: found [1,2], expected a list of 1 or 3 "
            "numbers, one a channel");
  EXPECT_EQ(errorOf(R"([{"op":"normalize","mean":[1],"std":5}])", kGrey),
            "data.transforms[0].std: found 5, expected a list of 1 number");
  EXPECT_EQ(errorOf(R"([{"op":"normalize","mean":[1],"std":[1,0,1]}])"),
            "data.transforms[0].std: found 0, expected numbers above 0, "
            "because pixels are divided by them");
}

TEST(TransformErrors, Resize) {
  const std::string expected =
      ", expected [height, width], each from 1 to 16384";
  EXPECT_EQ(errorOf(R"([{"op":"resize"}])"),
            "data.transforms[0].size: missing" + expected);
  for (const char *size : {"5", "[5]", "[5,0]", "[5,-1]", "[5,16385]",
                           "[5.5,5]", "[18446744073709551615,5]", "[5,\"5\"]"})
    EXPECT_EQ(
        errorOf(("[{\"op\":\"resize\",\"size\":" + std::string(size) + "}]")
                    .c_str()),
        "data.transforms[0].size: found " + std::string(size) + expected);
  EXPECT_EQ(errorOf(R"([{"op":"resize","size":[16384,16384]}])"),
            "data.transforms[0]: makes images of 3x16384x16384, expected at "
            "most 16384 pixels a side and 67108864 in all");
}

TEST(TransformErrors, Pad) {
  const std::string expected = ", expected a number or [top, bottom, left, "
                               "right], each from 0 to 16384";
  EXPECT_EQ(errorOf(R"([{"op":"pad"}])"),
            "data.transforms[0].padding: missing" + expected);
  for (const char *padding : {"-1", "[1,2]", "1.5", "[1,2,3,-4]", "\"2\""})
    EXPECT_EQ(
        errorOf(("[{\"op\":\"pad\",\"padding\":" + std::string(padding) + "}]")
                    .c_str()),
        "data.transforms[0].padding: found " + std::string(padding) + expected);
  EXPECT_EQ(errorOf(R"([{"op":"pad","padding":16384}])"),
            "data.transforms[0]: makes images of 3x32773x32775, expected at "
            "most 16384 pixels a side and 67108864 in all");
}

TEST(TransformErrors, ShapeOfTheModel) {
  EXPECT_EQ(errorOf("[]", {1, 0, 28}),
            "data.transforms: starts from images of 1x0x28, expected extents "
            "from 1 to 16384 and 67108864 values in all");
  EXPECT_EQ(errorOf("null", {1, INT64_MAX, INT64_MAX}).substr(0, 38),
            "data.transforms: starts from images of");
}

TEST(TransformErrors, IntegersTakeNone) {
  // Longer than any image may be.
  SampleShape shape{1, 1, 100000};
  for (const char *text : {"[]", "null"}) {
    auto pipeline = TransformPipeline::create(nlohmann::json::parse(text),
                                              shape, ElementType::I32);
    ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
    EXPECT_EQ(pipeline->outputShape(), shape);
    EXPECT_EQ(pipeline->elementType(), ElementType::I32);
  }
  auto pipeline = TransformPipeline::create(
      nlohmann::json::parse(R"([{"op":"rescale","scale":2}])"), shape,
      ElementType::I32);
  ASSERT_FALSE(pipeline.ok());
  EXPECT_EQ(pipeline.status().code(), ExitCode::Input);
  EXPECT_EQ(pipeline.status().message(),
            "data.transforms: found operations, expected none, because the "
            "samples are integers; remove them");
}

TEST(TransformErrors, ManyOperations) {
  nlohmann::json pads(65, {{"op", "pad"}, {"padding", 1}});
  Result<TransformPipeline> refused =
      TransformPipeline::create(pads, {1, 2, 2});
  EXPECT_EQ(refused.status().message(),
            "data.transforms: found 65 operations, expected 64 at most");
  // As many as there may be have a border on each side.
  pads.erase(0);
  Result<TransformPipeline> padded = TransformPipeline::create(pads, {1, 2, 2});
  ASSERT_EQ(padded.status().message(), "");
  TransformScratch scratch = padded->makeScratch();
  std::vector<float> out(130 * 130);
  const uint8_t image[] = {1, 2, 3, 4};
  padded->apply(image, out.data(), scratch);
  for (int y = 0; y < 130; ++y)
    for (int x = 0; x < 130; ++x) {
      bool isInside = (y == 64 || y == 65) && (x == 64 || x == 65);
      EXPECT_EQ(out[y * 130 + x], isInside ? image[(y - 64) * 2 + x - 64] : 0);
    }
}

TEST(TransformErrors, Bytes) {
  auto errorOf = [](const char *transforms) {
    auto pipeline = bytesPipeline(transforms);
    EXPECT_FALSE(pipeline.ok());
    EXPECT_EQ(pipeline.status().code(), ExitCode::Input);
    return pipeline.status().message();
  };
  EXPECT_EQ(errorOf(R"([{"op":"rescale","scale":2},
                        {"op":"resize","size":[3,3]}])"),
            "data.transforms[1]: moves pixels after an operation that the "
            "program does itself, because it takes bytes; move it before all "
            "rescale and normalize");
  for (auto [value, found] :
       {std::pair("-1", "-1"), {"256", "256"}, {"0.5", "0.5"}})
    EXPECT_EQ(errorOf((R"([{"op":"pad","padding":1,"value":)" +
                       std::string(value) + "}]")
                          .c_str()),
              "data.transforms[0].value: found " + std::string(found) +
                  ", expected an integer from 0 to 255 because the program "
                  "takes bytes");
}

TEST(TransformErrors, LongValuesAreCut) {
  EXPECT_EQ(errorOf(("[\"" + std::string(100, 'x') + "\"]").c_str()),
            "data.transforms[0]: found \"" + std::string(36, 'x') +
                "..., expected an object with \"op\"");
}

} // namespace
} // namespace boostrt
