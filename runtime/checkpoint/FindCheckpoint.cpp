#include "runtime/checkpoint/FindCheckpoint.h"

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/checkpoint/RankFolders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace boostrt {
namespace {

/// Collects directories of checkpoints, each once however many links lead
/// there.
class DirectoriesOfCheckpoints {
public:
  explicit DirectoriesOfCheckpoints(FileSystem &files) : files_(files) {}

  /// `path`, the directories in it, and those of ranks in these.
  void search(const std::string &path) {
    if (add(path))
      return;
    for (const DirectoryEntry &entry : directoriesIn(path)) {
      std::string inner = path + "/" + entry.name;
      if (add(inner) || !isTrainingFolder(entry.name))
        continue;
      for (const DirectoryEntry &rank : directoriesIn(inner))
        if (isRankFolder(rank.name))
          add(inner + "/" + rank.name);
    }
  }

  const std::vector<std::string> &found() const { return found_; }

private:
  /// Whether `path` holds checkpoints. One that this user may not read holds
  /// none for him.
  bool add(const std::string &path) {
    std::vector<DirectoryEntry> entries;
    if (!files_.list(path, entries).ok() ||
        checkpointsNewestFirst(entries).empty())
      return false;
    std::string resolved = path;
    (void)files_.resolve(path, resolved);
    if (known_.insert(resolved).second)
      found_.push_back(path);
    return true;
  }

  std::vector<DirectoryEntry> directoriesIn(const std::string &path) const {
    std::vector<DirectoryEntry> entries;
    if (!files_.list(path, entries).ok())
      return {};
    std::erase_if(entries, [](const DirectoryEntry &entry) {
      return !entry.leadsToDirectory() || entry.name.starts_with('.');
    });
    return entries;
  }

  FileSystem &files_;
  std::vector<std::string> found_;
  std::set<std::string> known_;
};

/// Whether it has a manifest.
bool isCheckpoint(FileSystem &files, const std::string &path) {
  std::vector<DirectoryEntry> entries;
  return files.list(path, entries).ok() &&
         std::ranges::find(entries, kManifestFile, &DirectoryEntry::name) !=
             entries.end();
}

} // namespace

Result<FoundCheckpoint> findCheckpoint(FileSystem &files,
                                       const std::string &path) {
  if (isCheckpoint(files, path))
    return FoundCheckpoint{path, {}};
  DirectoriesOfCheckpoints directories(files);
  directories.search(withoutFinalSlashes(path));
  const std::vector<std::string> &found = directories.found();
  if (found.empty())
    return FoundCheckpoint{path, {}};
  if (found.size() > 1)
    return Status(ExitCode::Checkpoint,
                  fmt::format("'{}' has checkpoints in several directories, "
                              "expected one; give one of them: '{}'",
                              path, fmt::join(found, "', '")));
  Result<NewestCheckpoint> newest = newestValidCheckpoint(files, found[0], {});
  if (!newest.ok())
    return newest.status();
  if (!newest->found)
    return Status(ExitCode::Checkpoint,
                  fmt::format("none of the checkpoints in '{}' can be read; "
                              "the newest: {}",
                              found[0], newest->skipped.front().reason));
  FoundCheckpoint result{newest->path, {}};
  for (const SkippedCheckpoint &skipped : newest->skipped)
    result.notes.push_back(skipped.describe());
  result.notes.push_back(
      fmt::format("the newest checkpoint in {} is {}", path, newest->path));
  return result;
}

} // namespace boostrt
