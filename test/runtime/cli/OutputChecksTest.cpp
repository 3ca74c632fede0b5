// What outputs of a command do not replace.
#include "test/runtime/data/IdxFiles.h"
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

#include <filesystem>

using namespace boostrt;
using testing::HasSubstr;

namespace {

constexpr const char *kData = "--data=digits:train=64,test=8";

/// Runs that must leave `path` as it is.
void expectKept(const std::string &path, const std::string &what,
                const std::vector<std::vector<std::string>> &runs,
                const std::vector<std::string> &environment = {}) {
  std::string before = readFile(path);
  ASSERT_FALSE(before.empty()) << path;
  for (const std::vector<std::string> &arguments : runs) {
    Finished run = boostRunProcess(arguments, environment);
    EXPECT_EQ(run.exitCode, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("'" + path + "' is " + what +
                                   ", which would be lost; give another name"));
    EXPECT_EQ(readFile(path), before);
  }
}

TEST(OutputChecks, FilesOfCheckpoints) {
  TemporaryDirectory directory;
  const std::string program = fixture("softmax"), all = directory / "c",
                    checkpoints = "--checkpoint-dir=" + all;
  Finished run =
      boostRunProcess({program, kData, "--epochs=1", checkpoints, "--no-eval"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  std::string newest;
  for (const auto &entry : std::filesystem::directory_iterator(all))
    if (entry.path().extension() == ".ckpt")
      newest = entry.path();
  for (const char *name : {"weights.safetensors", "manifest.json"}) {
    std::string file = newest + "/" + name;
    expectKept(file, "a file of a checkpoint",
               {{program, kData, "--init=" + all, "--save=" + file},
                {program, kData, checkpoints, "--metrics=" + file},
                {program, kData, "--init=" + all, "--save-best=" + file},
                {"eval", program, kData, "--ckpt=" + all, "--metrics=" + file},
                {"export", program, "--ckpt=" + all, "-o", file}});
  }
  std::string names = directory / "names.json";
  writeFile(names, "{}");
  expectKept(
      names, "the file of --names",
      {{"export", program, "--ckpt=" + all, "--names=" + names, "-o", names},
       {"eval", program, kData, "--ckpt=" + all, "--names=" + names,
        "--metrics=" + names}});
  std::string lock = all + "/.boost-run.lock";
  expectKept(lock, "the lock of a directory of checkpoints",
             {{program, kData, "--init=" + all, "--metrics=" + lock}});
}

TEST(OutputChecks, FilesOfDataSets) {
  TemporaryDirectory directory;
  const std::string program = fixture("softmax"), data = directory / "d";
  std::filesystem::create_directory(data);
  TinyMnist set;
  set.trainImages = set.testImages = idx({1, 28, 28}, std::string(784, 'x'));
  set.trainLabels = set.testLabels = idx({1}, "\1");
  set.write(data);
  const std::string source = "--data=mnist:" + data,
                    file = data + "/t10k-labels-idx1-ubyte",
                    what = "a file of the data set 'mnist:" + data + "'";
  expectKept(file, what,
             {{program, source, "--save=" + file},
              {program, source, "--metrics=" + file}});
  // What else is there may be replaced.
  std::string mine = data + "/m.jsonl";
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(boostRunProcess({program, source, "--metrics=" + mine}).exitCode,
              0);
}

TEST(OutputChecks, TheRankTableOfTheEnvironment) {
  TemporaryDirectory directory;
  std::string table = directory / "t.json";
  ASSERT_EQ(boostRunProcess({"rank-table", "create", "--hosts=127.0.0.1",
                             "--devices=1", "-o", table})
                .exitCode,
            0);
  expectKept(table, "the file of RANK_TABLE_FILE",
             {{fixture("softmax"), kData, "--metrics=" + table}},
             {"RANK_TABLE_FILE=" + table});
}

} // namespace
