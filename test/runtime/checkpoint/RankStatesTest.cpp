// Checkpoints of jobs whose ranks have states of their own.
#include "runtime/checkpoint/Checkpoint.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"

namespace boostrt {
namespace {

constexpr uint32_t kRanks = 3;
constexpr const char *kPath = "/ck/mlp-1_20.ckpt";

/// Rank r's state at step s is that of SampleRun(100 * r + s).
class OwnStates {
public:
  explicit OwnStates(int step) : step_(step) {}

  RankStates states() {
    return {kRanks,
            [this](uint32_t rank) -> Result<std::span<const TensorView>> {
              if (rank == failing)
                return Status(ExitCode::RankLost, "rank 2 is gone");
              run_ = SampleRun(100 * int(rank) + step_);
              views_ = run_.state();
              return std::span<const TensorView>(views_);
            }};
  }

  uint32_t failing = 0;

private:
  int step_;
  SampleRun run_{0};
  std::vector<TensorView> views_;
};

std::unique_ptr<CheckpointStore> openStore(FileSystem &files) {
  auto store = CheckpointStore::open(files, "/ck", "mlp", 2);
  EXPECT_TRUE(store.ok()) << store.status().message();
  return store.ok() ? std::move(*store) : nullptr;
}

Result<std::string> saveStates(CheckpointStore &store, int step,
                               uint32_t failing = 0) {
  SampleRun run(step);
  OwnStates others(step);
  others.failing = failing;
  return store.save(positionAt(step), run.weights(), run.state(),
                    others.states());
}

void expectStates(FileSystem &files, const std::string &path, int step) {
  Result<LoadedCheckpoint> loaded = loadCheckpoint(files, path);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->rankStates, kRanks);
  for (uint32_t rank = 1; rank < kRanks; ++rank) {
    Result<SafetensorsFile> state = loadRankState(files, path, rank);
    ASSERT_TRUE(state.ok()) << state.status().message();
    SampleRun found(0), expected(100 * int(rank) + step);
    ASSERT_TRUE(readTensors(*state, found.stateTargets()).ok());
    EXPECT_EQ(found.momentum, expected.momentum);
    EXPECT_EQ(found.counter, expected.counter);
  }
  expectError(loadRankState(files, path, kRanks).status(), ExitCode::Checkpoint,
              "has the states of 3 ranks");
}

TEST(RankStates, ComeBackAsTheyWere) {
  SimulatedFileSystem files;
  auto store = openStore(files);
  Result<std::string> path = saveStates(*store, 20);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_TRUE(holdsStep(files, kPath, 20));
  EXPECT_TRUE(
      files.content(std::string(kPath) + "/state.rank-00002.safetensors"));
  expectStates(files, kPath, 20);
}

TEST(RankStates, EachIsVerified) {
  for (const char *name :
       {"state.rank-00001.safetensors", "state.rank-00002.safetensors"}) {
    SimulatedFileSystem files;
    auto store = openStore(files);
    ASSERT_TRUE(saveStates(*store, 10).ok());
    ASSERT_TRUE(saveStates(*store, 20).ok());
    std::vector<uint8_t> &content =
        *files.content(std::string(kPath) + "/" + name);
    content[content.size() / 2] ^= 4;
    expectError(verifyCheckpoint(files, kPath).status(), ExitCode::Checkpoint,
                name);
    expectError(loadRankState(files, kPath, name[15] - '0').status(),
                ExitCode::Checkpoint, "the checkpoint is damaged");
    Result<NewestCheckpoint> newest = store->newestValid();
    ASSERT_TRUE(newest.ok() && newest->found);
    EXPECT_EQ(newest->position, positionAt(10));
  }
}

TEST(RankStates, OneThatCannotBeFetchedLeavesWhatIsThere) {
  SimulatedFileSystem files;
  auto store = openStore(files);
  ASSERT_TRUE(saveStates(*store, 10).ok());
  size_t before = files.paths().size();
  expectError(saveStates(*store, 20, /*failing=*/2).status(),
              ExitCode::RankLost, "rank 2 is gone");
  EXPECT_EQ(files.paths().size(), before);
  EXPECT_TRUE(saveStates(*store, 20).ok());
}

TEST(RankStates, NoCrashCostsACheckpoint) {
  bool isDone = false;
  int stop = 1; // 0 is never
  for (; !isDone; ++stop) {
    SimulatedFileSystem files;
    {
      auto store = openStore(files);
      ASSERT_TRUE(saveStates(*store, 10).ok());
      files.restart(Survival::All); // counts from here
      files.stopBefore(stop);
      isDone = saveStates(*store, 20).ok() && !files.stopped();
      files.restart(Survival::Nothing);
    }
    auto store = openStore(files);
    Result<NewestCheckpoint> newest = store->newestValid();
    ASSERT_TRUE(newest.ok() && newest->found) << "before call " << stop;
    EXPECT_TRUE(newest->skipped.empty());
    int step = static_cast<int>(newest->position.stepInEpoch);
    EXPECT_TRUE(step == 10 || step == 20);
    expectStates(files, newest->path, step);
  }
  EXPECT_GT(stop, 20) << "a save is more calls than that";
}

} // namespace
} // namespace boostrt
