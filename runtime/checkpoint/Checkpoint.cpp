// Reading and verifying checkpoints; CheckpointStore.cpp writes them.
#include "runtime/checkpoint/Checkpoint.h"

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/checkpoint/RecipeDifference.h"
#include "runtime/checkpoint/VerifiedFile.h"
#include "runtime/support/ParseNumber.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace boostrt {

/// What to say of a `path` that holds no manifest.
static Status notACheckpoint(FileSystem &files, const std::string &path,
                             IoError error) {
  std::vector<DirectoryEntry> entries;
  if (!files.list(path, entries).ok()) {
    std::unique_ptr<ReadableFile> file;
    if (files.open(path, file).ok())
      return Status(ExitCode::Checkpoint,
                    fmt::format("'{}' is a file, expected a checkpoint, which "
                                "is a directory; if it holds weights, begin a "
                                "run with them: --init {}",
                                path, path));
    return ioStatus(error, ExitCode::Checkpoint, "open",
                    path + "/" + kManifestFile);
  }
  return Status(ExitCode::Checkpoint,
                fmt::format("'{}' is a directory without {}, so it is not a "
                            "checkpoint and holds none; check the path",
                            path, kManifestFile));
}

static Result<CheckpointManifest> readManifest(FileSystem &files,
                                               const std::string &path) {
  std::string file = path + "/" + kManifestFile;
  std::unique_ptr<ReadableFile> probe;
  if (IoError error = files.open(file, probe);
      error.number() == ENOENT || error.number() == ENOTDIR)
    return notACheckpoint(files, path, error);
  Result<std::vector<uint8_t>> text =
      readWholeFile(files, file, kMaxManifestBytes, ExitCode::Checkpoint);
  BOOSTRT_RETURN_IF_ERROR(text.status());
  return parseManifest(*text, file);
}

SafetensorsMetadata weightsMetadata(const CheckpointPosition &position) {
  return {{"format", "pt"},
          {"epoch", std::to_string(position.epoch)},
          {"step", std::to_string(position.stepInEpoch)},
          {"global_step", std::to_string(position.globalStep)}};
}

CheckpointPosition savedPosition(const SafetensorsMetadata &metadata) {
  auto count = [&](const char *key) {
    auto found = metadata.find(key);
    if (found == metadata.end())
      return int64_t{0};
    int64_t value = parseWhole<int64_t>(found->second).value_or(0);
    return std::max<int64_t>(value, 0);
  };
  CheckpointPosition position;
  position.epoch = count("epoch");
  position.stepInEpoch = count("step");
  position.globalStep = count("global_step");
  return position;
}

static Result<SafetensorsFile> openVerified(FileSystem &files,
                                            const std::string &path,
                                            const ManifestFile &expected,
                                            uint64_t maxFileBytes) {
  Result<std::unique_ptr<VerifiedFile>> file =
      VerifiedFile::open(files, path, expected, maxFileBytes);
  BOOSTRT_RETURN_IF_ERROR(file.status());
  return SafetensorsFile::open(std::move(*file), path);
}

Result<LoadedCheckpoint> loadCheckpoint(FileSystem &files,
                                        const std::string &path,
                                        uint64_t maxFileBytes) {
  Result<CheckpointManifest> manifest = readManifest(files, path);
  BOOSTRT_RETURN_IF_ERROR(manifest.status());
  Result<SafetensorsFile> weights = openVerified(
      files, path + "/" + kWeightsFile, manifest->weights, maxFileBytes);
  BOOSTRT_RETURN_IF_ERROR(weights.status());
  Result<SafetensorsFile> state = openVerified(files, path + "/" + kStateFile,
                                               manifest->state, maxFileBytes);
  BOOSTRT_RETURN_IF_ERROR(state.status());
  return LoadedCheckpoint{path,
                          std::move(manifest->position),
                          std::move(manifest->recipe),
                          manifest->saysSamples,
                          std::move(*weights),
                          std::move(*state),
                          static_cast<uint32_t>(manifest->otherStates.size()) +
                              1};
}

Result<SafetensorsFile> loadRankState(FileSystem &files,
                                      const std::string &path, uint32_t rank,
                                      uint64_t maxFileBytes) {
  Result<CheckpointManifest> manifest = readManifest(files, path);
  BOOSTRT_RETURN_IF_ERROR(manifest.status());
  std::string file = path + "/" + rankStateFile(rank);
  if (rank < 1 || rank > manifest->otherStates.size())
    return Status(ExitCode::Checkpoint,
                  fmt::format("'{}' is not in the checkpoint, which has the "
                              "states of {} ranks",
                              file, manifest->otherStates.size() + 1));
  return openVerified(files, file, manifest->otherStates[rank - 1],
                      maxFileBytes);
}

Result<CheckpointPosition> verifyCheckpoint(FileSystem &files,
                                            const std::string &path) {
  Result<CheckpointManifest> manifest = readManifest(files, path);
  BOOSTRT_RETURN_IF_ERROR(manifest.status());
  auto verify = [&](const std::string &name, const ManifestFile &expected) {
    return VerifiedFile::open(files, path + "/" + name, expected).status();
  };
  BOOSTRT_RETURN_IF_ERROR(verify(kWeightsFile, manifest->weights));
  BOOSTRT_RETURN_IF_ERROR(verify(kStateFile, manifest->state));
  for (uint32_t i = 0; i < manifest->otherStates.size(); ++i)
    BOOSTRT_RETURN_IF_ERROR(
        verify(rankStateFile(i + 1), manifest->otherStates[i]));
  return manifest->position;
}

std::string SkippedCheckpoint::describe() const {
  return fmt::format("checkpoint '{}' is passed over: {}", path, reason);
}

Result<NewestCheckpoint>
newestValidCheckpoint(FileSystem &files, const std::string &directory,
                      std::optional<std::string_view> prefix) {
  NewestCheckpoint newest;
  std::vector<DirectoryEntry> entries;
  IoError error = files.list(directory, entries);
  if (error.number() == ENOENT)
    return newest;
  if (!error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "list", directory);
  for (const CheckpointName &name : checkpointsNewestFirst(entries, prefix)) {
    std::string path = directory + "/" + name.text;
    Result<CheckpointPosition> position = verifyCheckpoint(files, path);
    if (!position.ok()) {
      newest.skipped.push_back({path, position.status().message()});
      continue;
    }
    if (position->epoch != name.epoch || position->stepInEpoch != name.step) {
      newest.skipped.push_back(
          {path,
           fmt::format("'{}' holds epoch {} step {}; its name was changed",
                       path, position->epoch, position->stepInEpoch)});
      continue;
    }
    newest.found = true;
    newest.path = path;
    newest.position = *position;
    break;
  }
  return newest;
}

Result<SafetensorsFile> loadWeights(FileSystem &files, const std::string &path,
                                    uint64_t maxDataBytes) {
  std::vector<DirectoryEntry> entries;
  if (!files.list(path, entries).ok())
    return openSafetensors(files, path, maxDataBytes);
  uint64_t maxFileBytes = maxDataBytes == kNoLimit
                              ? kNoLimit
                              : maxDataBytes + kMaxSafetensorsOverhead;
  Result<CheckpointManifest> manifest = readManifest(files, path);
  BOOSTRT_RETURN_IF_ERROR(manifest.status());
  return openVerified(files, path + "/" + kWeightsFile, manifest->weights,
                      maxFileBytes);
}

Status restore(const LoadedCheckpoint &checkpoint,
               std::span<const TensorTarget> weights,
               std::span<const TensorTarget> state,
               const NameFilter &isIgnored) {
  BOOSTRT_RETURN_IF_ERROR(checkTensors(checkpoint.weights, weights));
  BOOSTRT_RETURN_IF_ERROR(checkTensors(checkpoint.state, state, isIgnored));
  BOOSTRT_RETURN_IF_ERROR(readTensors(checkpoint.weights, weights));
  return readTensors(checkpoint.state, state, isIgnored);
}

std::string describeRecipes(const CheckpointPosition &found,
                            const std::string &foundRecipe,
                            const CheckpointPosition &expected,
                            const std::string &expectedRecipe) {
  std::string difference = recipeDifference(foundRecipe, expectedRecipe);
  if (!difference.empty())
    return difference;
  return fmt::format(
      "the recipe hash of program '{}' is {}, expected {} ({})",
      printable(found.programName), printable(found.recipeHash),
      expected.recipeHash,
      foundRecipe.empty()
          ? "the checkpoint does not hold the recipe itself, so it cannot be "
            "said which keys differ"
          : "no key differs, so another version of boostc hashed it");
}

Status checkSameRun(const CheckpointPosition &found,
                    const std::string &foundRecipe,
                    const CheckpointPosition &expected,
                    const std::string &expectedRecipe,
                    const std::string &path) {
  auto differs = [&](const std::string &difference, std::string_view advice) {
    return Status(ExitCode::Checkpoint,
                  fmt::format("'{}' belongs to another run: {}; {}, or choose "
                              "another --checkpoint-dir",
                              path, difference, advice));
  };
  auto isNot = [](std::string_view what, auto &&a, auto &&b) {
    return fmt::format("{} is {}, expected {}", what, a, b);
  };
  if (found.recipeHash != expected.recipeHash)
    return differs(
        describeRecipes(found, foundRecipe, expected, expectedRecipe),
        "continue with the program that wrote it, give --changed-recipe to go "
        "on with the weights and the state that both have");
  if (found.seed != expected.seed)
    return differs(isNot("the seed", found.seed, expected.seed),
                   fmt::format("give --seed {}", found.seed));
  auto onOff = [](bool on) { return on ? "on" : "off"; };
  if (found.shuffle != expected.shuffle)
    return differs(
        isNot("shuffling", onOff(found.shuffle), onOff(expected.shuffle)),
        fmt::format("give --shuffle={}", onOff(found.shuffle)));
  if (found.dataFingerprint != expected.dataFingerprint)
    return differs(isNot("the fingerprint of the training data",
                         fmt::format("{:016x}", found.dataFingerprint),
                         fmt::format("{:016x}", expected.dataFingerprint)),
                   "give the --data of that run");
  return {};
}

} // namespace boostrt
