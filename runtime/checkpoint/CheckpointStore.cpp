// Writing checkpoints so that no crash can cost one.
//
// The order of the calls below is the protocol; test/runtime/checkpoint lets
// the machine stop at every one of them. In short: everything is synced under a
// temporary name before one rename makes it count, and nothing old is touched
// until that rename is on the disk.
#include "runtime/checkpoint/Checkpoint.h"

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/support/Sha256.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace boostrt {
namespace {

/// Passes on what is written and remembers its size and hash.
class HashingFile final : public WritableFile {
public:
  explicit HashingFile(WritableFile &file) : file_(file) {}
  IoError write(std::span<const uint8_t> bytes) override {
    hash_.update(bytes);
    bytes_ += bytes.size();
    return file_.write(bytes);
  }
  IoError sync() override { return file_.sync(); }
  ManifestFile summary() { return {bytes_, toHex(hash_.finish())}; }

private:
  WritableFile &file_;
  Sha256 hash_;
  uint64_t bytes_ = 0;
};

Status writeSynced(FileSystem &files, const std::string &path,
                   const std::function<IoError(WritableFile &)> &fill) {
  std::unique_ptr<WritableFile> file;
  IoError error = files.create(path, file);
  if (error.ok())
    error = fill(*file);
  if (error.ok())
    error = file->sync();
  return error.ok() ? Status()
                    : ioStatus(error, ExitCode::Checkpoint, "write", path);
}

Result<ManifestFile> writeTensors(FileSystem &files, const std::string &path,
                                  std::span<const TensorView> tensors,
                                  const SafetensorsMetadata &metadata) {
  ManifestFile summary;
  BOOSTRT_RETURN_IF_ERROR(writeSynced(files, path, [&](WritableFile &file) {
    HashingFile hashing(file);
    IoError error = writeSafetensors(hashing, tensors, metadata);
    summary = hashing.summary();
    return error;
  }));
  return summary;
}

/// Deletes a directory of plain files; one that does not exist counts as
/// deleted. For a link to a directory, deletes the link and keeps the files.
IoError removeTree(FileSystem &files, const std::string &path) {
  std::vector<DirectoryEntry> entries;
  IoError error = files.removeFile(path);
  if (error.ok() || error.number() == ENOENT)
    return {};
  // What a directory answers.
  if (error.number() != EISDIR && error.number() != EPERM)
    return error;
  error = files.list(path, entries);
  if (!error.ok())
    return error;
  // A directory in it is its user's: nothing is removed then.
  if (std::ranges::any_of(entries, &DirectoryEntry::isDirectory))
    return IoError(ENOTEMPTY);
  for (const DirectoryEntry &entry : entries)
    if (error = files.removeFile(path + "/" + entry.name); !error.ok())
      return error;
  return files.removeDirectory(path);
}

std::string describeThisProcess() {
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  return fmt::format("process {} on {}", ::getpid(), host);
}

} // namespace

CheckpointStore::CheckpointStore(FileSystem &files, std::string directory,
                                 std::string prefix, int keepMax,
                                 std::string recipe)
    : files_(files), directory_(std::move(directory)),
      prefix_(std::move(prefix)), recipe_(std::move(recipe)),
      keepMax_(keepMax) {}

Result<std::unique_ptr<CheckpointStore>>
CheckpointStore::open(FileSystem &files, std::string directory,
                      std::string prefix, int keepMax, std::string recipe) {
  if (!isLegalPrefix(prefix))
    return Status(
        ExitCode::Usage,
        fmt::format("--checkpoint-prefix '{}': expected letters, digits, "
                    "'_', '-' and '.', at most 100, not starting with '.'",
                    printable(prefix)));
  if (keepMax < 1)
    return Status(ExitCode::Usage,
                  fmt::format("--keep-max {}: expected at least 1", keepMax));
  directory = withoutFinalSlashes(std::move(directory));
  BOOSTRT_RETURN_IF_ERROR(
      makeDirectories(files, directory, ExitCode::Checkpoint));

  std::unique_ptr<CheckpointStore> store(
      new CheckpointStore(files, std::move(directory), std::move(prefix),
                          keepMax, std::move(recipe)));
  BOOSTRT_RETURN_IF_ERROR(store->takeLock());
  BOOSTRT_RETURN_IF_ERROR(store->checkNames());
  if (Status status = store->tidy(); !status.ok())
    store->warning_ = status.message();
  return store;
}

Status CheckpointStore::takeLock() {
  std::string path = fmt::format("{}/{}", directory_, kLockFile);
  std::string holder = describeThisProcess();
  IoError error = files_.lock(path, holder, lock_);
  if (error.number() == EWOULDBLOCK)
    return Status(
        ExitCode::Checkpoint,
        fmt::format("the checkpoint directory '{}' is in use by {}; wait "
                    "for it or choose another --checkpoint-dir",
                    directory_,
                    holder.empty() ? "another process" : printable(holder)));
  if (error.number() == ENOTDIR)
    return Status(ExitCode::Checkpoint,
                  fmt::format("--checkpoint-dir '{}' is a file, expected a "
                              "directory; give it another name",
                              directory_));
  return error.ok() ? Status()
                    : ioStatus(error, ExitCode::Checkpoint, "lock", path);
}

/// Fails when save()'s longest name is too long, or when something that is not
/// a directory has the name of a checkpoint: better known now than after the
/// first epoch.
Status CheckpointStore::checkNames() const {
  CheckpointPosition last;
  last.epoch = last.stepInEpoch = 99'999'999; // more digits than runs have
  std::string name = checkpointName(prefix_, last);
  std::string longest = fmt::format("{}/{}{}/{}", directory_, kReplaced, name,
                                    rankStateFile(kMaxRankStates));
  std::unique_ptr<ReadableFile> file;
  if (IoError error = files_.open(longest, file);
      error.number() == ENAMETOOLONG)
    return Status(ExitCode::Checkpoint,
                  fmt::format("checkpoints in '{}' would have names that are "
                              "too long, such as '{}'; give a shorter "
                              "--checkpoint-dir or --checkpoint-prefix",
                              directory_, name));
  std::vector<DirectoryEntry> entries;
  if (IoError error = files_.list(directory_, entries); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "list", directory_);
  for (const DirectoryEntry &entry : entries)
    if (!entry.leadsToDirectory() && parseCheckpointName(entry.name, prefix_))
      return Status(
          ExitCode::Checkpoint,
          fmt::format("'{}/{}' is neither a directory nor a link to one, so no "
                      "checkpoint of this name can be written; move it away or "
                      "give another --checkpoint-prefix",
                      directory_, entry.name));
  return Status();
}

Status CheckpointStore::tidy() {
  std::vector<DirectoryEntry> entries;
  if (IoError error = files_.list(directory_, entries); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "list", directory_);
  auto exists = [&](std::string_view name) {
    return std::ranges::find(entries, name, &DirectoryEntry::name) !=
           entries.end();
  };
  for (const DirectoryEntry &entry : entries) {
    for (std::string_view mark : {kSaving, kReplaced, kDeleted}) {
      if (!entry.leadsToDirectory() || !entry.name.starts_with(mark))
        continue;
      std::string name = entry.name.substr(mark.size());
      if (!parseCheckpointName(name))
        continue;
      std::string path = directory_ + "/" + entry.name;
      // Killed between the two renames of a replacement: the old one counts.
      bool isOnlyCopy = mark == kReplaced && !exists(name);
      IoError error;
      if (isOnlyCopy)
        error = files_.rename(path, directory_ + "/" + name);
      // What replaced it may be there, but not yet on the disk.
      if (error.ok() && mark == kReplaced)
        error = files_.syncDirectory(directory_);
      if (error.ok() && !isOnlyCopy)
        error = removeTree(files_, path);
      if (!error.ok())
        return ioStatus(error, ExitCode::Checkpoint, "tidy", path);
    }
  }
  return {};
}

Status CheckpointStore::writeFiles(const std::string &temporary,
                                   const CheckpointPosition &position,
                                   std::span<const TensorView> weights,
                                   std::span<const TensorView> state,
                                   const RankStates &others) {
  if (IoError error = removeTree(files_, temporary); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "remove", temporary);
  if (IoError error = files_.makeDirectory(temporary); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "make directory", temporary);
  Result<ManifestFile> weightsFile =
      writeTensors(files_, temporary + "/" + kWeightsFile, weights,
                   weightsMetadata(position));
  BOOSTRT_RETURN_IF_ERROR(weightsFile.status());
  const SafetensorsMetadata stateMetadata = {{"format", "pt"}};
  Result<ManifestFile> stateFile =
      writeTensors(files_, temporary + "/" + kStateFile, state, stateMetadata);
  BOOSTRT_RETURN_IF_ERROR(stateFile.status());
  std::vector<ManifestFile> otherFiles;
  for (uint32_t rank = 1; rank < others.ranks; ++rank) {
    Result<std::span<const TensorView>> own = others.fetch(rank);
    BOOSTRT_RETURN_IF_ERROR(own.status());
    BOOSTRT_RETURN_IF_ERROR(checkWritable(*own));
    Result<ManifestFile> file = writeTensors(
        files_, temporary + "/" + rankStateFile(rank), *own, stateMetadata);
    BOOSTRT_RETURN_IF_ERROR(file.status());
    otherFiles.push_back(std::move(*file));
  }
  std::string manifest =
      writeManifest({position, *weightsFile, *stateFile, otherFiles, recipe_});
  BOOSTRT_RETURN_IF_ERROR(writeSynced(
      files_, temporary + "/" + kManifestFile, [&](WritableFile &file) {
        return file.write({reinterpret_cast<const uint8_t *>(manifest.data()),
                           manifest.size()});
      }));
  if (IoError error = files_.syncDirectory(temporary); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "sync", temporary);
  return {};
}

Status CheckpointStore::publish(const std::string &name) {
  std::string path = directory_ + "/" + name;
  std::string temporary = fmt::format("{}/{}{}", directory_, kSaving, name);
  std::string replaced = fmt::format("{}/{}{}", directory_, kReplaced, name);
  IoError error = files_.rename(temporary, path);
  // ENOTDIR: by a link to a directory, as checkNames() has seen.
  bool isTaken = error.number() == ENOTEMPTY || error.number() == EEXIST ||
                 error.number() == ENOTDIR;
  if (isTaken) {
    // A run that resumed from an earlier checkpoint came here again. What is
    // there may be the only complete one, so it steps aside until the new one
    // is on the disk; tidy() knows how to put it back.
    error = files_.syncDirectory(directory_);
    if (error.ok())
      error = removeTree(files_, replaced);
    if (error.ok())
      error = files_.rename(path, replaced);
    if (error.ok() && !(error = files_.rename(temporary, path)).ok())
      (void)files_.rename(replaced, path);
  }
  if (error.ok())
    error = files_.syncDirectory(directory_);
  if (!error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "complete", path);
  if (isTaken)
    if (error = removeTree(files_, replaced); !error.ok())
      warning_ =
          ioStatus(error, ExitCode::Checkpoint, "remove", replaced).message();
  return {};
}

Result<std::string> CheckpointStore::save(const CheckpointPosition &position,
                                          std::span<const TensorView> weights,
                                          std::span<const TensorView> state,
                                          const RankStates &others) {
  warning_.clear();
  BOOSTRT_RETURN_IF_ERROR(checkWritable(weights));
  BOOSTRT_RETURN_IF_ERROR(checkWritable(state));
  std::string name = checkpointName(prefix_, position);
  std::string temporary = fmt::format("{}/{}{}", directory_, kSaving, name);
  Status status = writeFiles(temporary, position, weights, state, others);
  if (status.ok())
    status = publish(name);
  if (!status.ok()) {
    // On a full disk the half-written file is what fills it.
    (void)removeTree(files_, temporary);
    return status;
  }
  complete_[name] = true;
  if (Status pruned = prune(name); !pruned.ok())
    warning_ = pruned.message();
  return directory_ + "/" + name;
}

Status CheckpointStore::prune(const std::string &newest) {
  std::vector<DirectoryEntry> entries;
  if (IoError error = files_.list(directory_, entries); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "list", directory_);
  // The one just written stays even where a run went back in time and others
  // have higher numbers. Damaged ones do not count and are left for the user.
  int kept = 1;
  for (const CheckpointName &name : checkpointsNewestFirst(entries, prefix_)) {
    if (name.text == newest)
      continue;
    auto [known, isNew] = complete_.try_emplace(name.text, false);
    if (isNew)
      known->second =
          verifyCheckpoint(files_, directory_ + "/" + name.text).ok();
    if (!known->second || ++kept <= std::max(keepMax_, 2))
      continue;
    BOOSTRT_RETURN_IF_ERROR(removeCheckpoint(name.text));
  }
  return {};
}

Status CheckpointStore::removeCheckpoint(const std::string &name) {
  // Never half a checkpoint under a name that counts: aside first, synced, then
  // file by file.
  std::string path = directory_ + "/" + name;
  std::string aside = fmt::format("{}/{}{}", directory_, kDeleted, name);
  IoError error = removeTree(files_, aside);
  if (error.ok())
    error = files_.rename(path, aside);
  if (error.ok())
    error = files_.syncDirectory(directory_);
  if (error.ok())
    error = removeTree(files_, aside);
  if (!error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "remove", path);
  complete_.erase(name);
  return {};
}

Result<NewestCheckpoint> CheckpointStore::newestValid() {
  return newestValidCheckpoint(files_, directory_, prefix_);
}

} // namespace boostrt
