#include "runtime/support/File.h"

#include "runtime/support/Sha256.h"

#include <fmt/format.h>

#include <cerrno>

namespace boostrt {

Status ioStatus(IoError error, ExitCode code, std::string_view action,
                const std::string &path) {
  return {code,
          fmt::format("cannot {} '{}': {}", action, path, error.advice())};
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

static std::string shortNameOf(const std::string &name) {
  Sha256 hash;
  hash.update({reinterpret_cast<const uint8_t *>(name.data()), name.size()});
  return toHex(hash.finish()).substr(0, 16);
}

IoError OutputFile::createTemporary() {
  std::string directory = directoryOf(target_.path);
  std::string name = baseNameOf(target_.path);
  temporary_ = directory + "/.saving-" + name;
  IoError error = files_->create(temporary_, file_);
  if (error.number() == ENAMETOOLONG) {
    // The name itself may be as long as names can be.
    temporary_ = directory + "/.saving-" + shortNameOf(name);
    error = files_->create(temporary_, file_);
  }
  return error;
}

Status OutputFile::fail(IoError error) const {
  return ioStatus(error, code_, "write", path_);
}

Result<OutputFile> OutputFile::create(FileSystem &files,
                                      const std::string &path, ExitCode code) {
  OutputFile output(files, path, code);
  if (IoError error = files.findTarget(path, output.target_); !error.ok())
    return output.fail(error);
  if (output.target_.kind == OutputTarget::Kind::Stream) {
    IoError error = files.openStream(output.target_, output.file_);
    return error.ok() ? Result<OutputFile>(std::move(output))
                      : output.fail(error);
  }
  bool isReplaced = output.target_.kind == OutputTarget::Kind::Replaced;
  if (isReplaced)
    if (IoError error = files.checkUnwritten(output.target_); !error.ok())
      return output.fail(error);
  if (IoError error = output.createTemporary(); !error.ok()) {
    std::string temporary = std::exchange(output.temporary_, "");
    return error.number() == ENOTSUP
               ? ioStatus(error, code, "create", temporary)
               : output.fail(error);
  }
  // Before there is anything in it that others may not read.
  if (isReplaced)
    if (IoError error = output.file_->inherit(output.target_); !error.ok())
      return output.fail(error);
  return output;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : files_(other.files_), path_(std::move(other.path_)), code_(other.code_),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty())
    (void)files_->removeFile(temporary_);
}

Status OutputFile::publish() {
  if (IoError error = file_->sync(); !error.ok())
    return fail(error);
  if (temporary_.empty())
    return {};
  // The file stays open, and with it closed to other processes, until it has
  // its final name: no process can empty it in between.
  if (IoError error = files_->rename(temporary_, target_.path); !error.ok())
    return fail(error);
  temporary_.clear();
  std::string directory = directoryOf(target_.path);
  if (IoError error = files_->syncDirectory(directory); !error.ok())
    return ioStatus(error, code_, "sync", directory);
  return {};
}

Status writeFileAtomically(FileSystem &files, const std::string &path,
                           ExitCode code,
                           const std::function<IoError(WritableFile &)> &fill) {
  Result<OutputFile> output = OutputFile::create(files, path, code);
  if (!output.ok())
    return output.status();
  if (IoError error = fill(output->file()); !error.ok())
    return ioStatus(error, code, "write", path);
  return output->publish();
}

Status writeFileAtomically(FileSystem &files, const std::string &path,
                           ExitCode code, std::string_view content) {
  return writeFileAtomically(files, path, code, [&](WritableFile &file) {
    return file.write(
        {reinterpret_cast<const uint8_t *>(content.data()), content.size()});
  });
}

Status checkOutput(FileSystem &files, std::string_view flag,
                   const std::string &path, ExitCode code,
                   std::span<const NamedFile> taken) {
  if (path.empty())
    return {ExitCode::Usage, fmt::format("{} needs the name of a file", flag)};
  OutputTarget target;
  if (IoError error = files.findTarget(path, target); !error.ok()) {
    bool isName = error.number() == ENAMETOOLONG || error.number() == EISDIR;
    Status status = ioStatus(error, code, "write", path);
    return {isName ? ExitCode::Usage : code,
            fmt::format("{}: {}", flag, status.message())};
  }
  bool isStream = target.kind == OutputTarget::Kind::Stream;
  for (const NamedFile &file : taken)
    if (!isStream && (path == file.path || isSameFile(path, file.path)))
      return {ExitCode::Usage,
              fmt::format("{} '{}' is {}, which would be lost; give another "
                          "name",
                          flag, path, file.what)};
  if (isStream) // its reader may not be there yet
    return {};
  Status status = OutputFile::create(files, path, code).status();
  return status.ok()
             ? status
             : Status(code, fmt::format("{}: {}", flag, status.message()));
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

std::string withoutFinalSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

} // namespace boostrt
