// Taking a checkpoint's tensors over into a run, and whose checkpoint it is.
#include "runtime/checkpoint/Checkpoint.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"

namespace boostrt {
namespace {

std::unique_ptr<CheckpointStore> openStore(FileSystem &files) {
  Result<std::unique_ptr<CheckpointStore>> store =
      CheckpointStore::open(files, "/ck", "mlp", 5);
  EXPECT_TRUE(store.ok()) << store.status().message();
  return store.ok() ? std::move(*store) : nullptr;
}

/// A checkpoint that was saved and verified.
struct Saved {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  Result<std::string> path = saveStep(*store, 5);
  Result<LoadedCheckpoint> loaded =
      loadCheckpoint(files, path.ok() ? *path : std::string());
};

TEST(Restore, IsAllOrNothing) {
  Saved saved;
  ASSERT_TRUE(saved.loaded.ok());
  const LoadedCheckpoint &loaded = *saved.loaded;
  SampleRun run(1);
  const SampleRun untouched(1);
  std::vector<TensorTarget> state = run.stateTargets();

  state[1].dtype = BOOSTC_I32; // the last tensor of the last file
  expectError(restore(loaded, run.weightTargets(), state), ExitCode::Checkpoint,
              "tensor 'step' is I64 [], expected I32 []");
  state = run.stateTargets();
  state[0].shape = {3, 2};
  expectError(
      restore(loaded, run.weightTargets(), state), ExitCode::Checkpoint,
      "'/ck/mlp-1_5.ckpt/state.safetensors' does not fit the program: tensor "
      "'fc1.weight.momentum' is F32 [2, 3], expected F32 [3, 2]");
  state = run.stateTargets();
  state[1].name = "stepp";
  expectError(restore(loaded, run.weightTargets(), state), ExitCode::Checkpoint,
              "tensor 'stepp' is missing; did you mean 'step'?");
  state = run.stateTargets();
  state.pop_back();
  expectError(
      restore(loaded, run.weightTargets(), state), ExitCode::Checkpoint,
      "tensor 'step' is unknown; use a file that was saved by the same model");
  EXPECT_EQ(run, untouched);
}

/// What comes into memory is what was verified, or nothing that is used.
TEST(Restore, SeesAFileThatChangesAfterItWasVerified) {
  for (const char *name : {"weights.safetensors", "state.safetensors"}) {
    Saved saved;
    ASSERT_TRUE(saved.loaded.ok());
    saved.files.content(*saved.path + "/" + name)->back() ^= 1;
    SampleRun run(1);
    expectError(restore(*saved.loaded, run.weightTargets(), run.stateTargets()),
                ExitCode::Checkpoint,
                "'/ck/mlp-1_5.ckpt/" + std::string(name) +
                    "' has changed since it was verified; nothing may write "
                    "to a checkpoint that is being read: use another one");
  }
}

TEST(LoadWeights, TakesEitherForm) {
  SimulatedFileSystem files;
  std::unique_ptr<CheckpointStore> store = openStore(files);
  SampleRun run(5);
  Result<std::string> path = saveStep(*store, 5);
  ASSERT_TRUE(path.ok());
  ASSERT_TRUE(saveSafetensors(files, "/w.safetensors", run.weights()).ok());
  for (const std::string &form : {*path, std::string("/w.safetensors")}) {
    Result<SafetensorsFile> weights = loadWeights(files, form);
    ASSERT_TRUE(weights.ok()) << weights.status().message();
    SampleRun found(0);
    ASSERT_TRUE(readTensors(*weights, found.weightTargets()).ok());
    EXPECT_EQ(found.weight, run.weight);
    EXPECT_TRUE(loadWeights(files, form, 36).ok());
  }
  expectError(loadWeights(files, "/w.safetensors", 35).status(),
              ExitCode::Checkpoint,
              "it has 36 bytes of data, the program has use for 35");
  expectError(loadWeights(files, "/none").status(), ExitCode::Checkpoint,
              "cannot open '/none': No such file or directory");
  files.content(*path + "/weights.safetensors")->pop_back();
  expectError(loadWeights(files, *path).status(), ExitCode::Checkpoint,
              "the checkpoint is damaged");
  // The state is not needed to evaluate.
  ASSERT_TRUE(saveStep(*store, 5).ok());
  ASSERT_TRUE(files.removeFile(*path + "/state.safetensors").ok());
  EXPECT_TRUE(loadWeights(files, *path).ok());
}

TEST(SameRun, SaysWhatDiffersAndWhatToDo) {
  CheckpointPosition found = positionAt(5), expected = positionAt(0);
  std::string recipe = R"({"seed":7,"loss":"mse"})";
  auto check = [&] {
    return checkSameRun(found, recipe, expected, R"({"seed":8,"loss":"mse"})",
                        "p");
  };
  EXPECT_TRUE(check().ok()) << "where the hashes are equal, recipes are too";
  found.recipeHash = "beef";
  expectError(check(), ExitCode::Checkpoint,
              "'p' belongs to another run: seed is 7, expected 8; continue "
              "with the program that wrote it, give --changed-recipe to go on "
              "with the weights and the state that both have, or choose "
              "another --checkpoint-dir");
  recipe = R"({"seed":8,"loss":"mse"})";
  expectError(
      check(), ExitCode::Checkpoint,
      "'p' belongs to another run: the recipe hash of program 'mlp' is beef, "
      "expected " +
          expected.recipeHash +
          " (no key differs, so another version of boostc hashed it)");
  recipe = "";
  expectError(check(), ExitCode::Checkpoint,
              "(the checkpoint does not hold the recipe itself, so it cannot "
              "be said which keys differ)");
  found = positionAt(5);
  found.seed = 8;
  expectError(check(), ExitCode::Checkpoint,
              "the seed is 8, expected 7; give --seed 8, or choose another "
              "--checkpoint-dir");
  found = positionAt(5);
  found.shuffle = false;
  expectError(check(), ExitCode::Checkpoint,
              "shuffling is off, expected on; give --shuffle=off");
  found = positionAt(5);
  found.dataFingerprint = 0xbeef;
  expectError(check(), ExitCode::Checkpoint,
              "the fingerprint of the training data is 000000000000beef, "
              "expected 0000000000000000; give the --data of that run");
}

} // namespace
} // namespace boostrt
