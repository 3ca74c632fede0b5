#include "runtime/checkpoint/RankFolders.h"

#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace boostrt {
namespace {

constexpr std::string_view kTraining = "train_parallel", kCheckpoints = "ckpt_";

bool isNumber(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// `path`, made if need be, which then is a directory or a link to one.
Status makeFolder(FileSystem &files, const std::string &path,
                  std::string_view what, ExitCode code) {
  BOOSTRT_RETURN_IF_ERROR(makeDirectories(files, path, code));
  std::vector<DirectoryEntry> entries;
  IoError error = files.list(path, entries);
  if (error.ok())
    return Status();
  if (error.number() != ENOTDIR)
    return ioStatus(error, code, "list", path);
  return Status(code, fmt::format("'{}' is a file, expected a directory, {}; "
                                  "move it away or give another --workdir",
                                  path, what));
}

/// What is wrong with something else of the name of a link: of the one, `path`,
/// by which `rank` has the checkpoints in `folder`. Nothing, if it is a link
/// that leads there.
Status checkRankLink(FileSystem &files, const std::string &path,
                     const std::string &folder, uint32_t rank) {
  std::string text, found, wanted;
  if (!files.readLink(path, text).ok())
    return Status(
        ExitCode::Checkpoint,
        fmt::format("'{}' is not a link, expected the one by which rank {} has "
                    "the checkpoints in '{}'; move it away or give another "
                    "--workdir",
                    path, rank, folder));
  bool leadsThere = files.resolve(path, found).ok() &&
                    files.resolve(folder, wanted).ok() && found == wanted;
  if (leadsThere)
    return Status();
  return Status(ExitCode::Checkpoint,
                fmt::format("'{}' is a link to '{}', expected the one by which "
                            "rank {} has the checkpoints in '{}'; remove the "
                            "link or give another --workdir",
                            path, printable(text), rank, folder));
}

/// Makes that link, which says `text`.
Status makeRankLink(FileSystem &files, const std::string &path,
                    const std::string &text, const std::string &folder,
                    uint32_t rank) {
  IoError error = files.makeLink(text, path);
  if (error.number() == EEXIST)
    return checkRankLink(files, path, folder, rank);
  if (error.ok())
    error = files.syncDirectory(directoryOf(path));
  if (error.ok())
    return Status();
  return Status(ExitCode::Checkpoint,
                fmt::format("cannot make the link '{}', by which rank {} has "
                            "the checkpoints in '{}': {}; where the file "
                            "system has no links, give --checkpoint-dir in "
                            "place of --rank-checkpoints",
                            path, rank, folder, error.text()));
}

} // namespace

std::string_view layoutName(RankLayout layout) {
  return layout == RankLayout::PerRank ? "per-rank" : "shared";
}

std::string rankFolder(RankLayout layout, uint32_t rank) {
  return layout == RankLayout::PerRank
             ? fmt::format("{}{}/{}0", kTraining, rank, kCheckpoints)
             : fmt::format("{}/{}{}", kTraining, kCheckpoints, rank);
}

bool isTrainingFolder(std::string_view name) {
  return name.starts_with(kTraining) &&
         (name == kTraining || isNumber(name.substr(kTraining.size())));
}

bool isRankFolder(std::string_view name) {
  return name.starts_with(kCheckpoints) &&
         isNumber(name.substr(kCheckpoints.size()));
}

Status makeWorkdir(FileSystem &files, const std::string &directory) {
  return makeFolder(files, directory, "which --workdir names", ExitCode::Usage);
}

Status makeRankFolders(FileSystem &files, const std::string &workdir,
                       RankLayout layout, uint32_t ranks) {
  std::string first = rankFolder(layout, 0), folder = workdir + "/" + first;
  for (const std::string &path : {directoryOf(folder), folder})
    BOOSTRT_RETURN_IF_ERROR(makeFolder(files, path,
                                       "which is for rank 0's checkpoints",
                                       ExitCode::Checkpoint));
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    std::string path = workdir + "/" + rankFolder(layout, rank);
    std::string parent = directoryOf(path), text = baseNameOf(first);
    if (layout == RankLayout::PerRank) {
      text = "../" + first;
      // From the target of a link, ".." would lead elsewhere.
      if (std::string target; files.readLink(parent, target).ok())
        return Status(ExitCode::Checkpoint,
                      fmt::format("'{}' is a link to '{}', expected a "
                                  "directory, which is for rank {}; remove the "
                                  "link or give another --workdir",
                                  parent, printable(target), rank));
      BOOSTRT_RETURN_IF_ERROR(
          makeFolder(files, parent, fmt::format("which is for rank {}", rank),
                     ExitCode::Checkpoint));
    }
    BOOSTRT_RETURN_IF_ERROR(makeRankLink(files, path, text, folder, rank));
  }
  return Status();
}

Status checkOtherLayout(FileSystem &files, const std::string &workdir,
                        RankLayout layout, std::string_view prefix) {
  RankLayout other =
      layout == RankLayout::PerRank ? RankLayout::Shared : RankLayout::PerRank;
  auto hasCheckpoints = [&](const std::string &folder) {
    std::vector<DirectoryEntry> entries;
    return files.list(folder, entries).ok() &&
           !checkpointsNewestFirst(entries, prefix).empty();
  };
  std::string folder = workdir + "/" + rankFolder(other, 0);
  if (!hasCheckpoints(folder) ||
      hasCheckpoints(workdir + "/" + rankFolder(layout, 0)))
    return Status();
  return Status(
      ExitCode::Usage,
      fmt::format("'{}' holds checkpoints of this name, and "
                  "--rank-checkpoints={} looks in '{}/{}'; continue that run "
                  "with --rank-checkpoints={}, or give another --workdir",
                  folder, layoutName(layout), workdir, rankFolder(layout, 0),
                  layoutName(other)));
}

} // namespace boostrt
