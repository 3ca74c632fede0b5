// No crash costs a checkpoint: the machine stops, or a call fails, at every
// single file-system call of a save.
#include "runtime/checkpoint/Checkpoint.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"

#include <algorithm>
#include <cerrno>

namespace boostrt {
namespace {

constexpr const char *kDirectory = "/run/checkpoints";

std::unique_ptr<CheckpointStore> openStore(FileSystem &files, int keepMax = 2) {
  Result<std::unique_ptr<CheckpointStore>> store =
      CheckpointStore::open(files, kDirectory, "mlp", keepMax);
  EXPECT_TRUE(store.ok()) << store.status().message();
  return store.ok() ? std::move(*store) : nullptr;
}

/// The checkpoints that verify, each holding what its name says.
std::vector<int64_t> completeSteps(FileSystem &files) {
  std::vector<DirectoryEntry> entries;
  EXPECT_TRUE(files.list(kDirectory, entries).ok());
  std::vector<int64_t> steps;
  for (const DirectoryEntry &entry : entries) {
    if (entry.name.starts_with("."))
      continue;
    std::string path = std::string(kDirectory) + "/" + entry.name;
    Result<CheckpointPosition> position = verifyCheckpoint(files, path);
    EXPECT_TRUE(position.ok()) << "half a checkpoint under a final name: "
                               << position.status().message();
    if (!position.ok())
      continue;
    EXPECT_TRUE(holdsStep(files, path, position->stepInEpoch));
    steps.push_back(position->stepInEpoch);
  }
  std::ranges::sort(steps);
  return steps;
}

bool hasLeftOvers(const SimulatedFileSystem &files) {
  for (const std::string &path : files.paths())
    if (path.find("/.saving-") != std::string::npos ||
        path.find("/.replaced-") != std::string::npos ||
        path.find("/.deleted-") != std::string::npos)
      return true;
  return false;
}

/// Three checkpoints are there and one is about to be deleted by the save of
/// `newStep`. Runs the save on a machine that stops before call `stop`; returns
/// whether the save was finished before.
bool crashOnce(int newStep, int stop, Survival survival, uint64_t seed) {
  SimulatedFileSystem files;
  {
    std::unique_ptr<CheckpointStore> store = openStore(files, 3);
    for (int step : {10, 20, 30})
      EXPECT_TRUE(saveStep(*store, step).ok());
  }
  files.restart(Survival::Nothing);
  EXPECT_EQ(completeSteps(files), (std::vector<int64_t>{10, 20, 30}))
      << "a finished save survives a power cut";

  bool isSaved = false, isDone = false;
  {
    std::unique_ptr<CheckpointStore> store = openStore(files, 3);
    files.restart(Survival::All); // counts from here
    files.stopBefore(stop);
    isSaved = saveStep(*store, newStep).ok();
    isDone = isSaved && store->warning().empty() && !files.stopped();
    files.restart(survival, seed);
  }

  std::unique_ptr<CheckpointStore> store = openStore(files, 3);
  EXPECT_EQ(store->warning(), "");
  EXPECT_FALSE(hasLeftOvers(files));
  std::vector<int64_t> steps = completeSteps(files);
  std::string where = "stop before call " + std::to_string(stop) + ", seed " +
                      std::to_string(seed);
  for (int64_t step : {20, 30})
    EXPECT_TRUE(std::ranges::count(steps, step))
        << step << " is lost: " << where;
  if (isSaved) {
    EXPECT_TRUE(std::ranges::count(steps, newStep)) << where;
  } else {
    EXPECT_TRUE(std::ranges::count(steps, 10)) << where;
  }

  // What a resumed run would do.
  Result<NewestCheckpoint> newest = store->newestValid();
  EXPECT_TRUE(newest.ok() && newest->found) << where;
  if (newest.ok() && newest->found) {
    EXPECT_TRUE(newest->skipped.empty()) << where;
    EXPECT_EQ(newest->position.stepInEpoch, steps.back()) << where;
  }
  EXPECT_TRUE(saveStep(*store, 50).ok()) << where;
  return isDone;
}

int crashEverywhere(int newStep, Survival survival, uint64_t seeds) {
  int states = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    for (int stop = 1;; ++stop) {
      ++states;
      if (crashOnce(newStep, stop, survival, seed) ||
          testing::Test::HasFailure())
        break;
    }
  }
  return states;
}

// A save with one deletion is 35 calls or more; the counts below say that the
// loops really went through them.
TEST(CheckpointCrash, KilledProcess) {
  EXPECT_GE(crashEverywhere(40, Survival::All, 1), 30);
}
TEST(CheckpointCrash, PowerCutThatLosesAll) {
  EXPECT_GE(crashEverywhere(40, Survival::Nothing, 1), 30);
}
TEST(CheckpointCrash, PowerCutThatLosesData) {
  EXPECT_GE(crashEverywhere(40, Survival::NamesOnly, 1), 30);
}
TEST(CheckpointCrash, PowerCutThatLosesSomething) {
  EXPECT_GE(crashEverywhere(40, Survival::Random, 30), 900);
}
TEST(CheckpointCrash, WhileReplacingACheckpointOfTheSameStep) {
  for (Survival survival :
       {Survival::All, Survival::Nothing, Survival::NamesOnly})
    EXPECT_GE(crashEverywhere(30, survival, 1), 30);
  EXPECT_GE(crashEverywhere(30, Survival::Random, 20), 600);
}

TEST(CheckpointCrash, WhileTidying) {
  // Left-overs of all kinds, among them a checkpoint that stepped aside.
  auto prepare = [](SimulatedFileSystem &files) {
    std::string base = std::string(kDirectory) + "/";
    {
      std::unique_ptr<CheckpointStore> store = openStore(files, 5);
      for (int step : {10, 20, 30, 40})
        EXPECT_TRUE(saveStep(*store, step).ok());
    }
    auto move = [&](const std::string &from, const std::string &to) {
      EXPECT_TRUE(files.rename(base + from, base + to).ok());
    };
    move("mlp-1_20.ckpt", ".replaced-mlp-1_20.ckpt");
    move("mlp-1_30.ckpt", ".deleted-mlp-1_30.ckpt");
    move("mlp-1_40.ckpt", ".saving-mlp-1_40.ckpt");
    EXPECT_TRUE(files.syncDirectory(kDirectory).ok());
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (int stop = 1;; ++stop) {
      SimulatedFileSystem files;
      prepare(files);
      files.restart(Survival::Nothing);
      files.stopBefore(stop);
      bool isDone = CheckpointStore::open(files, kDirectory, "mlp", 5).ok() &&
                    !files.stopped();
      files.restart(Survival::Random, seed);
      std::unique_ptr<CheckpointStore> store = openStore(files, 5);
      EXPECT_FALSE(hasLeftOvers(files));
      EXPECT_EQ(completeSteps(files), (std::vector<int64_t>{10, 20}))
          << "stop before call " << stop;
      if (isDone || HasFailure())
        break;
    }
  }
}

/// A call fails, once or from then on; the run goes on and tries again later.
void failEverywhere(int newStep, int number, bool forever) {
  int failures = 0;
  for (int call = 1;; ++call) {
    SimulatedFileSystem files;
    std::unique_ptr<CheckpointStore> store = openStore(files);
    for (int step : {10, 20})
      ASSERT_TRUE(saveStep(*store, step).ok());
    int before = files.calls();
    files.failAt(call, number, forever);
    Result<std::string> saved = saveStep(*store, newStep);
    bool reached = files.calls() - before >= call;
    std::string where = "call " + std::to_string(call);
    if (!saved.ok()) {
      ++failures;
      EXPECT_EQ(int(saved.status().code()), int(ExitCode::Checkpoint));
      EXPECT_NE(saved.status().message().find(kDirectory), std::string::npos)
          << saved.status().message();
      if (number == ENOSPC) {
        EXPECT_NE(saved.status().message().find("free some space"),
                  std::string::npos)
            << saved.status().message();
      }
    }
    files.failAt(0, 0, false);
    files.restart(Survival::All);
    // A process started now must find everything; when even the way back was
    // blocked, it is the one to take it.
    EXPECT_EQ(openStore(files)->warning(), "") << where;
    std::vector<int64_t> steps = completeSteps(files);
    EXPECT_TRUE(std::ranges::count(steps, 20)) << where;
    if (!saved.ok()) {
      EXPECT_TRUE(std::ranges::count(steps, 10)) << where;
    } else {
      EXPECT_TRUE(std::ranges::count(steps, newStep)) << where;
    }

    // The same process tries again, as if nothing had been.
    EXPECT_TRUE(saveStep(*store, newStep).ok()) << where;
    EXPECT_EQ(store->warning(), "") << where;
    steps = completeSteps(files);
    EXPECT_EQ(steps.back(), newStep) << where;
    if (!reached || testing::Test::HasFailure())
      break;
  }
  EXPECT_GE(failures, 15) << "most calls of a save are essential";
}

TEST(CheckpointFailure, NoSpaceOnce) { failEverywhere(30, ENOSPC, false); }
TEST(CheckpointFailure, NoSpaceForever) { failEverywhere(30, ENOSPC, true); }
TEST(CheckpointFailure, IoErrorOnce) { failEverywhere(30, EIO, false); }
TEST(CheckpointFailure, IoErrorForever) { failEverywhere(30, EIO, true); }
TEST(CheckpointFailure, NoSpaceWhileReplacing) {
  failEverywhere(20, ENOSPC, false);
}
TEST(CheckpointFailure, IoErrorWhileReplacing) {
  failEverywhere(20, EIO, true);
}

TEST(CheckpointFailure, WhatCannotBeDeletedIsAWarning) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  for (int step : {10, 20})
    ASSERT_TRUE(saveStep(*store, step).ok());
  int before = files.calls();
  ASSERT_TRUE(saveStep(*store, 30).ok());
  int last = files.calls() - before; // removal of the emptied directory
  files.failAt(last, EACCES, false);
  Result<std::string> saved = saveStep(*store, 40);
  EXPECT_TRUE(saved.ok()) << saved.status().message();
  EXPECT_EQ(store->warning(),
            "cannot remove '/run/checkpoints/mlp-1_20.ckpt': "
            "Permission denied; check its permissions or choose "
            "another place");
}

TEST(CheckpointFailure, OpeningFailsClearlyAtEveryCall) {
  for (int call = 1;; ++call) {
    SimulatedFileSystem files;
    files.failAt(call, EACCES, false);
    Result<std::unique_ptr<CheckpointStore>> store =
        CheckpointStore::open(files, kDirectory, "mlp", 2);
    if (store.ok() && (*store)->warning().empty()) {
      EXPECT_GT(call, 5);
      break;
    }
    std::string message =
        store.ok() ? (*store)->warning() : store.status().message();
    EXPECT_NE(message.find("'/"), std::string::npos) << message;
    EXPECT_NE(message.find("check its permissions"), std::string::npos)
        << message;
  }
}

} // namespace
} // namespace boostrt
