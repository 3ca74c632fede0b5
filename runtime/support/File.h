// File.h - the only way the runtime's own files reach the disk.
//
// All of it goes through the small interface FileSystem, so that tests can let
// call number N fail, or let the machine lose power there. Operations return an
// IoError (an errno); the functions at the end turn it into a Status with the
// caller's exit code.
#pragma once

#include "runtime/support/IoError.h"
#include "runtime/support/OutputTarget.h"
#include "runtime/support/Status.h"

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// A file being written. Nothing is promised to survive a power cut before
/// sync() returned success, whatever was written. Destruction closes, and until
/// then no other process can create() a file of this name.
class WritableFile {
public:
  virtual ~WritableFile() = default;
  /// Writes all of `bytes` or fails, and then as little as the system allows.
  virtual IoError write(std::span<const uint8_t> bytes) = 0;
  /// After it succeeded, closing has nothing left to report.
  virtual IoError sync() = 0;
  /// Takes over owner, as far as the system allows, and mode of what it will
  /// replace.
  virtual IoError inherit(const OutputTarget &) { return {}; }
};

/// A file being read.
class ReadableFile {
public:
  virtual ~ReadableFile() = default;
  virtual uint64_t size() const = 0;
  /// Fills all of `bytes` from `offset`, or fails (EIO when the file ends
  /// early).
  virtual IoError read(uint64_t offset, std::span<uint8_t> bytes) = 0;
};

/// Held as long as the object lives; the kernel lets go when the process dies.
class FileLock {
public:
  virtual ~FileLock() = default;
};

struct DirectoryEntry {
  std::string name;
  bool isDirectory = false; ///< a link to a directory is not one
  bool isLinkToDirectory = false;

  bool leadsToDirectory() const { return isDirectory || isLinkToDirectory; }
};

class FileSystem {
public:
  virtual ~FileSystem() = default;

  /// Opens an empty file for writing. Left-overs of a dead process are emptied;
  /// EWOULDBLOCK when a live one is writing it, ENOTSUP for anything that is
  /// not a plain file with one name, as a symbolic link.
  virtual IoError create(const std::string &path,
                         std::unique_ptr<WritableFile> &file) = 0;
  /// What becomes of an output of this name; by itself, for a file system
  /// without links and devices.
  virtual IoError findTarget(const std::string &path, OutputTarget &target) {
    target = {};
    target.path = path;
    return {};
  }
  /// Opens a Stream for writing, which may wait for the reader of a pipe.
  virtual IoError openStream(const OutputTarget &,
                             std::unique_ptr<WritableFile> &) {
    return IoError(ENOTSUP);
  }
  /// Opens what would be Replaced to write after its last whole line.
  virtual IoError openToContinue(const OutputTarget &,
                                 std::unique_ptr<WritableFile> &) {
    return IoError(ENOTSUP);
  }
  /// EWOULDBLOCK where another process has what would be Replaced open by
  /// create(), published since, or by openToContinue().
  virtual IoError checkUnwritten(const OutputTarget &) { return {}; }
  /// ENOTSUP for what is not a plain file (EISDIR for a directory).
  virtual IoError open(const std::string &path,
                       std::unique_ptr<ReadableFile> &file) = 0;
  /// Replaces `to` when both are files; a directory never replaces anything but
  /// an empty directory.
  virtual IoError rename(const std::string &from, const std::string &to) = 0;
  /// Makes the names in directory `path` survive a power cut.
  virtual IoError syncDirectory(const std::string &path) = 0;
  virtual IoError removeFile(const std::string &path) = 0;
  virtual IoError removeDirectory(const std::string &path) = 0;
  /// One level; EEXIST when there is something of this name.
  virtual IoError makeDirectory(const std::string &path) = 0;
  /// A symbolic link with the text `target`; EEXIST when there is something of
  /// the name `path`, which stays as it is.
  virtual IoError makeLink(const std::string & /*target*/,
                           const std::string & /*path*/) {
    return IoError(ENOTSUP);
  }
  /// The text of a symbolic link; EINVAL for what is not one.
  virtual IoError readLink(const std::string & /*path*/,
                           std::string & /*target*/) {
    return IoError(EINVAL);
  }
  /// The one absolute name of what exists, without links; by itself, for a file
  /// system without links.
  virtual IoError resolve(const std::string &path, std::string &resolved) {
    resolved = path;
    return {};
  }
  /// Sorted by name, without "." and "..".
  virtual IoError list(const std::string &path,
                       std::vector<DirectoryEntry> &entries) = 0;
  /// Takes the lock file `path` and writes `holder` into it; EWOULDBLOCK when
  /// another process has it, and `holder` then is what that one wrote.
  virtual IoError lock(const std::string &path, std::string &holder,
                       std::unique_ptr<FileLock> &lock) = 0;
};

/// The machine's.
FileSystem &realFileSystem();

/// "cannot <action> '<path>': <reason><advice>", with advice for the reasons a
/// user can act on (full disk, no permission, ...).
Status ioStatus(IoError error, ExitCode code, std::string_view action,
                const std::string &path);

/// The whole file, at most `cap` bytes; memory is taken only after its size is
/// known to be legal.
Result<std::vector<uint8_t>> readWholeFile(FileSystem &files,
                                           const std::string &path,
                                           uint64_t cap, ExitCode code);

/// An output while it is written. A plain file is written under a temporary
/// name next to its own; the target of a symbolic link is replaced and not the
/// link, with the mode it had; a device or a pipe is written as it is.
class OutputFile {
public:
  /// `path` is what the user said; failures have `code`.
  static Result<OutputFile> create(FileSystem &files, const std::string &path,
                                   ExitCode code);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  /// Removes what was not published.
  ~OutputFile();

  WritableFile &file() { return *file_; }
  /// Gives it its name, once all that was written is on the disk; more may be
  /// written after that.
  Status publish();

private:
  OutputFile(FileSystem &files, std::string path, ExitCode code)
      : files_(&files), path_(std::move(path)), code_(code) {}
  IoError createTemporary();
  Status fail(IoError error) const;

  FileSystem *files_;
  std::string path_;
  ExitCode code_;
  OutputTarget target_;
  std::string temporary_; ///< empty: none exists, or no more
  std::unique_ptr<WritableFile> file_;
};

/// Writes `path` so that at every moment, power cuts included, either the old
/// content or the new one is there, complete. `fill` writes the content.
Status writeFileAtomically(FileSystem &files, const std::string &path,
                           ExitCode code,
                           const std::function<IoError(WritableFile &)> &fill);
Status writeFileAtomically(FileSystem &files, const std::string &path,
                           ExitCode code, std::string_view content);

/// A file that must not be overwritten, and what it is to the user: "the model
/// file".
struct NamedFile {
  std::string what, path;
};

/// Whether writeFileAtomically() can be expected to succeed, asked before there
/// is anything to write. A name that no output can have (none, a directory's,
/// one too long, one that is `taken`) is ExitCode::Usage, what the file system
/// refuses is `code`.
Status checkOutput(FileSystem &files, std::string_view flag,
                   const std::string &path, ExitCode code,
                   std::span<const NamedFile> taken = {});

/// Makes `path` and what is missing above it, each name synced.
Status makeDirectories(FileSystem &files, const std::string &path,
                       ExitCode code);

/// The directory of `path` ("." when it names none), and its last component.
std::string directoryOf(const std::string &path);
std::string baseNameOf(const std::string &path);
/// "a/b//" as "a/b"; "/" stays.
std::string withoutFinalSlashes(std::string path);

} // namespace boostrt
