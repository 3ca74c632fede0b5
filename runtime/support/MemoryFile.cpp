#include "runtime/support/MemoryFile.h"

#include <fmt/format.h>

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace boostrt {

IoError MemoryFile::create(const char *name) {
  descriptor_ = Descriptor(memfd_create(name, MFD_CLOEXEC));
  return descriptor_.isOpen() ? IoError() : IoError(errno);
}

IoError MemoryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<size_t>(count));
    else if (errno != EINTR)
      return IoError(errno);
  }
  return {};
}

std::string MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_.get());
}

} // namespace boostrt
