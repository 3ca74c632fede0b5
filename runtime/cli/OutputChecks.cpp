#include "runtime/cli/OutputChecks.h"

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

bool isThere(const std::string &path) {
  std::unique_ptr<ReadableFile> file;
  return realFileSystem().open(path, file).ok();
}

/// What a file of this name, which an output would replace, belongs to; empty
/// when it is nothing that a command reads.
std::string findOwner(const std::string &path, const DataSpec *data) {
  if (baseNameOf(path) == kLockFile)
    return "the lock of a directory of checkpoints";
  std::string directory = directoryOf(path) + "/";
  if (isThere(directory + kManifestFile) && isThere(directory + kWeightsFile))
    return "a file of a checkpoint";
  if (data && isThere(path) && isFileOf(*data, path))
    return fmt::format("a file of the data set '{}'", printable(data->text()));
  return "";
}

} // namespace

Status checkResult(std::string_view flag, const std::string &path,
                   ExitCode code, std::span<const NamedFile> taken,
                   const DataSpec *data) {
  OutputTarget target;
  if (!path.empty() && realFileSystem().findTarget(path, target).ok() &&
      target.kind != OutputTarget::Kind::Stream)
    if (std::string owner = findOwner(target.path, data); !owner.empty())
      return {ExitCode::Usage,
              fmt::format("{} '{}' is {}, which would be lost; give another "
                          "name",
                          flag, path, owner)};
  return checkOutput(realFileSystem(), flag, path, code, taken);
}

} // namespace boostrt
