// Which data a run reads; every way it can be unfit.
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

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
  EXPECT_EQ(data->spec, "digits:train=5,test=4");
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
                                     "--data is not given"});
}

TEST_F(RunDataChoice, AnUnknownScheme) {
  expectData(open("softmax", kDigits, "nmist:/dir"), {"nmist"});
}

TEST_F(RunDataChoice, SamplesOfAnotherShape) {
  expectData(open("wide", kDigits), {"samples are 1x28x28, after the model's "
                                     "transforms 1x28x28; the model takes "
                                     "1x224x224"});
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
