// The machine's file system through POSIX calls.
#include "runtime/support/Descriptor.h"
#include "runtime/support/File.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace boostrt {
namespace {

IoError lastError() { return IoError(errno); }

/// Repeats a call that a signal interrupted.
template <typename Call> auto retried(Call call) {
  decltype(call()) result;
  do
    result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

/// Linux moves at most 2 GiB a call.
constexpr size_t kMaxTransfer = size_t(1) << 30;

std::string_view textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Makes the next write begin `bytes` earlier, at what then is the file's end.
void takeBack(int descriptor, size_t bytes) {
  off_t end = ::lseek(descriptor, -off_t(bytes), SEEK_CUR);
  if (end >= 0)
    (void)::ftruncate(descriptor, end);
}

/// Cuts off what is after the last newline, and writes from there on.
IoError seekAfterLastLine(int descriptor) {
  off_t end = ::lseek(descriptor, 0, SEEK_END);
  if (end < 0)
    return lastError();
  off_t cut = end;
  for (std::vector<char> block(size_t(1) << 20); cut > 0;) {
    off_t begin = std::max<off_t>(0, cut - off_t(block.size()));
    std::string_view bytes(block.data(), size_t(cut - begin));
    if (retried([&] {
          return ::pread(descriptor, block.data(), bytes.size(), begin);
        }) != ssize_t(bytes.size()))
      return lastError();
    size_t newline = bytes.rfind('\n');
    cut = newline == bytes.npos ? begin : begin + off_t(newline) + 1;
    if (newline != bytes.npos)
      break;
  }
  if (cut != end && ::ftruncate(descriptor, cut) != 0)
    return lastError();
  return ::lseek(descriptor, cut, SEEK_SET) < 0 ? lastError() : IoError();
}

/// Network file systems report late errors when a file is closed. A second
/// descriptor hears of them while the first one still keeps others out.
IoError closeSecond(int descriptor) {
  int second = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return second >= 0 && ::close(second) == 0 ? IoError() : lastError();
}

class RealWritableFile final : public WritableFile {
public:
  explicit RealWritableFile(Descriptor descriptor)
      : descriptor_(std::move(descriptor)) {}
  IoError write(std::span<const uint8_t> bytes) override {
    size_t written;
    IoError error = writeAll(descriptor_.get(), textOf(bytes), &written);
    if (!error.ok() && written > 0)
      takeBack(descriptor_.get(), written);
    return error;
  }
  IoError sync() override {
    if (retried([&] { return ::fsync(descriptor_.get()); }) != 0)
      return lastError();
    return closeSecond(descriptor_.get());
  }
  IoError inherit(const OutputTarget &target) override {
    struct stat own;
    if (::fstat(descriptor_.get(), &own) != 0)
      return lastError();
    bool isOwners = own.st_uid == target.user && own.st_gid == target.group;
    if (!isOwners)
      isOwners = ::fchown(descriptor_.get(), target.user, target.group) == 0;
    // Another owner's program must not become one that acts as this user.
    mode_t mode = target.mode & (isOwners ? 07777 : 0777);
    if ((own.st_mode & 07777) == mode)
      return {};
    return ::fchmod(descriptor_.get(), mode) == 0 ? IoError() : lastError();
  }

private:
  Descriptor descriptor_;
};

/// A device or a pipe, which has nothing to sync.
class RealStream final : public WritableFile {
public:
  explicit RealStream(Descriptor descriptor)
      : descriptor_(std::move(descriptor)) {}
  IoError write(std::span<const uint8_t> bytes) override {
    return writeAll(descriptor_.get(), textOf(bytes));
  }
  IoError sync() override { return closeSecond(descriptor_.get()); }

private:
  Descriptor descriptor_;
};

class RealReadableFile final : public ReadableFile {
public:
  RealReadableFile(Descriptor descriptor, uint64_t size)
      : descriptor_(std::move(descriptor)), size_(size) {}
  uint64_t size() const override { return size_; }
  IoError read(uint64_t offset, std::span<uint8_t> bytes) override {
    while (!bytes.empty()) {
      ssize_t done = retried([&] {
        return ::pread(descriptor_.get(), bytes.data(),
                       std::min(bytes.size(), kMaxTransfer), off_t(offset));
      });
      if (done < 0)
        return lastError();
      if (done == 0)
        return IoError(EIO);
      offset += uint64_t(done);
      bytes = bytes.subspan(done);
    }
    return {};
  }

private:
  Descriptor descriptor_;
  uint64_t size_;
};

/// Takes the lock of an open file; EWOULDBLOCK when another process has it.
/// Some network file systems lack locks; files there are written all the same.
IoError keepOthersOut(int descriptor) {
  bool isTaken =
      retried([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) != 0 &&
      errno == EWOULDBLOCK;
  return isTaken ? lastError() : IoError();
}

class RealFileLock final : public FileLock {
public:
  explicit RealFileLock(Descriptor descriptor)
      : descriptor_(std::move(descriptor)) {}

private:
  Descriptor descriptor_;
};

/// Whether the open file is still the one that `path` names: between open and
/// flock its owner may have renamed it into place.
bool isStillNamed(int descriptor, const std::string &path,
                  struct stat &opened) {
  struct stat named;
  return ::fstat(descriptor, &opened) == 0 &&
         ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// For writing, whatever is in it; made where it is not there. Never through a
/// link, never waiting for who reads a pipe.
Descriptor openToWrite(const std::string &path) {
  return Descriptor(retried([&] {
    return ::open(path.c_str(),
                  O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  }));
}

class RealFileSystem final : public FileSystem {
public:
  IoError create(const std::string &path,
                 std::unique_ptr<WritableFile> &file) override {
    for (;;) {
      Descriptor descriptor = openToWrite(path);
      if (!descriptor.isOpen()) // which answers a link by ELOOP
        return errno == ELOOP ? IoError(ENOTSUP) : lastError();
      if (IoError error = keepOthersOut(descriptor.get()); !error.ok())
        return error;
      struct stat status;
      if (!isStillNamed(descriptor.get(), path, status))
        continue;
      // A second name would see its content vanish.
      if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
        return IoError(ENOTSUP);
      if (retried([&] { return ::ftruncate(descriptor.get(), 0); }) != 0)
        return lastError();
      file = std::make_unique<RealWritableFile>(std::move(descriptor));
      return {};
    }
  }

  IoError findTarget(const std::string &path, OutputTarget &target) override {
    return findOutputTarget(path, target);
  }

  IoError openStream(const OutputTarget &target,
                     std::unique_ptr<WritableFile> &file) override {
    Descriptor descriptor(retried([&] {
      return target.descriptor >= 0
                 ? ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                 : ::open(target.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    }));
    if (!descriptor.isOpen())
      return lastError();
    file = std::make_unique<RealStream>(std::move(descriptor));
    return {};
  }

  IoError openToContinue(const OutputTarget &target,
                         std::unique_ptr<WritableFile> &file) override {
    Descriptor descriptor(retried(
        [&] { return ::open(target.path.c_str(), O_RDWR | O_CLOEXEC); }));
    if (!descriptor.isOpen())
      return lastError();
    if (IoError error = keepOthersOut(descriptor.get()); !error.ok())
      return error;
    if (IoError error = seekAfterLastLine(descriptor.get()); !error.ok())
      return error;
    file = std::make_unique<RealWritableFile>(std::move(descriptor));
    return {};
  }

  IoError checkUnwritten(const OutputTarget &target) override {
    Descriptor descriptor(retried([&] {
      return ::open(target.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }));
    // What is not there, or may not be read, is replaced all the same.
    return descriptor.isOpen() ? keepOthersOut(descriptor.get()) : IoError();
  }

  IoError open(const std::string &path,
               std::unique_ptr<ReadableFile> &file) override {
    // O_NONBLOCK: opening a named pipe must not wait for a writer.
    Descriptor descriptor(retried([&] {
      return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }));
    if (!descriptor.isOpen())
      return lastError();
    struct stat status;
    if (::fstat(descriptor.get(), &status) != 0)
      return lastError();
    if (!S_ISREG(status.st_mode))
      return IoError(S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP);
    file = std::make_unique<RealReadableFile>(std::move(descriptor),
                                              uint64_t(status.st_size));
    return {};
  }

  IoError rename(const std::string &from, const std::string &to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? IoError() : lastError();
  }

  IoError syncDirectory(const std::string &path) override {
    Descriptor descriptor(retried([&] {
      return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }));
    if (!descriptor.isOpen())
      return lastError();
    if (retried([&] { return ::fsync(descriptor.get()); }) == 0)
      return {};
    // Network and FUSE file systems that cannot sync a directory say so this
    // way; they order names themselves, and there is nothing else to call.
    if (errno == EINVAL || errno == ENOTSUP)
      return {};
    return lastError();
  }

  IoError removeFile(const std::string &path) override {
    return ::unlink(path.c_str()) == 0 ? IoError() : lastError();
  }

  IoError removeDirectory(const std::string &path) override {
    return ::rmdir(path.c_str()) == 0 ? IoError() : lastError();
  }

  IoError makeDirectory(const std::string &path) override {
    return ::mkdir(path.c_str(), 0777) == 0 ? IoError() : lastError();
  }

  IoError makeLink(const std::string &target,
                   const std::string &path) override {
    return ::symlink(target.c_str(), path.c_str()) == 0 ? IoError()
                                                        : lastError();
  }

  IoError readLink(const std::string &path, std::string &target) override {
    return readLinkText(path, target);
  }

  IoError resolve(const std::string &path, std::string &resolved) override {
    std::unique_ptr<char, void (*)(void *)> name(
        ::realpath(path.c_str(), nullptr), std::free);
    if (!name)
      return lastError();
    resolved = name.get();
    return {};
  }

  IoError list(const std::string &path,
               std::vector<DirectoryEntry> &entries) override {
    entries.clear();
    std::unique_ptr<DIR, int (*)(DIR *)> directory(::opendir(path.c_str()),
                                                   ::closedir);
    if (!directory)
      return lastError();
    for (;;) {
      errno = 0;
      const dirent *entry = ::readdir(directory.get());
      if (!entry)
        break;
      std::string name = entry->d_name;
      if (name == "." || name == "..")
        continue;
      // d_type may be unknown on some file systems, so ask.
      auto isDirectory = [&](int flags) {
        struct stat status;
        return ::fstatat(::dirfd(directory.get()), entry->d_name, &status,
                         flags) == 0 &&
               S_ISDIR(status.st_mode);
      };
      bool isOne = isDirectory(AT_SYMLINK_NOFOLLOW);
      entries.push_back({std::move(name), isOne, !isOne && isDirectory(0)});
    }
    if (errno != 0)
      return lastError();
    std::sort(entries.begin(), entries.end(),
              [](const auto &a, const auto &b) { return a.name < b.name; });
    return {};
  }

  IoError lock(const std::string &path, std::string &holder,
               std::unique_ptr<FileLock> &lock) override {
    Descriptor descriptor = openToWrite(path);
    if (!descriptor.isOpen())
      return errno == ELOOP ? IoError(ENOTSUP) : lastError();
    struct stat status;
    if (::fstat(descriptor.get(), &status) != 0)
      return lastError();
    if (!S_ISREG(status.st_mode))
      return IoError(ENOTSUP);
    if (retried([&] { return ::flock(descriptor.get(), LOCK_EX | LOCK_NB); })) {
      IoError error = lastError();
      char text[256];
      ssize_t length = retried(
          [&] { return ::pread(descriptor.get(), text, sizeof(text), 0); });
      holder.assign(text, size_t(std::max<ssize_t>(length, 0)));
      return error;
    }
    // A second name, as in a copy of the directory made of hard links, keeps
    // its content.
    if (status.st_nlink == 1) {
      if (retried([&] { return ::ftruncate(descriptor.get(), 0); }) != 0)
        return lastError();
      if (IoError error = writeAll(descriptor.get(), holder); !error.ok())
        return error;
    }
    lock = std::make_unique<RealFileLock>(std::move(descriptor));
    return {};
  }
};

} // namespace

FileSystem &realFileSystem() {
  static RealFileSystem files;
  return files;
}

} // namespace boostrt
