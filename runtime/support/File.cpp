#include "runtime/support/File.h"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace boostrt {

std::string IoError::text() const {
  return std::generic_category().message(number_);
}

/// Reason and advice for the errors a user can do something about.
static std::string explain(IoError error) {
  switch (error.number()) {
  case ENOSPC:
  case EDQUOT:
    return error.text() + "; free some space or choose another place";
  case EACCES:
  case EPERM:
  case EROFS:
    return error.text() + "; check its permissions or choose another place";
  case ENOENT:
    return error.text() + "; check the path";
  case EWOULDBLOCK:
    return "another process is writing it; give each its own file";
  case ELOOP:
    return "it is a symbolic link; name the file itself";
  case ENOTSUP:
    return "it is not a plain file";
  default:
    return error.text();
  }
}

Status ioStatus(IoError error, ExitCode code, std::string_view action,
                const std::string &path) {
  return {code,
          fmt::format("cannot {} '{}': {}", action, path, explain(error))};
}

Result<std::vector<uint8_t>> readWholeFile(FileSystem &files,
                                           const std::string &path,
                                           uint64_t cap, ExitCode code) {
  std::unique_ptr<ReadableFile> file;
  if (IoError error = files.open(path, file); !error.ok())
    return ioStatus(error, code, "open", path);
  if (file->size() > cap)
    return Status(code,
                  fmt::format("'{}' has {} bytes, at most {} are expected "
                              "here; is it the right file?",
                              path, file->size(), cap));
  std::vector<uint8_t> bytes;
  // The one exception an untrusted size can cause; it ends here.
  try {
    bytes.resize(file->size());
  } catch (const std::exception &) {
    return Status(code, fmt::format("'{}' has {} bytes, more than there is "
                                    "memory for",
                                    path, file->size()));
  }
  if (IoError error = file->read(0, bytes); !error.ok())
    return ioStatus(error, code, "read", path);
  return bytes;
}

/// On failure the temporary file may be left; the caller removes it.
static Status
writeTemporary(FileSystem &files, const std::string &temporary,
               const std::string &path, ExitCode code,
               const std::function<IoError(WritableFile &)> &fill) {
  std::unique_ptr<WritableFile> file;
  if (IoError error = files.create(temporary, file); !error.ok())
    return ioStatus(error, code, "create", temporary);
  IoError error = fill(*file);
  if (error.ok())
    error = file->sync();
  // The file stays open, and with it closed to other processes, until it has
  // its final name: nobody can empty it in between.
  if (error.ok())
    error = files.rename(temporary, path);
  if (!error.ok()) {
    (void)files.removeFile(temporary);
    return ioStatus(error, code, "write", path);
  }
  return {};
}

Status writeFileAtomically(FileSystem &files, const std::string &path,
                           ExitCode code,
                           const std::function<IoError(WritableFile &)> &fill) {
  std::string directory = directoryOf(path);
  std::string temporary = directory + "/.saving-" + baseNameOf(path);
  BOOSTRT_RETURN_IF_ERROR(writeTemporary(files, temporary, path, code, fill));
  if (IoError error = files.syncDirectory(directory); !error.ok())
    return ioStatus(error, code, "sync", directory);
  return {};
}

Status makeDirectories(FileSystem &files, const std::string &path,
                       ExitCode code) {
  IoError error = files.makeDirectory(path);
  if (error.number() == ENOENT && directoryOf(path) != path) {
    BOOSTRT_RETURN_IF_ERROR(makeDirectories(files, directoryOf(path), code));
    error = files.makeDirectory(path);
  }
  if (error.number() == EEXIST)
    return {};
  if (error.ok())
    error = files.syncDirectory(directoryOf(path));
  return error.ok() ? Status()
                    : ioStatus(error, code, "make the directory", path);
}

std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string baseNameOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

} // namespace boostrt
