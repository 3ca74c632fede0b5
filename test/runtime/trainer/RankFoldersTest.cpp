// Checkpoints in the folders that MindSpore's scripts make, and the directory
// that a run writes below.
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

#include <filesystem>

using namespace boostrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

constexpr const char *kData = "--data=digits:train=230,test=9";

/// Runs that train softmax below one working directory.
class Workdir {
public:
  std::string path() const { return directory_ / "w"; }
  std::string operator/(const std::string &name) const {
    return path() + "/" + name;
  }

  Finished train(std::vector<std::string> more) const {
    more.insert(more.begin(), {fixture("softmax"), kData, "--no-eval",
                               "--workdir=" + path()});
    return boostRunProcess(more);
  }
  void expectTrains(std::vector<std::string> more) const {
    Finished run = train(std::move(more));
    EXPECT_EQ(run.exitCode, 0) << run.err;
  }
  void expectRefused(std::vector<std::string> more, int code,
                     const std::string &text) const {
    Finished run = train(std::move(more));
    EXPECT_EQ(run.exitCode, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_THAT(run.out, testing::Not(HasSubstr("Starting Training")));
  }
  Finished evaluate(const std::string &path) const {
    return boostRunProcess(
        {"eval", fixture("softmax"), kData, "--ckpt=" + path});
  }

private:
  TemporaryDirectory directory_;
};

/// The text of a link; empty for what is not one.
std::string linkText(const std::string &path) {
  std::error_code error;
  std::string text = fs::read_symlink(path, error);
  return error ? "" : text;
}

TEST(RankFolders, OneFolderForEachRank) {
  Workdir run;
  run.expectTrains({"--rank-checkpoints", "--epochs=1", "--ranks=3"});
  EXPECT_TRUE(fs::exists(run / "train_parallel0/ckpt_0/softmax-1_3.ckpt"));
  for (std::string rank : {"1", "2"}) {
    std::string folder = run / ("train_parallel" + rank);
    EXPECT_FALSE(fs::is_symlink(folder));
    EXPECT_EQ(linkText(folder + "/ckpt_0"), "../train_parallel0/ckpt_0");
    EXPECT_TRUE(
        fs::exists(folder + "/ckpt_0/softmax-1_3.ckpt/weights.safetensors"));
  }
  EXPECT_FALSE(fs::exists(run / "train_parallel3"));
  EXPECT_FALSE(fs::exists(run / "train_parallel"));
}

TEST(RankFolders, OneFolderForAllRanks) {
  Workdir run;
  run.expectTrains(
      {"--rank-checkpoints=shared", "--epochs=1", "--ranks=2", "--comm=local"});
  EXPECT_TRUE(fs::exists(run / "train_parallel/ckpt_0/softmax-1_4.ckpt"));
  EXPECT_EQ(linkText(run / "train_parallel/ckpt_1"), "ckpt_0");
  EXPECT_FALSE(fs::exists(run / "train_parallel0"));
}

TEST(RankFolders, AnyNumberOfRanksResumes) {
  for (std::string layout : {"per-rank", "shared"}) {
    Workdir run;
    std::string flag = "--rank-checkpoints=" + layout;
    run.expectTrains({flag, "--epochs=1", "--ranks=4", "--comm=local"});
    for (int ranks : {1, 2, 5}) {
      Finished resumed =
          run.train({flag, "--epochs=" + std::to_string(ranks + 1),
                     "--ranks=" + std::to_string(ranks), "--comm=local"});
      EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
      EXPECT_THAT(resumed.err, HasSubstr("boost-run: resuming after epoch "));
    }
    EXPECT_NE(linkText(run / (layout == "shared" ? "train_parallel/ckpt_4"
                                                 : "train_parallel4/ckpt_0")),
              "");
  }
}

TEST(RankFolders, TheTreeCanBeMovedAndEveryFolderOfItEvaluated) {
  Workdir run, elsewhere;
  run.expectTrains({"--rank-checkpoints", "--epochs=2", "--ranks=2"});
  fs::rename(run.path(), elsewhere.path());
  std::string newest = elsewhere / "train_parallel0/ckpt_0/softmax-2_4.ckpt";
  for (std::string part : {"", "/", "/train_parallel0", "/train_parallel1",
                           "/train_parallel0/ckpt_0"}) {
    std::string path = elsewhere.path() + part;
    Finished evaluated = run.evaluate(path);
    EXPECT_EQ(evaluated.exitCode, 0) << evaluated.err;
    EXPECT_THAT(
        evaluated.err,
        HasSubstr("boost-run: the newest checkpoint in " + path + " is "));
    EXPECT_THAT(evaluated.out, HasSubstr("softmax-2_4.ckpt\n"));
    if (part.find('1') == std::string::npos) {
      EXPECT_THAT(evaluated.out, HasSubstr(" ckpt=" + newest + "\n"));
    }
  }
  std::string file = elsewhere / "out.safetensors";
  Finished exported = boostRunProcess(
      {"export", fixture("softmax"), "--ckpt=" + elsewhere.path(), "-o", file});
  EXPECT_EQ(exported.exitCode, 0) << exported.err;
  EXPECT_EQ(exported.err, "boost-run: the newest checkpoint in " +
                              elsewhere.path() + " is " + newest + "\n");
  Finished resumed = elsewhere.train({"--rank-checkpoints", "--epochs=3"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_THAT(resumed.err,
              HasSubstr("resuming after epoch 2 step 4 from " + newest));
}

TEST(RankFolders, ADirectoryWithCheckpointsOfSeveralRunsIsNotChosenFrom) {
  Workdir run;
  run.expectTrains({"--checkpoint-dir=one", "--epochs=1"});
  Finished only = run.evaluate(run.path());
  EXPECT_EQ(only.exitCode, 0) << only.err;
  EXPECT_THAT(only.out, HasSubstr(run / "one/softmax-1_8.ckpt\n"));
  run.expectTrains({"--rank-checkpoints=shared", "--epochs=1"});
  std::string text = "'" + run.path() +
                     "' has checkpoints in several directories, expected one; "
                     "give one of them: '" +
                     (run / "one") + "', '" + (run / "train_parallel/ckpt_0") +
                     "'";
  Finished several = run.evaluate(run.path());
  EXPECT_EQ(several.exitCode, 6);
  EXPECT_THAT(several.err, HasSubstr(text));
  run.expectRefused({"--init=" + run.path()}, 6, text);
  run.expectRefused({"--resume=" + run.path()}, 6, text);
}

TEST(RankFolders, WhatAUserHasThereStays) {
  Workdir run;
  writeFile(run / "train_parallel1/log.txt", "mine");
  writeFile(run / "train_parallel2/ckpt_0/notes.txt", "mine");
  run.expectRefused(
      {"--rank-checkpoints", "--ranks=3", "--comm=local"}, 6,
      "'" + (run / "train_parallel2/ckpt_0") +
          "' is not a link, expected the one by which rank 2 has the "
          "checkpoints in '" +
          (run / "train_parallel0/ckpt_0") +
          "'; move it away or give another --workdir");
  EXPECT_EQ(readFile(run / "train_parallel2/ckpt_0/notes.txt"), "mine");
  // Next to the link there may be anything.
  run.expectTrains({"--rank-checkpoints", "--ranks=2", "--epochs=1"});
  EXPECT_EQ(readFile(run / "train_parallel1/log.txt"), "mine");
}

TEST(RankFolders, LinksThatLeadElsewhereAreNamed) {
  Workdir run;
  fs::create_directories(run / "other");
  fs::create_directories(run / "train_parallel");
  fs::create_directory_symlink("../other", run / "train_parallel/ckpt_1");
  run.expectRefused({"--rank-checkpoints=shared", "--ranks=2", "--comm=local"},
                    6,
                    "'" + (run / "train_parallel/ckpt_1") +
                        "' is a link to '../other', expected the one by which "
                        "rank 1 has the checkpoints in '" +
                        (run / "train_parallel/ckpt_0") +
                        "'; remove the link or give another --workdir");
  EXPECT_EQ(linkText(run / "train_parallel/ckpt_1"), "../other");
  fs::create_directory_symlink("other", run / "train_parallel1");
  run.expectRefused({"--rank-checkpoints", "--ranks=2", "--comm=local"}, 6,
                    "'" + (run / "train_parallel1") +
                        "' is a link to 'other', expected a directory, which "
                        "is for rank 1; remove the link or give another "
                        "--workdir");
  EXPECT_TRUE(fs::is_empty(run / "other"));
  // A user's own link to the right place is as good.
  fs::remove(run / "train_parallel/ckpt_1");
  fs::create_directory_symlink(run / "train_parallel/ckpt_0",
                               run / "train_parallel/ckpt_1");
  run.expectTrains(
      {"--rank-checkpoints=shared", "--ranks=2", "--comm=local", "--epochs=1"});
}

TEST(RankFolders, FilesInPlaceOfFoldersAreNamed) {
  Workdir run;
  auto expectFile = [&](const std::string &name, std::vector<std::string> flags,
                        int code, const std::string &what) {
    writeFile(run.path() + name, "mine");
    run.expectRefused(flags, code,
                      "'" + run.path() + name +
                          "' is a file, expected a directory, " + what +
                          "; move it away or give another --workdir");
    EXPECT_EQ(readFile(run.path() + name), "mine");
    fs::remove(run.path() + name);
  };
  expectFile("", {}, 2, "which --workdir names");
  std::vector<std::string> two{"--rank-checkpoints", "--ranks=2",
                               "--comm=local"};
  expectFile("/train_parallel0", two, 6, "which is for rank 0's checkpoints");
  expectFile("/train_parallel0/ckpt_0", two, 6,
             "which is for rank 0's checkpoints");
  expectFile("/train_parallel1", two, 6, "which is for rank 1");
  run.expectTrains({"--epochs=1"});
}

TEST(RankFolders, ARunDoesNotBeginAnewInTheOtherLayout) {
  Workdir run;
  run.expectTrains({"--rank-checkpoints=shared", "--epochs=1"});
  run.expectRefused(
      {"--rank-checkpoints", "--epochs=2"}, 2,
      "'" + (run / "train_parallel/ckpt_0") +
          "' holds checkpoints of this name, and --rank-checkpoints=per-rank "
          "looks in '" +
          (run / "train_parallel0/ckpt_0") +
          "'; continue that run with --rank-checkpoints=shared, or give "
          "another --workdir");
  EXPECT_FALSE(fs::exists(run / "train_parallel0"));
  // Where it is asked for, it goes on there.
  Finished moved = run.train({"--rank-checkpoints", "--epochs=2",
                              "--resume=" + (run / "train_parallel")});
  EXPECT_EQ(moved.exitCode, 0) << moved.err;
  EXPECT_TRUE(fs::exists(run / "train_parallel0/ckpt_0/softmax-2_8.ckpt"));
}

TEST(RankFolders, ARunWithCheckpointsInItsLayoutGoesOnThere) {
  Workdir run;
  run.expectTrains({"--rank-checkpoints=shared", "--epochs=1"});
  run.expectTrains({"--rank-checkpoints", "--epochs=1", "--resume=never"});
  Finished second = run.train({"--rank-checkpoints", "--epochs=2"});
  EXPECT_EQ(second.exitCode, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("resuming after epoch 1 step 8 from " +
                                    (run / "train_parallel0/ckpt_0/")));
}

TEST(RankFolders, ALauncherNamesAWorkdirThatIsAFile) {
  Workdir run;
  writeFile(run.path(), "mine");
  run.expectRefused({"--ranks=2", "--log-dir=logs"}, 2,
                    "'" + run.path() +
                        "' is a file, expected a directory, which --workdir "
                        "names; move it away or give another --workdir");
  fs::remove(run.path());
}

TEST(RankFolders, TheWorkdirIsMadeForWhatIsWritten) {
  Workdir run;
  run.expectTrains({"--epochs=1", "--save=w.safetensors", "--metrics=m.jsonl",
                    "--checkpoint-dir=c", "--ranks=1", "--log-dir=log"});
  for (const char *name : {"w.safetensors", "m.jsonl", "c/softmax-1_8.ckpt",
                           "log/1/rank.0/stdout"})
    EXPECT_TRUE(fs::exists(run / name)) << name;
}

} // namespace
