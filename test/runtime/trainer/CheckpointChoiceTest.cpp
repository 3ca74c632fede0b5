// Which checkpoint a run starts from, and what it says where it starts from
// none.
#include "test/runtime/trainer/PiecewiseRun.h"

#include <gmock/gmock.h>

#include <filesystem>

using namespace boostrt;
using testing::HasSubstr;

namespace {

/// Changes a byte of a checkpoint's weights.
void damage(const std::string &checkpoint) {
  std::string file = checkpoint + "/weights.safetensors";
  std::string content = readFile(file);
  ASSERT_GT(content.size(), 1000u);
  content[900] ^= 1;
  writeFile(file, content);
}

TEST(CheckpointChoice, ADamagedCheckpointIsPassedOverForTheOneBefore) {
  PiecewiseRun whole("softmax"), pieces("softmax");
  ASSERT_EQ(whole.piece({"--epochs=3"}).exitCode, 0);
  ASSERT_EQ(pieces.piece({"--epochs=2"}).exitCode, 0);
  damage(pieces.directory() + "/softmax-2_8.ckpt");
  Finished run = pieces.piece({"--epochs=3"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("softmax-2_8.ckpt' is passed over: "));
  EXPECT_THAT(run.err, HasSubstr("resuming after epoch 1 step 8 from "));
  EXPECT_TRUE(whole.weights() == pieces.weights());
}

TEST(CheckpointChoice, WhatCannotBeRemovedIsSaidWheneverARunBegins) {
  PiecewiseRun run("softmax");
  std::string left = run.directory() + "/.deleted-softmax-1_8.ckpt";
  std::filesystem::create_directories(left + "/mine");
  writeFile(left + "/notes.txt", "mine");
  for (const char *epochs : {"--epochs=1", "--epochs=2"}) {
    Finished piece = run.piece({epochs});
    EXPECT_EQ(piece.exitCode, 0) << piece.err;
    EXPECT_THAT(piece.err,
                HasSubstr("cannot tidy '" + left + "': Directory not empty"));
    EXPECT_EQ(readFile(left + "/notes.txt"), "mine");
  }
}

TEST(CheckpointChoice, WhereAllAreDamagedTheUserDecides) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=3"}).exitCode, 0);
  std::string second = run.directory() + "/softmax-2_8.ckpt",
              third = run.directory() + "/softmax-3_8.ckpt";
  std::filesystem::remove_all(run.directory() + "/softmax-1_8.ckpt");
  damage(second);
  damage(third);
  std::string weights = readFile(second + "/weights.safetensors");
  for (const char *flag : {"--resume=auto", "--epochs=3"}) {
    Finished refused = run.piece({flag});
    EXPECT_EQ(refused.exitCode, 6) << refused.err;
    EXPECT_THAT(refused.err,
                HasSubstr("no checkpoint of 'softmax' in '" + run.directory() +
                          "' can be resumed: '" + third +
                          "/weights.safetensors' has the SHA-256 "));
    EXPECT_THAT(refused.err,
                HasSubstr("the checkpoint is damaged, use another one; 1 more "
                          "cannot be resumed either; bring one back from a "
                          "copy, or begin a new "
                          "run with --resume never"));
    EXPECT_EQ(refused.out, "") << "training began";
  }
  // A new run that may reach the name of a damaged one.
  Finished taken = run.piece({"--epochs=2", "--resume=never"});
  EXPECT_EQ(taken.exitCode, 2) << taken.err;
  EXPECT_THAT(taken.err,
              HasSubstr("--resume never starts a new run, which could "
                        "overwrite the damaged checkpoint '" +
                        second +
                        "'; give another --checkpoint-dir or "
                        "--checkpoint-prefix, or remove it"));
  EXPECT_EQ(taken.out, "") << "training began";
  // One that cannot leaves them as they are.
  for (std::vector<std::string> more :
       {std::vector<std::string>{"--epochs=1"},
        {"--epochs=3", "--checkpoint-prefix=other"}}) {
    more.push_back("--resume=never");
    Finished begun = run.piece(more);
    EXPECT_EQ(begun.exitCode, 0) << begun.err;
  }
  EXPECT_TRUE(readFile(second + "/weights.safetensors") == weights);
  EXPECT_TRUE(std::filesystem::exists(third));
}

/// Moves a checkpoint to another directory and leaves a link to it.
std::string moveAway(const std::string &checkpoint) {
  std::string elsewhere = checkpoint + "-moved";
  std::filesystem::rename(checkpoint, elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, checkpoint);
  return elsewhere;
}

TEST(CheckpointChoice, ALinkToACheckpointIsOne) {
  PiecewiseRun whole("softmax"), pieces("softmax");
  ASSERT_EQ(whole.piece({"--epochs=4"}).exitCode, 0);
  ASSERT_EQ(pieces.piece({"--epochs=2"}).exitCode, 0);
  std::string link = pieces.directory() + "/softmax-2_8.ckpt";
  std::string elsewhere = moveAway(link);
  // Newest, resumed from, and saved next to.
  Finished third = pieces.piece({"--epochs=3"});
  ASSERT_EQ(third.exitCode, 0) << third.err;
  EXPECT_THAT(third.err,
              HasSubstr("resuming after epoch 2 step 8 from " + link));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  // Not counted among the newest two any more: the link goes, not the files.
  Finished fourth = pieces.piece({"--epochs=4", "--keep-max=2"});
  ASSERT_EQ(fourth.exitCode, 0) << fourth.err;
  EXPECT_TRUE(whole.weights() == pieces.weights());
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(link)));
  EXPECT_TRUE(std::filesystem::exists(elsewhere + "/weights.safetensors"));
}

TEST(CheckpointChoice, ALinkIsReplacedByACheckpointOfItsName) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=2"}).exitCode, 0);
  std::string link = run.directory() + "/softmax-2_8.ckpt";
  std::string elsewhere = moveAway(link);
  Finished again = run.piece(
      {"--epochs=2", "--resume=" + run.directory() + "/softmax-1_8.ckpt"});
  ASSERT_EQ(again.exitCode, 0) << again.err;
  EXPECT_FALSE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(readFile(link + "/weights.safetensors") ==
              readFile(elsewhere + "/weights.safetensors"));
}

TEST(CheckpointChoice, WhatCannotBeReplacedIsNoPlaceForACheckpoint) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=1"}).exitCode, 0);
  std::string file = run.directory() + "/softmax-2_8.ckpt";
  auto expectRefused = [&] {
    Finished refused = run.piece({"--epochs=2"});
    EXPECT_EQ(refused.exitCode, 6) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("'" + file +
                                       "' is neither a directory nor a link to "
                                       "one, so no checkpoint of this name can "
                                       "be written; move it away or give "
                                       "another --checkpoint-prefix"));
    EXPECT_EQ(refused.out, "") << "training began";
  };
  writeFile(file, "mine");
  expectRefused();
  EXPECT_EQ(readFile(file), "mine");
  std::filesystem::remove(file);
  std::filesystem::create_directory_symlink(run.directory() + "/gone", file);
  expectRefused();
}

TEST(CheckpointChoice, ADirectoryStandsForTheNewestInIt) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=3"}).exitCode, 0);
  std::string folder = run.directory(), newest = folder + "/softmax-2_8.ckpt";
  damage(folder + "/softmax-3_8.ckpt");
  TemporaryDirectory directory;
  std::string save = directory / "w.safetensors";
  auto start = [&](const std::string &flag) {
    Finished finished =
        boostRunProcess({fixture("softmax"), "--data=digits:train=230,test=9",
                         "--no-eval", "--epochs=3", "--save=" + save, flag});
    EXPECT_EQ(finished.exitCode, 0) << finished.err;
    return finished;
  };
  std::string found = "softmax-3_8.ckpt' is passed over: ";
  for (const std::string &path : {folder, folder + "/"}) {
    Finished resumed = start("--resume=" + path);
    EXPECT_THAT(resumed.err, HasSubstr(found));
    EXPECT_THAT(resumed.err,
                HasSubstr("boost-run: the newest checkpoint in " + path +
                          " is " + newest +
                          "\nboost-run: resuming after epoch 2 step 8 from " +
                          newest + "\n"));
    EXPECT_TRUE(run.weights() == readFile(save));
  }
  Finished begun = start("--init=" + folder);
  EXPECT_THAT(begun.err, HasSubstr(found));
  EXPECT_THAT(begun.err, HasSubstr("boost-run: the newest checkpoint in " +
                                   folder + " is " + newest + "\n"));
  std::string weights = readFile(save);
  Finished named = start("--init=" + newest);
  EXPECT_THAT(named.err, testing::Not(HasSubstr("the newest checkpoint")));
  EXPECT_TRUE(readFile(save) == weights);
}

TEST(CheckpointChoice, AnIntervalInEpochsKeepsTheEpochsItDivides) {
  PiecewiseRun run("softmax");
  auto kept = [&] {
    std::vector<std::string> names;
    for (const auto &entry :
         std::filesystem::directory_iterator(run.directory()))
      if (entry.is_directory())
        names.push_back(entry.path().filename());
    return names;
  };
  std::vector<std::string> flags{"--epochs=7", "--checkpoint-every=2epochs",
                                 "--keep-max=3"};
  ASSERT_EQ(run.piece(flags).exitCode, 0);
  // 2, 4, 6 and the end.
  EXPECT_THAT(kept(), testing::UnorderedElementsAre("softmax-4_8.ckpt",
                                                    "softmax-6_8.ckpt",
                                                    "softmax-7_8.ckpt"));
  // Resumed after an odd epoch, the even ones count all the same.
  flags[0] = "--epochs=10";
  Finished resumed = run.piece(flags);
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resuming after epoch 7 step 8"));
  EXPECT_THAT(kept(), testing::UnorderedElementsAre("softmax-7_8.ckpt",
                                                    "softmax-8_8.ckpt",
                                                    "softmax-10_8.ckpt"));
}

TEST(CheckpointChoice, LinesInAnIntervalOfEpochs) {
  Finished run =
      boostRunProcess({fixture("softmax"), "--data=digits:train=230,test=9",
                       "--no-eval", "--epochs=5", "--log-every=2epochs"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  for (std::string epoch : {"2", "4", "5"})
    EXPECT_THAT(run.out, HasSubstr("epoch: " + epoch + " step: 8, loss is "));
  for (std::string epoch : {"1", "3"})
    EXPECT_THAT(run.out, testing::Not(HasSubstr("epoch: " + epoch + " step")));
}

TEST(CheckpointChoice, WhatIsNoCheckpointIsNamed) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=2"}).exitCode, 0);
  std::string weights = run.directory() + "/../w.safetensors";
  auto expect = [&](std::vector<std::string> arguments,
                    const std::string &text) {
    arguments.insert(arguments.begin() + (arguments[0] == "eval"),
                     fixture("softmax"));
    arguments.push_back("--data=digits:train=230,test=9");
    Finished finished = boostRunProcess(arguments);
    EXPECT_EQ(finished.exitCode, 6) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(text));
    EXPECT_EQ(finished.out, "");
  };
  expect({"--resume=" + weights},
         "'" + weights +
             "' is a file, expected a checkpoint, which is a directory; if it "
             "holds weights, begin a run with them: --init " +
             weights);
  TemporaryDirectory empty;
  expect({"--resume=" + (empty / "")},
         "' is a directory without manifest.json, so it is not a checkpoint "
         "and holds none; check the path");
  expect({"--resume=missing"}, "cannot open 'missing/manifest.json': No such "
                               "file or directory; check the path");
  expect({"--checkpoint-dir=" + weights},
         "--checkpoint-dir '" + weights +
             "' is a file, expected a directory; give it another name");
}

TEST(CheckpointChoice, NamesThatAreTooLongAreFoundBeforeTraining) {
  TemporaryDirectory directory;
  auto expect = [&](const std::string &flag, int code,
                    const std::string &text) {
    Finished run = boostRunProcess(
        {fixture("softmax"), "--data=digits:train=9,test=9", flag});
    EXPECT_EQ(run.exitCode, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_EQ(run.out, "") << "training began";
  };
  std::string name(256, 'n');
  expect("--save=" + (directory / name), 2, "--save: cannot write '");
  expect("--save-best=" + (directory / name), 2, "--save-best: cannot write '");
  expect("--checkpoint-dir=" + (directory / name), 6,
         "File name too long; choose a shorter one");
  // A path that has room for the lock and for nothing else.
  std::string path = directory / "";
  while (path.size() < 3850)
    path += std::string(200, 'd') + "/";
  path += std::string(4060 - path.size(), 'e');
  expect("--checkpoint-dir=" + path, 6,
         "would have names that are too long, such as "
         "'softmax-99999999_99999999.ckpt'; give a shorter --checkpoint-dir or "
         "--checkpoint-prefix");
}

TEST(CheckpointChoice, ADirectoryThatCannotBeMadeIsAnErrorBeforeTheFirstStep) {
  Finished run =
      boostRunProcess({fixture("softmax"), "--data=digits:train=9,test=9",
                       "--checkpoint-dir=/proc/nothing"});
  EXPECT_EQ(run.exitCode, 6) << run.err;
  EXPECT_THAT(run.err, HasSubstr("/proc/nothing"));
  EXPECT_EQ(run.out, "") << "training began";
}

} // namespace
