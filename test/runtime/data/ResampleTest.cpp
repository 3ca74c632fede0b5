// Images in another size: against PyTorch, and what is drawn of them.

#include "runtime/data/Transform.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace boostrt {
namespace {

using nlohmann::json;

constexpr SampleShape kShape = {2, 5, 7};

std::vector<uint8_t> image(const SampleShape &shape = kShape) {
  std::vector<uint8_t> bytes(shape.elements());
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 37 % 251);
  return bytes;
}

TransformPipeline pipelineOf(const char *transforms, TransformPurpose purpose,
                             const SampleShape &shape = kShape) {
  auto pipeline = TransformPipeline::create(json::parse(transforms), shape,
                                            ElementType::U8, purpose);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
  return std::move(pipeline).value();
}

std::vector<float> run(const TransformPipeline &pipeline,
                       const std::vector<uint8_t> &bytes,
                       const DrawKey &key = {}) {
  std::vector<float> out(pipeline.outputShape().elements(), -1);
  TransformScratch scratch = pipeline.makeScratch();
  pipeline.apply(bytes.data(), out.data(), scratch, key);
  return out;
}

struct Golden {
  int64_t height, width;
  std::vector<double> values;
};

// golden_resample.py
const Golden kGolden[] = {
    {3, 4, {22.80952381, 80.38857143, 148.4685714, 206.047619,  35.38095238,
            92.96,       161.04,      218.6190476, 47.95238095, 105.5314286,
            173.6114286, 156.0612245, 62.80952381, 120.3885714, 188.4685714,
            114.5714286, 75.38095238, 132.96,      201.04,      127.1428571,
            87.95238095, 145.5314286, 184.9257143, 78.24489796}},
    {2, 9, {8.0,         32.66666667, 61.44444444, 90.22222222, 119.0,
            147.7777778, 176.5555556, 205.3333333, 230.0,       24.0,
            48.66666667, 77.44444444, 106.2222222, 135.0,       163.7777778,
            192.5555556, 194.7121212, 166.1363636, 48.0,        72.66666667,
            101.4444444, 130.2222222, 159.0,       187.7777778, 216.5555556,
            161.6666667, 19.0,        64.0,        88.66666667, 117.4444444,
            146.2222222, 175.0,       203.7777778, 188.1868687, 124.4242424,
            35.0}}};

TEST(Resample, IsPyTorchs) {
  std::vector<uint8_t> bytes = image();
  std::vector<double> in(bytes.begin(), bytes.end());
  for (const Golden &golden : kGolden) {
    ResampleFilter rows, columns;
    rows.set(kShape.height, golden.height);
    columns.set(kShape.width, golden.width);
    std::vector<double> scratch(2 * 5 * golden.width),
        out(golden.values.size());
    resample(in.data(), kShape, {0, 0, 5, 7}, rows, columns, scratch.data(),
             out.data());
    for (size_t i = 0; i < out.size(); ++i)
      EXPECT_NEAR(out[i], golden.values[i], 1e-7) << i; // of ten digits
  }
}

TEST(Resample, AFilterKeepsWhatIsConstantAndAllocatesOnce) {
  ResampleFilter filter;
  filter.reserve(100, 30);
  std::vector<double> ones(100, 1.0);
  for (int64_t in : {1, 7, 30, 31, 99, 100}) {
    filter.set(in, 30);
    ASSERT_EQ(filter.size(), 30);
    for (int64_t i = 0; i < 30; ++i)
      EXPECT_NEAR(filter.apply(ones.data(), 1, i), 1.0, 1e-15) << in;
  }
}

// 5x7 becomes 10x14, of which 6 columns and 10 rows are left.
TEST(Resample, AsTorchvisionEvaluates) {
  TransformPipeline whole = pipelineOf(R"([{"op":"resize_short","size":10}])",
                                       TransformPurpose::Evaluation);
  EXPECT_EQ(whole.outputShape(), (SampleShape{2, 10, 14}));
  TransformPipeline cut = pipelineOf(
      R"([{"op":"resize_short","size":10},{"op":"center_crop","size":[7,6]}])",
      TransformPurpose::Evaluation);
  ASSERT_EQ(cut.outputShape(), (SampleShape{2, 7, 6}));
  std::vector<float> all = run(whole, image()), found = run(cut, image());
  for (int64_t c = 0; c < 2; ++c)
    for (int64_t y = 0; y < 7; ++y)
      for (int64_t x = 0; x < 6; ++x)
        // 1.5 rows are left on top, which is rounded to 2.
        EXPECT_EQ(found[(c * 7 + y) * 6 + x],
                  all[(c * 10 + y + 2) * 14 + x + 4]);
  // The longer side is rounded down: 7 * 3 / 5.
  EXPECT_EQ(pipelineOf(R"([{"op":"resize_short","size":3}])",
                       TransformPurpose::Evaluation)
                .outputShape(),
            (SampleShape{2, 3, 4}));
}

constexpr DrawRange kScale = {0.08, 1.0}, kRatio = {0.75, 4.0 / 3.0};

TEST(RandomResizedCrop, PartsAreLegalAndVary) {
  SampleShape shape{3, 60, 80};
  double areas = 0, logarithms = 0;
  constexpr int64_t kDraws = 4000;
  for (int64_t sample = 0; sample < kDraws; ++sample) {
    ImageWindow window = drawWindow(shape, kScale, kRatio, {1, 0, sample}, 0);
    ASSERT_GE(window.top, 0);
    ASSERT_GE(window.left, 0);
    ASSERT_LE(window.top + window.height, 60);
    ASSERT_LE(window.left + window.width, 80);
    double area = static_cast<double>(window.height * window.width) / 4800;
    double ratio =
        static_cast<double>(window.width) / static_cast<double>(window.height);
    // Half a pixel on each side, of 17 or more.
    EXPECT_NEAR(std::clamp(area, 0.08, 1.0), area, 0.06 * area);
    EXPECT_NEAR(std::clamp(ratio, 0.75, 4.0 / 3.0), ratio, 0.06 * ratio);
    areas += area;
    logarithms += std::log(ratio);
  }
  // Uniform would be 0.54 and 0; parts that do not fit are drawn again. These
  // are the means of 400,000 draws by torchvision's rule, and four standard
  // deviations of ours.
  EXPECT_NEAR(areas / kDraws, 0.4379, 0.015);
  EXPECT_NEAR(logarithms / kDraws, 0.0306, 0.011);
}

TEST(RandomResizedCrop, WhatNeverFitsIsTheMiddle) {
  // Wider than any ratio allows, and higher.
  ImageWindow wide =
      drawWindow({1, 10, 1000}, {1.0, 1.0}, kRatio, {1, 0, 0}, 0);
  EXPECT_EQ(wide.height, 10);
  EXPECT_EQ(wide.width, 13);
  EXPECT_EQ(wide.left, 493);
  ImageWindow high =
      drawWindow({1, 1000, 10}, {1.0, 1.0}, kRatio, {1, 0, 0}, 0);
  EXPECT_EQ(high.height, 13);
  EXPECT_EQ(high.width, 10);
  EXPECT_EQ(high.top, 493);
}

TEST(RandomResizedCrop, IsThePartInTheSize) {
  TransformPipeline pipeline =
      pipelineOf(R"([{"op":"random_resized_crop","size":[4,3]}])",
                 TransformPurpose::Training);
  ASSERT_EQ(pipeline.outputShape(), (SampleShape{2, 4, 3}));
  std::vector<uint8_t> bytes = image();
  for (int64_t sample = 0; sample < 20; ++sample) {
    DrawKey key{5, 2, sample};
    ImageWindow window = drawWindow(kShape, kScale, kRatio, key, 0);
    SampleShape part{2, window.height, window.width};
    std::vector<uint8_t> cut;
    for (int64_t c = 0; c < 2; ++c)
      for (int64_t y = 0; y < part.height; ++y)
        for (int64_t x = 0; x < part.width; ++x)
          cut.push_back(bytes[(c * 5 + window.top + y) * 7 + window.left + x]);
    ResampleFilter rows, columns;
    rows.set(part.height, 4);
    columns.set(part.width, 3);
    std::vector<double> in(cut.begin(), cut.end()),
        scratch(2 * part.height * 3), out(2 * 4 * 3);
    resample(in.data(), part, {0, 0, part.height, part.width}, rows, columns,
             scratch.data(), out.data());
    EXPECT_EQ(run(pipeline, bytes, key),
              std::vector<float>(out.begin(), out.end()));
  }
}

TEST(RandomFlip, AsOftenAsItSays) {
  std::vector<uint8_t> bytes = image();
  std::vector<float> plain(bytes.begin(), bytes.end());
  for (double p : {0.0, 0.25, 1.0}) {
    TransformPipeline pipeline = pipelineOf(
        json::array({{{"op", "random_flip"}, {"p", p}}}).dump().c_str(),
        TransformPurpose::Training);
    int flips = 0;
    for (int64_t sample = 0; sample < 400; ++sample)
      flips += run(pipeline, bytes, {9, 0, sample}) != plain;
    // Four standard deviations of 8.7 at 0.25; none at the ends.
    EXPECT_NEAR(flips, 400 * p, p > 0 && p < 1 ? 35 : 0);
  }
}

std::string errorOf(const char *transforms,
                    TransformPurpose purpose = TransformPurpose::Training,
                    const char *list = "data.transforms") {
  auto pipeline = TransformPipeline::create(json::parse(transforms), kShape,
                                            ElementType::U8, purpose,
                                            TransformResult::Floats, list);
  EXPECT_FALSE(pipeline.ok()) << transforms;
  return pipeline.ok() ? "" : pipeline.status().message();
}

TEST(ResampleErrors, NameThePlace) {
  EXPECT_EQ(errorOf(R"([{"op":"resize_short","size":0}])"),
            "data.transforms[0].size: found 0, expected a number from 1 to "
            "16384");
  EXPECT_EQ(errorOf(R"([{"op":"center_crop","size":[6,7]}])",
                    TransformPurpose::Evaluation, "data.eval_transforms"),
            "data.eval_transforms[0].size: found 6x7, which does not fit into "
            "images of 5x7; put resize_short or pad before it");
  EXPECT_EQ(errorOf(R"([{"op":"random_resized_crop","size":[6,7]}])",
                    TransformPurpose::Evaluation),
            "data.transforms[0]: draws a part of the image, and an evaluation "
            "draws nothing; give data.eval_transforms");
  EXPECT_EQ(
      errorOf(
          R"([{"op":"random_resized_crop","size":[6,7],"scale":[0.5,1.5]}])"),
      "data.transforms[0].scale: found [0.5,1.5], expected [lowest, highest], "
      "above 0 and 1 at most");
  EXPECT_EQ(
      errorOf(R"([{"op":"random_resized_crop","size":[6,7],"ratio":[2,1]}])"),
      "data.transforms[0].ratio: found [2,1], expected [lowest, highest], "
      "above 0 and 1000 at most");
  EXPECT_EQ(errorOf(R"([{"op":"random_flip","p":1.5}])"),
            "data.transforms[0].p: found 1.5, expected a number from 0 to 1");
}

} // namespace
} // namespace boostrt
