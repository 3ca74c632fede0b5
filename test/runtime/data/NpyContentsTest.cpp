// What a directory of NumPy arrays holds besides images and labels: integers,
// features by another name, targets; and every way that can be wrong.

#include "test/runtime/data/NpyFiles.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

namespace boostrt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Three training samples of four integers and two of test, with targets of
/// 2x1.
class NpyContents : public NpyDirectory {
protected:
  void SetUp() override {
    write("train_images", npy("<i4", "(3, 4)", bytesOf(kTrain)));
    write("test_images", npy("<i4", "(2, 4)", bytesOf(kTest)));
    write("train_targets", npy("<f4", "(3, 2, 1)", bytesOf(kTrainTargets)));
    write("test_targets", npy("<f4", "(2, 2, 1)", bytesOf(kTestTargets)));
  }
  void rename(const std::string &from, const std::string &to) {
    std::filesystem::rename(path(from), path(to));
  }
  void remove(const std::string &name) { std::filesystem::remove(path(name)); }

  const std::vector<int32_t> kTrain = {0, 1, 2, 3, 4, 5, -6, 7, 8, 9, 10, 11};
  const std::vector<int32_t> kTest = {20,        21, 22, 23,
                                      INT32_MIN, 25, 26, INT32_MAX};
  const std::vector<float> kTrainTargets = {0.5f, -1, 2, 3, 1e30f, 5};
  const std::vector<float> kTestTargets = {6, 7, 8, 9};
};

template <typename T>
std::vector<T> valuesAt(const uint8_t *bytes, size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes, count * sizeof(T));
  return values;
}

TEST_F(NpyContents, ReadsIntegersAndTargets) {
  Result<DataSource> source = openData("npy:" + directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  const Dataset &train = *source->train, &test = *source->test;
  EXPECT_EQ(train.size(), 3);
  EXPECT_EQ(test.size(), 2);
  EXPECT_EQ(train.elementType(), ElementType::I32);
  EXPECT_EQ(train.shape(), (SampleShape{1, 1, 4}));
  EXPECT_EQ(train.bytesPerSample(), 16);
  EXPECT_EQ(valuesAt<int32_t>(train.sample(1), 4),
            (std::vector<int32_t>{4, 5, -6, 7}));
  EXPECT_EQ(valuesAt<int32_t>(test.sample(1), 4),
            (std::vector<int32_t>{INT32_MIN, 25, 26, INT32_MAX}));
  EXPECT_FALSE(train.hasLabels());
  EXPECT_EQ(train.classes(), 0);
  ASSERT_TRUE(train.hasTargets());
  EXPECT_EQ(train.targets().shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(train.targets().elements(), 2);
  EXPECT_EQ(train.targets().source, path("train_targets"));
  EXPECT_EQ(valuesAt<float>(train.targets().at(2), 2),
            (std::vector<float>{1e30f, 5}));
  EXPECT_EQ(valuesAt<float>(test.targets().at(0), 2),
            (std::vector<float>{6, 7}));
  EXPECT_EQ(source->description,
            "npy: 3 train + 2 test samples of 1x1x4 integers, targets of 2x1, "
            "from " +
                directory.path());
}

TEST_F(NpyContents, IntegersOf64BitsAreTheSame) {
  std::vector<int64_t> wide(kTrain.begin(), kTrain.end());
  wide[3] = INT32_MIN;
  wide[4] = INT32_MAX;
  write("train_images", npy("<i8", "(3, 4)", bytesOf(wide)));
  Result<DataSource> source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->elementType(), ElementType::I32);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(
        valuesAt<int32_t>(source->train->sample(i), 4),
        std::vector<int32_t>(wide.begin() + 4 * i, wide.begin() + 4 * i + 4));

  for (int64_t bad : {int64_t{INT32_MAX} + 1, int64_t{INT32_MIN} - 1,
                      int64_t{1} << 32, INT64_MIN, INT64_MAX}) {
    wide[6] = bad;
    EXPECT_EQ(errorOf("train_images", npy("<i8", "(3, 4)", bytesOf(wide))),
              path("train_images") + ": found " + std::to_string(bad) +
                  " in sample 1 at position 2, expected -2147483648 to "
                  "2147483647; number the values from 0");
  }
}

TEST_F(NpyContents, SamplesOfTwoAndThreeExtents) {
  write("train_images", npy("<i4", "(3, 2, 2)", bytesOf(kTrain)));
  write("test_images", npy("<i8", "(2, 2, 2)", std::string(64, '\0')));
  Result<DataSource> source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->shape(), (SampleShape{1, 2, 2}));
  write("train_images", npy("<f4", "(3, 2, 2, 1)", std::string(48, '\0')));
  write("test_images", npy("<f4", "(2, 2, 2, 1)", std::string(32, '\0')));
  source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->shape(), (SampleShape{2, 2, 1}));
}

TEST_F(NpyContents, FeaturesIsAnotherNameOfImages) {
  rename("train_images", "train_features");
  EXPECT_TRUE(openNpy(directory.path()).ok());
  rename("test_images", "test_features");
  ASSERT_TRUE(openNpy(directory.path()).ok());
  EXPECT_EQ(openNpy(directory.path())->test->source(), path("test_features"));
  EXPECT_EQ(errorOf("train_images", "whatever is in it"),
            path("train_features") + ": found next to " + path("train_images") +
                ", expected one of the two, because both names mean the "
                "samples; remove one");
  remove("train_images");
  remove("train_features");
  EXPECT_EQ(error(),
            directory.path() +
                ": train_images.npy (or train_features.npy) not found; it "
                "holds test_features.npy, test_targets.npy, train_targets.npy; "
                "expected it there, plain or with .gz or .xz; get it from the "
                "data set's source");
}

TEST_F(NpyContents, SeveralLabelsASample) {
  write("train_labels", npy("|u1", "(3, 2)", std::string("\0\4\1\2\3\5", 6)));
  write("test_labels", npy("|u1", "(2, 2)", std::string("\1\2\0\4", 4)));
  Result<DataSource> source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->labelsPerSample(), 2);
  EXPECT_THAT(source->train->labels(1), ElementsAre(1, 2));
  EXPECT_THAT(source->train->labels(2), ElementsAre(3, 5));
  EXPECT_EQ(source->train->classes(), 6);
  EXPECT_THAT(source->test->labels(1), ElementsAre(0, 4));
}

TEST_F(NpyContents, LabelsAndTargetsTogether) {
  write("train_labels", npy("|u1", "(3,)", std::string("\0\4\1", 3)));
  write("test_labels", npy("|u1", "(2,)", "\1\2"));
  Result<DataSource> source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_TRUE(source->train->hasLabels());
  EXPECT_TRUE(source->train->hasTargets());
  EXPECT_EQ(source->train->label(1), 4);
  EXPECT_EQ(source->train->labelSource(), path("train_labels"));
  EXPECT_THAT(source->description,
              HasSubstr("samples of 1x1x4 integers, 5 classes, targets of 2x1, "
                        "from "));
  EXPECT_EQ(source->train->contents(),
            "1x1x4 integers, 5 classes, targets of 2x1");
  EXPECT_EQ(source->train->source(), path("train_images"));
}

TEST_F(NpyContents, Weights) {
  uint64_t before = openNpy(directory.path())->train->fingerprint();
  write("train_weights", npy("<f4", "(3,)", bytesOf<float>({0, 0.5f, 2})));
  EXPECT_THAT(error(),
              AllOf(HasSubstr(": test_weights.npy not found; it holds"),
                    HasSubstr("because train_weights.npy is; add it "
                              "or remove that")));
  write("test_weights", npy("<f4", "(2,)", bytesOf<float>({1, 3})));
  Result<DataSource> source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  ASSERT_TRUE(source->train->hasWeights());
  EXPECT_EQ(source->train->weights().elements(), 1);
  EXPECT_EQ(valuesAt<float>(source->train->weights().at(2), 1)[0], 2.0f);
  EXPECT_EQ(valuesAt<float>(source->test->weights().at(1), 1)[0], 3.0f);
  EXPECT_EQ(source->train->contents(),
            "1x1x4 integers, targets of 2x1, weights of 1");
  EXPECT_NE(source->train->fingerprint(), before);

  auto errorOfWeights = [&](const std::string &shape,
                            const std::vector<float> &weights) {
    return errorOf("train_weights", npy("<f4", shape, bytesOf(weights)));
  };
  EXPECT_EQ(errorOfWeights("(3,)", {1, 1, -0.5f}),
            path("train_weights") + ": found -0.5 in sample 2, expected "
                                    "weights of 0 or more; clean the array");
  EXPECT_EQ(errorOfWeights("(3,)", {1, NAN, 1}),
            path("train_weights") + ": found nan in sample 1, expected finite "
                                    "numbers; clean the array");
  EXPECT_EQ(errorOfWeights("(3,)", {0, 0, -0.0f}),
            path("train_weights") + ": found weights that are all 0, expected "
                                    "one above 0, because no sample counts");
  EXPECT_EQ(errorOfWeights("(2,)", {1, 1}),
            path("train_weights") +
                ": found 2 weights, expected 3, as many as there are samples "
                "in " +
                path("train_images") +
                "; check that both belong to the same split");
  EXPECT_THAT(errorOfWeights("(3, 2)", {1, 1, 1, 1, 1, 1}),
              HasSubstr("expected weights of the shape of "));
  EXPECT_EQ(errorOf("train_weights", npy("<i4", "(3,)", std::string(12, '\1'))),
            path("train_weights") +
                ": found int32 (3,), expected weights as float32 of shape "
                "(N, ...); convert with numpy's astype and reshape");
}

TEST_F(NpyContents, ATargetCanBeOneNumber) {
  write("train_targets", npy("<f4", "(3,)", bytesOf<float>({1, 2, 3})));
  write("test_targets", gzip(npy("<f4", "(2,)", bytesOf<float>({4, 5}))));
  Result<DataSource> source = openNpy(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->targets().elements(), 1);
  EXPECT_EQ(valuesAt<float>(source->test->targets().at(1), 1)[0], 5.0f);
  EXPECT_THAT(source->description, HasSubstr(" integers, targets of 1, from"));
}

TEST_F(NpyContents, BothSplitsHoldTheSame) {
  remove("test_targets");
  EXPECT_EQ(error(), directory.path() +
                         ": test_targets.npy not found; it holds "
                         "test_images.npy, train_images.npy, "
                         "train_targets.npy; expected it there, plain or with "
                         ".gz or .xz, because train_targets.npy is; add it or "
                         "remove that");
  remove("train_targets");
  EXPECT_THAT(errorOf("test_labels", npy("|u1", "(2,)", "\1\2")),
              AllOf(HasSubstr(": train_labels.npy not found; it holds"),
                    HasSubstr("because test_labels.npy is; add it or remove "
                              "that")));
}

// Enough for a model that compares with its own samples: their array says how
// many there are.
TEST_F(NpyContents, SamplesAlone) {
  uint64_t before = openNpy(directory.path())->train->fingerprint();
  remove("train_targets");
  remove("test_targets");
  Result<DataSource> source = openData("npy:" + directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  const Dataset &train = *source->train, &test = *source->test;
  EXPECT_EQ(train.size(), 3);
  EXPECT_EQ(test.size(), 2);
  EXPECT_FALSE(train.hasLabels());
  EXPECT_FALSE(train.hasTargets());
  EXPECT_EQ(train.classes(), 0);
  EXPECT_EQ(train.labelSource(), "");
  EXPECT_EQ(valuesAt<int32_t>(train.sample(2), 4),
            (std::vector<int32_t>{8, 9, 10, 11}));
  EXPECT_NE(train.fingerprint(), before);
  EXPECT_NE(train.fingerprint(), test.fingerprint());
  EXPECT_EQ(source->description,
            "npy: 3 train + 2 test samples of 1x1x4 integers, from " +
                directory.path());
}

TEST_F(NpyContents, TargetsOfTheWrongTypeShapeOrNumber) {
  EXPECT_EQ(
      errorOf("train_targets", npy("<i4", "(3, 2, 1)", std::string(24, '\0'))),
      path("train_targets") +
          ": found int32 (3, 2, 1), expected targets as float32 of shape "
          "(N, ...); convert with numpy's astype and reshape");
  EXPECT_THAT(errorOf("train_targets", npy("<f4", "()", "abcd")),
              HasSubstr("found float32 (), expected targets as float32"));
  EXPECT_EQ(
      errorOf("train_targets", npy("<f4", "(2, 2, 1)", std::string(16, '\0'))),
      path("train_targets") +
          ": found 2 targets, expected 3, as many as there are samples "
          "in " +
          path("train_images") + "; check that both belong to the same split");
  write("train_targets", npy("<f4", "(3, 2, 1)", bytesOf(kTrainTargets)));
  EXPECT_EQ(
      errorOf("test_targets", npy("<f4", "(2, 1, 2)", bytesOf(kTestTargets))),
      path("test_targets") +
          ": found float32 (2, 1, 2), expected targets of the shape of " +
          path("train_targets") + ", which holds float32 (3, 2, 1)");
}

TEST_F(NpyContents, TargetsThatAreNotFinite) {
  for (float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    std::vector<float> values = kTrainTargets;
    values[4] = bad;
    EXPECT_THAT(
        errorOf("train_targets", npy("<f4", "(3, 2, 1)", bytesOf(values))),
        AllOf(StartsWith(path("train_targets") + ": found "),
              HasSubstr("in sample 2, expected finite numbers; clean the "
                        "array")));
  }
}

TEST_F(NpyContents, DamagedTargetsAndIntegers) {
  std::string targets = npy("<f4", "(3, 2, 1)", bytesOf(kTrainTargets));
  EXPECT_THAT(errorOf("train_targets", targets.substr(0, targets.size() - 1)),
              StartsWith(path("train_targets") + ": truncated: "));
  write("train_targets", targets);
  std::string samples = npy("<i8", "(3, 4)", std::string(96, '\0'));
  EXPECT_THAT(
      errorOf("train_images", gzip(samples.substr(0, samples.size() - 8))),
      HasSubstr("truncated: found 88 bytes of elements, expected 96"));
}

TEST_F(NpyContents, BothSplitsAreOfOneType) {
  EXPECT_EQ(errorOf("test_images", npy("<f4", "(2, 4)", std::string(32, '\0'))),
            path("test_images") +
                ": found float32 (2, 4), expected samples of the type and "
                "shape of " +
                path("train_images") + ", which holds int32 (3, 4)");
}

TEST_F(NpyContents, FingerprintSeesTargetsAndIntegers) {
  auto fingerprint = [&] {
    return openNpy(directory.path())->train->fingerprint();
  };
  uint64_t before = fingerprint();
  EXPECT_EQ(fingerprint(), before);
  std::vector<float> targets = kTrainTargets;
  targets[3] = std::nextafter(targets[3], 9.0f);
  write("train_targets", npy("<f4", "(3, 2, 1)", bytesOf(targets)));
  uint64_t after = fingerprint();
  EXPECT_NE(after, before);
  std::vector<int32_t> samples = kTrain;
  ++samples[11];
  write("train_images", npy("<i4", "(3, 4)", bytesOf(samples)));
  EXPECT_NE(fingerprint(), after);
}

} // namespace
} // namespace boostrt
