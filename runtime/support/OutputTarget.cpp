#include "runtime/support/OutputTarget.h"

#include "runtime/support/File.h"
#include "runtime/support/ParseNumber.h"

#include <fmt/format.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <linux/magic.h>
#include <memory>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace boostrt {
namespace {

/// As many as Linux follows in one path.
constexpr int kMaxLinks = 40;

/// The number of a descriptor of this process, when `directory` and `name` are
/// its path, else -1: /dev/stdout is a link to /proc/self/fd/1.
int ownDescriptor(const std::string &directory, const std::string &name) {
  bool isOwn = directory == fmt::format("/proc/{}/fd", getpid());
  return isOwn ? parseWhole<int>(name).value_or(-1) : -1;
}

/// Links there lead to open files, whatever their text says.
bool isInProc(const std::string &directory) {
  struct statfs info;
  return statfs(directory.c_str(), &info) == 0 &&
         info.f_type == PROC_SUPER_MAGIC;
}

IoError describePlainFile(const struct stat &info, OutputTarget &target) {
  if (faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0)
    return IoError(errno);
  target.kind = OutputTarget::Kind::Replaced;
  target.mode = info.st_mode & 07777;
  target.user = info.st_uid;
  target.group = info.st_gid;
  return {};
}

} // namespace

IoError readLinkText(const std::string &path, std::string &text) {
  char buffer[PATH_MAX];
  ssize_t length = readlink(path.c_str(), buffer, sizeof buffer);
  if (length < 0)
    return IoError(errno);
  text.assign(buffer, static_cast<size_t>(length));
  return {};
}

IoError findOutputTarget(const std::string &path, OutputTarget &target) {
  target = {};
  target.path = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    std::string name = baseNameOf(target.path);
    std::unique_ptr<char, void (*)(void *)> directory(
        realpath((directoryOf(target.path) + "/").c_str(), nullptr), std::free);
    if (!directory)
      return IoError(errno);
    if (name.empty()) // "folder/"
      return IoError(EISDIR);
    if (int number = ownDescriptor(directory.get(), name); number >= 0) {
      target.kind = OutputTarget::Kind::Stream;
      target.descriptor = number;
      return {};
    }
    struct stat info;
    if (lstat(target.path.c_str(), &info) != 0)
      return errno == ENOENT ? IoError() : IoError(errno);
    if (S_ISDIR(info.st_mode))
      return IoError(EISDIR);
    if (S_ISREG(info.st_mode))
      return describePlainFile(info, target);
    if (!S_ISLNK(info.st_mode) || isInProc(directory.get())) {
      target.kind = OutputTarget::Kind::Stream;
      return {};
    }
    std::string text;
    if (IoError error = readLinkText(target.path, text); !error.ok())
      return error;
    target.path = text.starts_with('/')
                      ? text
                      : fmt::format("{}/{}", directory.get(), text);
  }
  return IoError(ELOOP);
}

bool isSameFile(const std::string &one, const std::string &other) {
  struct stat first, second;
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
         S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

} // namespace boostrt
