#include "runtime/checkpoint/Checkpoint.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"

#include <algorithm>
#include <cerrno>

namespace boostrt {
namespace {

std::unique_ptr<CheckpointStore> openStore(FileSystem &files, int keepMax = 5,
                                           const std::string &prefix = "mlp") {
  Result<std::unique_ptr<CheckpointStore>> store =
      CheckpointStore::open(files, "/ck", prefix, keepMax);
  EXPECT_TRUE(store.ok()) << store.status().message();
  return store.ok() ? std::move(*store) : nullptr;
}

std::vector<std::string> namesIn(FileSystem &files, const std::string &path) {
  std::vector<DirectoryEntry> entries;
  EXPECT_TRUE(files.list(path, entries).ok());
  std::vector<std::string> names;
  for (DirectoryEntry &entry : entries)
    names.push_back(entry.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Checkpoint, ComesBackAsItWas) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  Result<std::string> path = saveStep(*store, 27);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(*path, "/ck/mlp-1_27.ckpt");
  EXPECT_EQ(namesIn(files, *path), (Names{"manifest.json", "state.safetensors",
                                          "weights.safetensors"}));
  EXPECT_TRUE(holdsStep(files, *path, 27));
  EXPECT_FALSE(holdsStep(files, *path, 28))
      << "the check itself must be able to fail";
}

TEST(Checkpoint, EveryFieldOfThePositionComesBack) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  CheckpointPosition position{.epoch = 3,
                              .stepInEpoch = 1875,
                              .samplesInEpoch = 59999,
                              .globalStep = 5625,
                              .skipped = 17,
                              .skippedInRow = 5,
                              .ranks = 3,
                              .microBatches = UINT32_MAX,
                              .microBatch = 1 << 24,
                              .choices = {2, 0},
                              .seed = UINT64_MAX,
                              .shuffle = false,
                              .recipeHash = "0123abcd",
                              .programName = "naïve \"net\"\n",
                              .dataFingerprint = UINT64_MAX - 1,
                              .basisFingerprint = UINT64_MAX - 2};
  SampleRun run(1);
  Result<std::string> path = store->save(position, run.weights(), run.state());
  ASSERT_TRUE(path.ok()) << path.status().message();
  Result<CheckpointPosition> verified = verifyCheckpoint(files, *path);
  ASSERT_TRUE(verified.ok()) << verified.status().message();
  EXPECT_EQ(*verified, position);
}

TEST(Checkpoint, OfNoTensorsIsOne) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  Result<std::string> path = store->save(positionAt(1), {}, {});
  ASSERT_TRUE(path.ok());
  Result<LoadedCheckpoint> loaded = loadCheckpoint(files, *path);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_TRUE(restore(*loaded, {}, {}).ok());
}

TEST(Checkpoint, MovesAndCopiesStayValid) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  ASSERT_TRUE(saveStep(*store, 27).ok());
  ASSERT_TRUE(files.rename("/ck/mlp-1_27.ckpt", "/ck/best").ok());
  EXPECT_TRUE(holdsStep(files, "/ck/best", 27));
}

TEST(Checkpoint, NewestIsByNumberNotByText) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  for (int step : {9, 100, 20})
    ASSERT_TRUE(saveStep(*store, step).ok());
  Result<NewestCheckpoint> newest = store->newestValid();
  ASSERT_TRUE(newest.ok() && newest->found);
  EXPECT_EQ(newest->path, "/ck/mlp-1_100.ckpt");
  EXPECT_EQ(newest->position, positionAt(100));
}

TEST(Checkpoint, EpochsCountBeforeSteps) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  ASSERT_TRUE(saveStep(*store, 1875).ok());
  CheckpointPosition position = positionAt(1);
  position.epoch = 2;
  SampleRun run(1);
  ASSERT_TRUE(store->save(position, run.weights(), run.state()).ok());
  Result<NewestCheckpoint> newest = store->newestValid();
  ASSERT_TRUE(newest.ok() && newest->found);
  EXPECT_EQ(newest->path, "/ck/mlp-2_1.ckpt");
}

TEST(Checkpoint, NothingThereIsNoError) {
  SimulatedFileSystem files;
  Result<NewestCheckpoint> newest =
      newestValidCheckpoint(files, "/none", "mlp");
  ASSERT_TRUE(newest.ok()) << newest.status().message();
  EXPECT_FALSE(newest->found);
  std::unique_ptr<CheckpointStore> store = openStore(files);
  newest = store->newestValid();
  ASSERT_TRUE(newest.ok());
  EXPECT_FALSE(newest->found);
}

TEST(Checkpoint, DamagedOnesArePassedOverAndSaid) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  for (int step : {10, 20, 30, 40})
    ASSERT_TRUE(saveStep(*store, step).ok());
  files.content("/ck/mlp-1_40.ckpt/weights.safetensors")->back() ^= 1;
  files.content("/ck/mlp-1_30.ckpt/manifest.json")->clear();
  ASSERT_TRUE(files.removeFile("/ck/mlp-1_20.ckpt/state.safetensors").ok());
  Result<NewestCheckpoint> newest = store->newestValid();
  ASSERT_TRUE(newest.ok() && newest->found);
  EXPECT_EQ(newest->path, "/ck/mlp-1_10.ckpt");
  ASSERT_EQ(newest->skipped.size(), 3u);
  EXPECT_EQ(newest->skipped[0].path, "/ck/mlp-1_40.ckpt");
  EXPECT_NE(newest->skipped[0].reason.find("has the SHA-256"),
            std::string::npos);
  EXPECT_NE(newest->skipped[1].reason.find("not the JSON it should be"),
            std::string::npos);
  EXPECT_NE(newest->skipped[2].reason.find("state.safetensors': No such file"),
            std::string::npos);
}

TEST(Checkpoint, AChangedNameIsNotBelieved) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  for (int step : {10, 20})
    ASSERT_TRUE(saveStep(*store, step).ok());
  ASSERT_TRUE(files.rename("/ck/mlp-1_10.ckpt", "/ck/mlp-1_99.ckpt").ok());
  Result<NewestCheckpoint> newest = store->newestValid();
  ASSERT_TRUE(newest.ok() && newest->found);
  EXPECT_EQ(newest->path, "/ck/mlp-1_20.ckpt");
  ASSERT_EQ(newest->skipped.size(), 1u);
  EXPECT_EQ(newest->skipped[0].reason,
            "'/ck/mlp-1_99.ckpt' holds epoch 1 step 10; its name was changed");
}

TEST(Checkpoint, OtherNamesAreNotOurs) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files, 2);
  for (const char *name :
       {"/ck/other-1_50.ckpt", "/ck/mlp-1_050.ckpt", "/ck/mlp-1_-5.ckpt",
        "/ck/mlp-1.ckpt", "/ck/mlp-1_5", "/ck/mlp-x-1_5.ckpt",
        "/ck/mlp-1_99999999999999999999.ckpt", "/ck/.saving-notes",
        "/ck/mlp-1_5_6.ckpt"})
    ASSERT_TRUE(files.makeDirectory(name).ok());
  std::vector<std::string> before = namesIn(files, "/ck");
  for (int step : {1, 2, 3})
    ASSERT_TRUE(saveStep(*store, step).ok());
  Result<NewestCheckpoint> newest = store->newestValid();
  ASSERT_TRUE(newest.ok() && newest->found);
  EXPECT_TRUE(newest->skipped.empty());
  store.reset();
  store = openStore(files, 2);
  std::vector<std::string> after = namesIn(files, "/ck");
  for (const std::string &name : before)
    EXPECT_EQ(std::ranges::count(after, name), 1) << name << " was deleted";
}

TEST(Checkpoint, KeepsTheNewest) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files, 3);
  for (int step = 1; step <= 6; ++step)
    ASSERT_TRUE(saveStep(*store, step).ok());
  EXPECT_EQ(namesIn(files, "/ck"),
            (Names{"mlp-1_4.ckpt", "mlp-1_5.ckpt", "mlp-1_6.ckpt"}));
}

TEST(Checkpoint, KeepsTwoEvenWhenOneIsAskedFor) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files, 1);
  for (int step = 1; step <= 4; ++step)
    ASSERT_TRUE(saveStep(*store, step).ok());
  EXPECT_EQ(namesIn(files, "/ck"), (Names{"mlp-1_3.ckpt", "mlp-1_4.ckpt"}));
}

TEST(Checkpoint, DamagedOnesDoNotCountAsKept) {
  SimulatedFileSystem files;
  {
    std::unique_ptr<CheckpointStore> store = openStore(files, 5);
    for (int step = 1; step <= 4; ++step)
      ASSERT_TRUE(saveStep(*store, step).ok());
  }
  files.content("/ck/mlp-1_3.ckpt/state.safetensors")->front() ^= 1;
  std::unique_ptr<CheckpointStore> store = openStore(files, 3);
  ASSERT_TRUE(saveStep(*store, 5).ok());
  EXPECT_EQ(namesIn(files, "/ck"), (Names{"mlp-1_2.ckpt", "mlp-1_3.ckpt",
                                          "mlp-1_4.ckpt", "mlp-1_5.ckpt"}));
}

TEST(Checkpoint, TheOneJustWrittenIsNeverDeleted) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files, 2);
  for (int step : {80, 90})
    ASSERT_TRUE(saveStep(*store, step).ok());
  ASSERT_TRUE(saveStep(*store, 10).ok()); // resumed from an early one
  EXPECT_EQ(namesIn(files, "/ck"), (Names{"mlp-1_10.ckpt", "mlp-1_90.ckpt"}));
}

TEST(Checkpoint, OneOfTheSameStepIsReplaced) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  ASSERT_TRUE(saveStep(*store, 10).ok());
  SampleRun other(99);
  ASSERT_TRUE(store->save(positionAt(10), other.weights(), other.state()).ok());
  EXPECT_EQ(namesIn(files, "/ck"), (Names{"mlp-1_10.ckpt"}));
  Result<LoadedCheckpoint> loaded = loadCheckpoint(files, "/ck/mlp-1_10.ckpt");
  ASSERT_TRUE(loaded.ok());
  SampleRun found(0);
  ASSERT_TRUE(
      restore(*loaded, found.weightTargets(), found.stateTargets()).ok());
  EXPECT_EQ(found, other);
}

TEST(Checkpoint, ASecondJobIsRefused) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> first = openStore(files);
  Result<std::unique_ptr<CheckpointStore>> second =
      CheckpointStore::open(files, "/ck/", "other", 5);
  expectError(second.status(), ExitCode::Checkpoint,
              "the checkpoint directory '/ck' is in use by process ");
  first.reset();
  EXPECT_TRUE(CheckpointStore::open(files, "/ck", "mlp", 5).ok());
}

TEST(Checkpoint, OptionsAreChecked) {
  SimulatedFileSystem files;
  for (const char *prefix : {"", "a/b", ".hidden", "a b", "\x1b[1m", "ä"})
    expectError(CheckpointStore::open(files, "/ck", prefix, 5).status(),
                ExitCode::Usage, "--checkpoint-prefix '");
  expectError(CheckpointStore::open(files, "/ck", "mlp", 0).status(),
              ExitCode::Usage, "--keep-max 0: expected at least 1");
  EXPECT_TRUE(files.paths().empty())
      << "nothing is made before the options are right";
}

TEST(Checkpoint, TensorsOfOneNameAreADefectOfOurs) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  SampleRun run(1);
  std::vector<TensorView> twice = run.weights();
  twice.push_back(twice.front());
  expectError(store->save(positionAt(1), twice, {}).status(),
              ExitCode::Internal,
              "cannot save tensor 'fc1.weight': the name is taken");
  std::vector<TensorView> misfit = run.state();
  misfit[0].shape = {7};
  expectError(store->save(positionAt(1), run.weights(), misfit).status(),
              ExitCode::Internal,
              "it has 24 bytes, its shape [7] needs another");
}

} // namespace
} // namespace boostrt
