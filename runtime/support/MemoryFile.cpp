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
  return writeAll(descriptor_.get(), bytes);
}

IoError MemoryFile::read(std::string &content) const {
  content.clear();
  char buffer[4096];
  ssize_t count;
  while ((count = pread(descriptor_.get(), buffer, sizeof buffer,
                        static_cast<off_t>(content.size()))) > 0)
    content.append(buffer, static_cast<size_t>(count));
  return count < 0 ? IoError(errno) : IoError();
}

std::string MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_.get());
}

} // namespace boostrt
