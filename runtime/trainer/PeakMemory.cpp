#include "runtime/trainer/PeakMemory.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace boostrt {
namespace {
/// A "Key:  123 kB" line of /proc/self/status, in bytes.
std::optional<uint64_t> statusBytes(const char *key) {
  std::FILE *file = std::fopen("/proc/self/status", "re");
  if (!file)
    return std::nullopt;
  std::optional<uint64_t> found;
  char line[256];
  size_t length = std::strlen(key);
  while (!found && std::fgets(line, sizeof line, file)) {
    unsigned long long kilobytes = 0;
    if (std::strncmp(line, key, length) == 0 && line[length] == ':' &&
        std::sscanf(line + length + 1, "%llu", &kilobytes) == 1)
      found = kilobytes * 1024;
  }
  std::fclose(file);
  return found;
}
} // namespace

void PeakMemory::begin() {
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    // A refusal leaves the old mark, which bytes() documents.
    [[maybe_unused]] ssize_t written = write(file, "5", 1);
    close(file);
  }
  residentBefore_ = statusBytes("VmRSS").value_or(0);
}

std::optional<uint64_t> PeakMemory::bytes() const {
  std::optional<uint64_t> peak = statusBytes("VmHWM");
  if (!peak || residentBefore_ == 0)
    return std::nullopt;
  return *peak > residentBefore_ ? *peak - residentBefore_ : 0;
}

} // namespace boostrt
