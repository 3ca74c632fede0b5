// What --data may name.

#include "runtime/data/Digits.h"
#include "test/runtime/data/DataFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace boostrt {
namespace {

using testing::HasSubstr;

std::string errorOf(const std::string &spec) {
  Result<DataSource> source = openData(spec);
  EXPECT_FALSE(source.ok()) << spec;
  if (source.ok())
    return "";
  EXPECT_EQ(source.status().code(), ExitCode::Data);
  return source.status().message();
}

TEST(DataSource, SchemesAreThoseThatTheCompilerTakes) {
  for (std::string_view scheme : kDataSchemes)
    EXPECT_TRUE(splitDataSpec(scheme).ok() &&
                checkDataSpec({std::string(scheme), "x"}).ok())
        << scheme;
}

TEST(DataSpec, SplitsAtTheFirstColon) {
  Result<DataSpec> spec = splitDataSpec("mnist:/data/a:b");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->scheme, "mnist");
  EXPECT_EQ(spec->argument, "/data/a:b");
  EXPECT_TRUE(spec->takesDirectory());
  EXPECT_EQ(spec->text(), "mnist:/data/a:b");

  spec = splitDataSpec("digits");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->scheme, "digits");
  EXPECT_EQ(spec->argument, "");
  EXPECT_FALSE(spec->takesDirectory());
  EXPECT_EQ(spec->text(), "digits");
}

TEST(DataSpec, DirectoryMayBeReplaced) {
  Result<DataSpec> spec = splitDataSpec("mnist:MNIST_Data");
  ASSERT_TRUE(spec.ok());
  spec->argument = "/elsewhere";
  EXPECT_EQ(spec->text(), "mnist:/elsewhere");
}

TEST(DataSource, UnknownSchemeGetsASuggestion) {
  EXPECT_EQ(errorOf("mnits:DIR"),
            "data source 'mnits:DIR': unknown data scheme 'mnits'; did you "
            "mean 'mnist'?; write mnist:DIR, cifar10:DIR, npy:DIR, "
            "imagefolder:DIR, digits or "
            "digits:train=N,test=M,seed=S");
  EXPECT_EQ(
      errorOf("cifar100:DIR"),
      "data source 'cifar100:DIR': unknown data scheme 'cifar100'; boostc "
      "does not have it; write "
      "mnist:DIR, cifar10:DIR, npy:DIR, imagefolder:DIR, digits or "
      "digits:train=N,test=M,seed=S");
  EXPECT_EQ(errorOf(""), "data source '': no data scheme; write mnist:DIR, "
                         "cifar10:DIR, npy:DIR, imagefolder:DIR, digits or "
                         "digits:train=N,test=M,seed=S");
}

TEST(DataSource, OtherNamesOfASchemeAreUnderstood) {
  for (auto [name, scheme] : {std::pair{"MNIST", "mnist"},
                              {"Fashion-MNIST", "mnist"},
                              {"CIFAR-10", "cifar10"},
                              {"numpy", "npy"},
                              {"ImageFolder", "imagefolder"},
                              {"ImageNet", "imagefolder"},
                              {"Digits", "digits"}})
    EXPECT_THAT(errorOf(std::string(name) + ":DIR"),
                HasSubstr("unknown data scheme '" + std::string(name) +
                          "'; did you mean '" + scheme + "'"));
  EXPECT_THAT(errorOf("tfrecord:DIR"),
              HasSubstr("unknown data scheme 'tfrecord'; boostc does "
                        "not have it; write mnist:DIR"));
}

TEST(DataSource, ADirectoryIsKnownByWhatItHolds) {
  for (auto [file, scheme] : {std::pair{"train-images-idx3-ubyte.gz", "mnist"},
                              {"train/train-images.idx3-ubyte", "mnist"},
                              {"data_batch_1.bin.xz", "cifar10"},
                              {"train_features.npy", "npy"}}) {
    TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "train");
    writeFile(directory / file, "");
    EXPECT_EQ(errorOf(directory.path()),
              "data source '" + directory.path() +
                  "': a directory without the scheme that says how to read "
                  "it; it holds files of " +
                  scheme + ": write " + scheme + ":" + directory.path());
  }
}

TEST(DataSource, ADirectoryIsKnownOnlyByFilesThatItsSchemeReads) {
  TemporaryDirectory directory;
  writeFile(directory / "train-images-idx3-ubyte.xz", "");
  EXPECT_THAT(errorOf(directory.path()),
              HasSubstr("; for a directory of MNIST files write 'mnist:"));
}

TEST(DataSource, DirectoryWithoutSchemeIsUnderstood) {
  EXPECT_THAT(errorOf("/data/mnist"),
              HasSubstr("for a directory of MNIST files write "
                        "'mnist:/data/mnist'"));
}

TEST(DataSource, MnistNeedsADirectory) {
  for (const char *spec : {"mnist", "mnist:"})
    EXPECT_EQ(errorOf(spec),
              "data source 'mnist' names no directory; write 'mnist:DIR' with "
              "the directory that holds the four IDX files, or set DATA_PATH "
              "to it");
}

TEST(DataSource, Cifar10NeedsADirectory) {
  EXPECT_EQ(errorOf("cifar10"),
            "data source 'cifar10' names no directory; write 'cifar10:DIR' "
            "with the directory that holds the six .bin files, or set "
            "DATA_PATH to it");
  Result<DataSpec> spec = splitDataSpec("cifar10:/data");
  ASSERT_TRUE(spec.ok());
  EXPECT_TRUE(spec->takesDirectory());
}

TEST(DataSource, ForeignBytesDoNotReachTheTerminal) {
  EXPECT_THAT(errorOf("a\x1b[2J:b"),
              HasSubstr("unknown data scheme 'a\\x1b[2J'"));
}

TEST(DataSource, OpensDigits) {
  Result<DataSource> source = openData("digits:test=20,train=30,seed=9");
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->size(), 30);
  EXPECT_EQ(source->test->size(), 20);
  EXPECT_EQ(source->description, "digits: 30 train + 20 test samples of "
                                 "1x28x28, 10 classes, drawn from seed 9");
  EXPECT_EQ(source->train->contents(), "1x28x28, 10 classes");
  EXPECT_EQ(source->train->source(), "digits (train, seed 9)");
}

TEST(DataSource, DigitsOptionsMayBeLeftOut) {
  for (const char *text : {"", "seed=1", "train=60000", "test=10000,"}) {
    Result<DigitsOptions> options = parseDigitsOptions(text);
    ASSERT_TRUE(options.ok()) << text;
    EXPECT_EQ(options->train, 60000);
    EXPECT_EQ(options->test, 10000);
    EXPECT_EQ(options->seed, 1u);
  }
}

TEST(DataSource, DigitsOptionsAreChecked) {
  EXPECT_EQ(errorOf("digits:trian=5"),
            "data source 'digits:trian=5': unknown option 'trian'; did you "
            "mean 'train'?; the options are train=N, test=M and seed=S");
  EXPECT_EQ(errorOf("digits:train=0"),
            "data source 'digits:train=0': train: found '0', expected a whole "
            "number from 1 to 1000000");
  EXPECT_EQ(errorOf("digits:seed=-1"),
            "data source 'digits:seed=-1': seed: found '-1', expected a whole "
            "number from 0 to 18446744073709551615");
  for (const char *value :
       {"", "x", "1x", "1.5", "+1", "1000001", "99999999999999999999999", " 1"})
    EXPECT_THAT(errorOf(std::string("digits:test=") + value),
                HasSubstr(std::string("test: found '") + value +
                          "', expected a whole number from 1 to 1000000"));
  EXPECT_THAT(errorOf("digits:train"), HasSubstr("train: found ''"));
  EXPECT_EQ(errorOf("digits:train=1000000"),
            "data source 'digits': found train=1000000, test=10000, expected "
            "at least 1 each and at most 1000000 together");
}

} // namespace
} // namespace boostrt
