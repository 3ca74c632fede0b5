// Transforms that draw: what they may do to an image, and what a draw depends
// on.

#include "runtime/data/Transform.h"
#include "test/runtime/data/BatchArenas.h"

#include <cmath>
#include <map>
#include <set>

namespace boostrt {
namespace {

constexpr SampleShape kShape = {2, 4, 5};

TransformPipeline pipelineOf(const char *transforms, TransformPurpose purpose,
                             SampleShape shape = kShape) {
  return TransformPipeline::create(nlohmann::json::parse(transforms), shape,
                                   ElementType::U8, purpose)
      .value();
}

std::vector<uint8_t> image() {
  std::vector<uint8_t> bytes(kShape.elements());
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i + 1); // no pixel is 0
  return bytes;
}

std::vector<float> run(const TransformPipeline &pipeline, const DrawKey &key) {
  std::vector<float> out(pipeline.outputShape().elements(), -1);
  TransformScratch scratch = pipeline.makeScratch();
  pipeline.apply(image().data(), out.data(), scratch, key);
  return out;
}

/// The image moved and mirrored, pixel by pixel.
std::vector<float> moved(int64_t down, int64_t right, bool flip) {
  std::vector<float> out;
  std::vector<uint8_t> bytes = image();
  for (int64_t c = 0; c < kShape.channels; ++c)
    for (int64_t y = 0; y < kShape.height; ++y)
      for (int64_t x = 0; x < kShape.width; ++x) {
        int64_t fromY = y + down;
        int64_t fromX = (flip ? kShape.width - 1 - x : x) + right;
        bool inside = fromY >= 0 && fromY < kShape.height && fromX >= 0 &&
                      fromX < kShape.width;
        out.push_back(
            inside ? bytes[(c * kShape.height + fromY) * kShape.width + fromX]
                   : 0.0f);
      }
  return out;
}

TEST(Augmentation, ACropIsEveryShiftAboutEquallyOften) {
  // More padding than the image is wide: crops of nothing but zeros are there.
  for (int64_t padding : {0, 1, 2, 6}) {
    TransformPipeline pipeline = pipelineOf(
        ("[{\"op\":\"random_crop\",\"padding\":" + std::to_string(padding) +
         "}]")
            .c_str(),
        TransformPurpose::Training);
    EXPECT_EQ(pipeline.outputShape(), kShape);
    int64_t side = 2 * padding + 1;
    std::map<std::vector<float>, double> shares; // those of equal crops add up
    for (int64_t down = -padding; down <= padding; ++down)
      for (int64_t right = -padding; right <= padding; ++right)
        shares[moved(down, right, false)] += 1.0 / double(side * side);
    std::map<std::vector<float>, int> counts;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i)
      ++counts[run(pipeline, {7, 1 + i % 4, i / 4})];
    EXPECT_EQ(counts.size(), shares.size());
    for (const auto &[pixels, count] : counts) {
      ASSERT_TRUE(shares.contains(pixels)) << "a crop that is no shift";
      // Six standard deviations of a binomial count.
      double expected = kDraws * shares[pixels];
      EXPECT_LE(std::abs(count - expected),
                6 * std::sqrt(expected * (1 - shares[pixels])) + 1e-9);
    }
  }
}

TEST(Augmentation, AFlipIsAMirrorHalfTheTime) {
  TransformPipeline pipeline =
      pipelineOf(R"([{"op":"random_flip"}])", TransformPurpose::Training);
  int flips = 0;
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<float> out = run(pipeline, {3, i % 5, i / 5});
    bool flipped = out == moved(0, 0, true);
    EXPECT_TRUE(flipped || out == moved(0, 0, false));
    flips += flipped;
  }
  EXPECT_NEAR(flips, kDraws / 2, 6 * std::sqrt(kDraws * 0.25));
}

TEST(Augmentation, ListsAreDoneInTheirOrder) {
  TransformPipeline pipeline =
      pipelineOf(R"([{"op":"rescale","scale":2},{"op":"random_crop",
      "padding":1},{"op":"random_flip"},{"op":"rescale","scale":1,"shift":5},
      {"op":"pad","padding":[1,0,0,0],"value":9}])",
                 TransformPurpose::Training);
  EXPECT_EQ(pipeline.outputShape(), (SampleShape{2, 5, 5}));
  std::set<std::vector<float>> seen;
  for (int64_t sample = 0; sample < 200; ++sample) {
    DrawKey key{11, 2, sample};
    BoostRandomBlock crop = randomBits(key, 1), flip = randomBits(key, 2);
    auto shift = [](uint32_t bits) {
      return static_cast<int64_t>(uint64_t{3} * bits >> 32) - 1;
    };
    // A mirror after the shift.
    std::vector<float> plain = moved(shift(crop.word[0]), shift(crop.word[1]),
                                     flip.word[0] >> 31),
                       expected;
    for (int64_t c = 0; c < 2; ++c) {
      expected.insert(expected.end(), 5, 9.0f);
      for (int64_t i = 0; i < 20; ++i)
        expected.push_back(plain[c * 20 + i] * 2 + 5);
    }
    EXPECT_EQ(run(pipeline, key), expected) << sample;
    seen.insert(expected);
  }
  EXPECT_EQ(seen.size(), 18u);
}

// Borders of several moves in one list: a later one covers an earlier one, and
// each is in the units of its place.
TEST(Augmentation, MovesAfterMoves) {
  const char *text = R"([{"op":"pad","padding":[1,2,0,3],"value":30},
      {"op":"random_flip"},{"op":"rescale","scale":0.5,"shift":1},
      {"op":"random_crop","padding":3},{"op":"normalize","mean":[1,2],
      "std":[4,8]},{"op":"center_crop","size":[5,6]},{"op":"random_flip",
      "p":0.7},{"op":"pad","padding":1,"value":-1},{"op":"random_crop",
      "padding":9},{"op":"rescale","scale":3}])";
  TransformPipeline pipeline = pipelineOf(text, TransformPurpose::Training);
  ASSERT_EQ(pipeline.outputShape(), (SampleShape{2, 7, 8}));
  /// One plane, operation by operation.
  struct Plane {
    int64_t height, width;
    std::vector<double> pixels;
    void become(int64_t rows, int64_t columns, int64_t top, int64_t left,
                bool flip, double outside) {
      std::vector<double> made;
      for (int64_t y = 0; y < rows; ++y)
        for (int64_t x = 0; x < columns; ++x) {
          int64_t fromY = y - top, fromX = (flip ? columns - 1 - x : x) - left;
          bool inside =
              fromY >= 0 && fromY < height && fromX >= 0 && fromX < width;
          made.push_back(inside ? pixels[fromY * width + fromX] : outside);
        }
      height = rows;
      width = columns;
      pixels = made;
    }
    void change(double (*function)(double, double, double), double a,
                double b) {
      for (double &pixel : pixels)
        pixel = function(pixel, a, b);
    }
  };
  auto rescale = [](double x, double a, double b) { return x * a + b; };
  auto normalize = [](double x, double a, double b) { return (x - a) / b; };
  std::vector<uint8_t> bytes = image();
  for (int64_t sample = 0; sample < 500; ++sample) {
    DrawKey key{5, 3, sample};
    auto shift = [&](size_t place, int word, int64_t padding) {
      return padding -
             below(2 * padding + 1, randomBits(key, place).word[word]);
    };
    std::vector<float> expected;
    for (int64_t c = 0; c < 2; ++c) {
      Plane plane = {
          4, 5, {bytes.begin() + c * 20, bytes.begin() + c * 20 + 20}};
      plane.become(7, 8, 1, 0, false, 30);
      plane.become(7, 8, 0, 0, randomBits(key, 1).word[0] >= 0.5 * 0x1p32, 0);
      plane.change(rescale, 0.5, 1);
      plane.become(7, 8, shift(3, 0, 3), shift(3, 1, 3), false, 0);
      plane.change(normalize, c == 0 ? 1 : 2, c == 0 ? 4 : 8);
      plane.become(5, 6, -1, -1, false, 0);
      plane.become(5, 6, 0, 0, randomBits(key, 6).word[0] >= (1 - 0.7) * 0x1p32,
                   0);
      plane.become(7, 8, 1, 1, false, -1);
      plane.become(7, 8, shift(8, 0, 9), shift(8, 1, 9), false, 0);
      plane.change(rescale, 3, 0);
      expected.insert(expected.end(), plane.pixels.begin(), plane.pixels.end());
    }
    ASSERT_EQ(run(pipeline, key), expected) << sample;
  }
}

// A program that takes bytes gets those that the same draws move.
TEST(Augmentation, BytesMoveAsNumbersDo) {
  const char *list = R"([{"op":"random_crop","padding":2},
      {"op":"random_flip"},{"op":"pad","padding":[1,0,2,0],"value":7}])";
  TransformPipeline numbers = pipelineOf(list, TransformPurpose::Training);
  auto bytes = TransformPipeline::create(
      nlohmann::json::parse(list), kShape, ElementType::U8,
      TransformPurpose::Training, TransformResult::Bytes);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_EQ(numbers.outputBytes(), 2 * 5 * 7 * 4);
  ASSERT_EQ(bytes->outputBytes(), 2 * 5 * 7);
  TransformScratch scratch = bytes->makeScratch();
  for (int64_t sample = 0; sample < 50; ++sample) {
    DrawKey key{3, 1, sample};
    std::vector<uint8_t> out(bytes->outputBytes() + 1, 0xcd);
    bytes->apply(image().data(), out.data(), scratch, key);
    EXPECT_EQ(out.back(), 0xcd);
    out.pop_back();
    EXPECT_EQ(std::vector<float>(out.begin(), out.end()), run(numbers, key));
  }
}

TEST(Augmentation, AnEvaluationDrawsNothing) {
  const char *with = R"([{"op":"random_crop","padding":4},
      {"op":"rescale","scale":0.5},{"op":"random_flip"}])";
  TransformPipeline plain = pipelineOf(R"([{"op":"rescale","scale":0.5}])",
                                       TransformPurpose::Evaluation);
  TransformPipeline evaluation = pipelineOf(with, TransformPurpose::Evaluation);
  for (int64_t sample = 0; sample < 50; ++sample)
    EXPECT_EQ(run(evaluation, {1, 1, sample}), run(plain, {}));
}

TEST(Augmentation, ADrawDependsOnSeedEpochSampleAndPlace) {
  auto draw = [](DrawKey key, size_t place) {
    BoostRandomBlock block = randomBits(key, place);
    return std::vector<uint32_t>(block.word, block.word + 4);
  };
  std::set<std::vector<uint32_t>> draws;
  for (uint64_t seed : {0, 1, 2})
    for (int64_t epoch : {1, 2, 3})
      for (int64_t sample : {0, 1, 49999})
        for (size_t place : {0, 1, 63})
          draws.insert(draw({seed, epoch, sample}, place));
  EXPECT_EQ(draws.size(), 81u);
  EXPECT_EQ(draw({1, 2, 3}, 4), draw({1, 2, 3}, 4));
  // Frozen: a change of the numbers would change every run that draws.
  EXPECT_EQ(
      draw({1, 1, 0}, 0),
      (std::vector<uint32_t>{0xf4401f6e, 0x5d00d471, 0x7a57ea28, 0xba0bf103}));
}

/// All rows of an epoch, in order, from position `first` on.
std::vector<float> rows(Prefetcher::Mode mode, int copies, int64_t batchSize,
                        int64_t epoch, int64_t first) {
  auto data = countingData(25);
  Arenas arenas(batchSize, copies);
  auto pipeline = pipelineOf(R"([{"op":"random_crop","padding":1},
      {"op":"random_flip"}])",
                             TransformPurpose::Training, {1, 2, 3});
  auto prefetcher = Prefetcher::create(*data, pipeline, Sampler(25, 5, true),
                                       arenas.layout, arenas.bases(), mode);
  EXPECT_TRUE(prefetcher.ok());
  (*prefetcher)->start(epoch, first);
  std::vector<float> all;
  while (true) {
    Result<Batch> batch = (*prefetcher)->next();
    EXPECT_TRUE(batch.ok());
    if (batch->end())
      return all;
    const float *features = arenas.features(*batch);
    all.insert(all.end(), features, features + batch->valid * kPixels);
  }
}

TEST(Augmentation, ThreadsBatchesAndResumingChangeNothing) {
  using Mode = Prefetcher::Mode;
  std::set<std::vector<float>> epochs;
  for (int64_t epoch : {1, 2, 3}) {
    std::vector<float> expected = rows(Mode::Inline, 1, 1, epoch, 0);
    ASSERT_EQ(expected.size(), size_t(25 * kPixels));
    epochs.insert(expected);
    for (int64_t batch : {1, 4, 25, 32})
      for (int copies : {2, 3, 5}) {
        EXPECT_EQ(rows(Mode::Background, copies, batch, epoch, 0), expected);
        EXPECT_EQ(rows(Mode::Inline, copies, batch, epoch, 0), expected);
        for (int64_t first : {4, 8, 24})
          EXPECT_EQ(rows(Mode::Background, copies, batch, epoch, first),
                    std::vector<float>(expected.begin() + first * kPixels,
                                       expected.end()));
      }
  }
  EXPECT_EQ(epochs.size(), 3u);
}

} // namespace
} // namespace boostrt
