#include "runtime/cli/OutputChecks.h"

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/support/Suggest.h"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace boostrt {
namespace {

bool isThere(const std::string &path) {
  std::unique_ptr<ReadableFile> file;
  return realFileSystem().open(path, file).ok();
}

/// What `path`, a file without links to it on the way, belongs to; empty when
/// that is nothing that a command reads.
std::string findOwner(const std::string &path, const DataSpec *data) {
  if (baseNameOf(path) == kLockFile)
    return "the lock of a directory of checkpoints";
  std::string directory = directoryOf(path) + "/";
  if (isThere(directory + kManifestFile) && isThere(directory + kWeightsFile))
    return "a file of a checkpoint";
  if (data && isFileOf(*data, path))
    return fmt::format("a file of the data set '{}'", printable(data->text()));
  return "";
}

} // namespace

std::vector<NamedFile> inputsOf(const Options &options) {
  std::vector<NamedFile> files = {{"the program", options.program}};
  auto take = [&](const char *flag, const std::optional<std::string> &path) {
    if (path)
      files.push_back({fmt::format("the file of {}", flag), *path});
  };
  take("--init", options.init);
  take("--ckpt", options.checkpoint);
  take("--names", options.names);
  take("--rank-table", options.launch.rankTable);
  if (const char *table = std::getenv("RANK_TABLE_FILE"))
    take("RANK_TABLE_FILE", table);
  take("--token-file", options.launch.tokenFile);
  return files;
}

Status checkResult(std::string_view flag, const std::string &path,
                   ExitCode code, std::vector<NamedFile> taken,
                   const DataSpec *data) {
  std::string file;
  if (realFileSystem().resolve(path, file).ok())
    if (std::string owner = findOwner(file, data); !owner.empty())
      taken.push_back({owner, path});
  return checkOutput(realFileSystem(), flag, path, code, taken);
}

} // namespace boostrt
