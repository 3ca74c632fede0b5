// Which data a run reads; every way it can be unfit.
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/TokenFiles.h"

#include <gmock/gmock.h>

#include <cstdlib>

using namespace boostrt;
using testing::HasSubstr;

namespace {

class RunDataChoice : public testing::Test {
protected:
  void SetUp() override { unsetenv("DATA_PATH"); }
  void TearDown() override { unsetenv("DATA_PATH"); }

  Result<RunData> open(const std::string &name, const std::string &recipeText,
                       std::optional<std::string> data = std::nullopt) {
    auto loaded = Program::load(fixture(name));
    EXPECT_TRUE(loaded.ok());
    program_ = std::move(loaded).value();
    auto recipe = parseRecipe(recipeText.c_str(), "p.so");
    EXPECT_TRUE(recipe.ok());
    return openRunData(*program_, *recipe, data);
  }

  void expectData(const Result<RunData> &data,
                  const std::vector<std::string> &texts) {
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.status().code(), ExitCode::Data);
    for (const std::string &text : texts)
      EXPECT_THAT(data.status().message(), HasSubstr(text));
  }

  std::unique_ptr<Program> program_;
};

constexpr const char *kDigits =
    R"({"data":{"source":"digits:train=9,test=3"}})";
constexpr const char *kMnist = R"({"data":{"source":"mnist:own/dir"}})";

TEST_F(RunDataChoice, TheCommandLineGoesFirst) {
  setenv("DATA_PATH", "/no/such/directory", 1);
  auto data = open("softmax", kMnist, "digits:train=5,test=4");
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->source.train->size(), 5);
  EXPECT_EQ(data->spec.text(), "digits:train=5,test=4");
  EXPECT_EQ(data->note, "");
}

TEST_F(RunDataChoice, TheModelsOwnSourceComesLast) {
  auto data = open("softmax", kDigits);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->source.train->size(), 9);
  EXPECT_EQ(data->note,
            "data from the model's data.source: digits:train=9,test=3");
}

TEST_F(RunDataChoice, DataPathIsADirectoryForTheModelsScheme) {
  setenv("DATA_PATH", "/no/such/directory", 1);
  expectData(open("softmax", kMnist),
             {"/no/such/directory", "tried DATA_PATH=/no/such/directory",
              "data.source is 'mnist:own/dir'"});
  // A generator takes no directory, so DATA_PATH is not for it.
  EXPECT_TRUE(open("softmax", kDigits).ok());
}

TEST_F(RunDataChoice, ADirectoryThatDoesNotExistListsWhatWasTried) {
  expectData(open("softmax", kMnist),
             {"own/dir", "tried the model's data.source 'mnist:own/dir'",
              "--data is not given", "DATA_PATH is not set"});
  setenv("DATA_PATH", "", 1);
  expectData(open("softmax", kMnist), {"DATA_PATH is not set"});
}

TEST_F(RunDataChoice, NoSourceAtAll) {
  expectData(open("softmax", "{}"), {"the model names no data.source and "
                                     "--data is not given; try --data digits "
                                     "or --data mnist:DIR"});
  setenv("DATA_PATH", "/some/place", 1);
  expectData(open("softmax", "{}"),
             {"--data is not given, and DATA_PATH is only the directory for a "
              "data.source, which says how to read it; try --data digits or "
              "--data mnist:/some/place"});
}

TEST_F(RunDataChoice, AValueOfTheFlagThatIsNone) {
  for (const char *wrong : {"nmist:/dir", "mnist", "digits:train=0", ""}) {
    auto data = open("softmax", kDigits, wrong);
    ASSERT_FALSE(data.ok()) << wrong;
    EXPECT_EQ(data.status().code(), ExitCode::Usage);
    EXPECT_THAT(data.status().message(),
                testing::StartsWith("--data: data source '"));
  }
  // In the model, and where files are missing, it is the data.
  expectData(open("softmax", R"({"data":{"source":"nmist:/dir"}})"), {"nmist"});
  expectData(open("softmax", kDigits, "mnist:/no/such"), {"/no/such"});
}

TEST_F(RunDataChoice, TheShapeIsCheckedBeforeFilesAreRead) {
  // Reading would say that there is no such directory.
  expectData(open("softmax", kDigits, "cifar10:/no/such/directory"),
             {"cifar10:/no/such/directory: samples are 3x32x32, after the "
              "model's transforms 3x32x32; the model takes 1x28x28"});
}

TEST_F(RunDataChoice, SamplesOfAnotherShape) {
  expectData(open("wide", kDigits), {"samples are 1x28x28, after the model's "
                                     "transforms 1x28x28; the model takes "
                                     "1x224x224"});
}

TEST_F(RunDataChoice, SamplesOfTwoExtents) {
  // One channel is none; the same number of elements is not the same shape.
  EXPECT_TRUE(open("unlabelled", kDigits).ok());
  TokenFiles files(2, 2);
  for (const char *name : {"train_features.npy", "test_features.npy"})
    writeFile(files.path(name),
              npy("|u1", "(2, 4, 14, 14)", std::string(1568, '\1')));
  expectData(open("unlabelled", "{}", files.spec()),
             {"samples are 4x14x14, after the model's transforms 4x14x14; the "
              "model takes 28x28"});
}

TEST_F(RunDataChoice, TransformsThatAreNone) {
  auto data = open(
      "softmax",
      R"({"data":{"source":"digits:train=9,test=3","transforms":[{"op":"blur"}]}})");
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.status().code(), ExitCode::Input);
  EXPECT_THAT(data.status().message(), HasSubstr("blur"));
}

TEST_F(RunDataChoice, TheLayoutIsTheProgramsTables) {
  auto data = open("softmax", kDigits);
  ASSERT_TRUE(data.ok());
  const BoostProgram &program = program_->descriptor();
  EXPECT_EQ(data->layout.batchSize, 32);
  EXPECT_EQ(data->layout.samplesOffset, program.inputs[0].tensor.offset);
  EXPECT_EQ(data->layout.labelsOffset, program.inputs[1].tensor.offset);
  EXPECT_EQ(data->layout.validOffset, program.valid.offset);
  EXPECT_EQ(data->layout.classes, 10);
  EXPECT_FALSE(data->layout.targetsOffset);
  EXPECT_FALSE(data->layout.keysOffset);

  TokenFiles files(9, 3);
  data = open("table", "{}", files.spec());
  ASSERT_TRUE(data.ok()) << data.status().message();
  const BoostProgram &table = program_->descriptor();
  EXPECT_EQ(data->layout.batchSize, 12);
  EXPECT_EQ(data->layout.samplesOffset, table.inputs[0].tensor.offset);
  EXPECT_EQ(data->layout.targetsOffset, table.inputs[1].tensor.offset);
  EXPECT_EQ(data->layout.keysOffset, table.inputs[2].tensor.offset);
  EXPECT_EQ(data->layout.validOffset, table.valid.offset);
  EXPECT_EQ(data->layout.indexClasses, 8);
  EXPECT_FALSE(data->layout.labelsOffset);

  data = open("unlabelled", kDigits);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->layout.samplesOffset,
            program_->descriptor().inputs[0].tensor.offset);
  EXPECT_FALSE(data->layout.labelsOffset);
}

TEST_F(RunDataChoice, PixelsAndFloatsForAModelOfIntegers) {
  expectData(
      open("table", kDigits),
      {"digits:train=9,test=3: samples are pixels, but the model's input "
       "'token' takes integers from 0 to 7; use npy: with samples of "
       "int32 or int64"});
  TokenFiles files(9, 3);
  writeFile(files.path("train_features.npy"),
            npy("<f4", "(9, 4)", std::string(144, '\0')));
  writeFile(files.path("test_features.npy"),
            npy("<f4", "(3, 4)", std::string(48, '\0')));
  expectData(open("table", "{}", files.spec()),
             {files.spec() + ": samples are floats, but the model's input "
                             "'token' takes integers from 0 to 7; "});
}

TEST_F(RunDataChoice, IntegersForAModelOfPixels) {
  TokenFiles files(9, 3);
  expectData(open("softmax", "{}", files.spec()),
             {files.spec() + ": samples are integers, but the model's input "
                             "'image' takes pixels or floats; convert with "
                             "numpy's astype(\"float32\")"});
}

TEST_F(RunDataChoice, TransformsOfIntegers) {
  TokenFiles files(9, 3);
  expectData(
      open("table", R"({"data":{"transforms":[{"op":"rescale","scale":2}]}})",
           files.spec()),
      {files.spec() + ": the model has data.transforms, but its input 'token' "
                      "takes integers, which have none; remove data.transforms "
                      "from the model"});
  EXPECT_TRUE(
      open("table", R"({"data":{"transforms":[]}})", files.spec()).ok());
}

TEST_F(RunDataChoice, IntegersOfAnotherShape) {
  TokenFiles files(9, 3);
  writeFile(files.path("train_features.npy"),
            npy("<i4", "(9, 5)", std::string(180, '\0')));
  writeFile(files.path("test_features.npy"),
            npy("<i4", "(3, 5)", std::string(60, '\0')));
  expectData(
      open("table", "{}", files.spec()),
      {files.spec() + ": samples are 1x1x5 integers; the model takes 4"});
  // Flat samples have the number of elements for a shape.
  writeFile(files.path("train_features.npy"),
            npy("<i4", "(9, 2, 2)", std::string(144, '\0')));
  writeFile(files.path("test_features.npy"),
            npy("<i4", "(3, 1, 2, 2)", std::string(48, '\0')));
  EXPECT_TRUE(open("table", "{}", files.spec()).ok());
}

TEST_F(RunDataChoice, ASourceWithoutTheTargetsOrLabels) {
  TokenFiles files(9, 3);
  std::filesystem::remove(files.path("train_targets.npy"));
  std::filesystem::remove(files.path("test_targets.npy"));
  writeFile(files.path("train_labels.npy"),
            npy("|u1", "(9,)", std::string(9, '\0')));
  writeFile(files.path("test_labels.npy"),
            npy("|u1", "(3,)", std::string(3, '\0')));
  expectData(open("table", "{}", files.spec()),
             {files.spec() +
              ": the model compares with targets 'wanted' of 3 numbers a "
              "sample; the data set has none; add train_targets.npy and "
              "test_targets.npy"});

  TokenFiles images(9, 3);
  writeFile(images.path("train_features.npy"),
            npy("|u1", "(9, 28, 28)", std::string(9 * 784, '\1')));
  writeFile(images.path("test_features.npy"),
            npy("|u1", "(3, 28, 28)", std::string(3 * 784, '\1')));
  expectData(open("softmax", "{}", images.spec()),
             {images.spec() + ": the model reads labels 'label' of 10 classes; "
                              "the data set has none; add train_labels.npy and "
                              "test_labels.npy"});
  EXPECT_TRUE(open("unlabelled", "{}", images.spec()).ok());
}

// The program decides what must be there besides samples.
TEST_F(RunDataChoice, SamplesAlone) {
  TokenFiles files(9, 3);
  std::filesystem::remove(files.path("train_targets.npy"));
  std::filesystem::remove(files.path("test_targets.npy"));
  expectData(open("table", "{}", files.spec()),
             {files.spec() +
              ": the model compares with targets 'wanted' of 3 numbers a "
              "sample; the data set has none; add train_targets.npy and "
              "test_targets.npy"});

  writeFile(files.path("train_features.npy"),
            npy("|u1", "(9, 28, 28)", std::string(9 * 784, '\1')));
  writeFile(files.path("test_features.npy"),
            npy("|u1", "(3, 28, 28)", std::string(3 * 784, '\1')));
  expectData(open("softmax", "{}", files.spec()),
             {files.spec() + ": the model reads labels 'label' of 10 classes; "
                             "the data set has none; add train_labels.npy and "
                             "test_labels.npy"});
  auto data = open("unlabelled", "{}", files.spec());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->source.train->size(), 9);
  EXPECT_EQ(data->source.test->size(), 3);
}

TEST_F(RunDataChoice, TargetsOfAnotherSize) {
  TokenFiles files(9, 3);
  writeFile(files.path("train_targets.npy"),
            npy("<f4", "(9, 2, 2)", std::string(144, '\0')));
  writeFile(files.path("test_targets.npy"),
            npy("<f4", "(3, 2, 2)", std::string(48, '\0')));
  expectData(open("table", "{}", files.spec()),
             {files.path("train_targets.npy") +
              ": targets are 2x2, which is 4 numbers a sample; the model "
              "compares with targets 'wanted' of 3, which is 3; save the "
              "targets this model was written for"});
  // The number of elements decides, not how they are arranged.
  writeFile(files.path("train_targets.npy"),
            npy("<f4", "(9, 3, 1)", std::string(108, '\0')));
  writeFile(files.path("test_targets.npy"),
            npy("<f4", "(3, 3, 1)", std::string(36, '\0')));
  EXPECT_TRUE(open("table", "{}", files.spec()).ok());
}

/// Big-endian IDX files with one sample each, whose label is 10.
TEST_F(RunDataChoice, LabelsBeyondTheModelsClasses) {
  TemporaryDirectory directory;
  std::string images({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28});
  images.resize(16 + 784);
  std::string labels({0, 0, 8, 1, 0, 0, 0, 1, 10});
  for (const char *split : {"train", "t10k"}) {
    writeFile(directory / (std::string(split) + "-images-idx3-ubyte"), images);
    writeFile(directory / (std::string(split) + "-labels-idx1-ubyte"), labels);
  }
  expectData(open("softmax", kDigits, "mnist:" + directory.path()),
             {"train-labels-idx1-ubyte has labels up to 10, but the model has "
              "10 classes (0 to 9)"});
}

} // namespace
