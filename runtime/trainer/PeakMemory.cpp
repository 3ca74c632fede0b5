#include "runtime/trainer/PeakMemory.h"

#include "runtime/support/ProcText.h"

#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace boostrt {
namespace {
/// A line "VmRSS:  123 kB" of /proc/self/status, in bytes.
std::optional<uint64_t> statusBytes(std::string_view key) {
  std::optional<std::string> text = procText("/proc/self/status");
  std::optional<uint64_t> kibibytes =
      text ? numberAfter(*text, key) : std::nullopt;
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}
} // namespace

void PeakMemory::begin() {
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    // A refusal leaves the old mark, which bytes() documents.
    [[maybe_unused]] ssize_t written = write(file, "5", 1);
    close(file);
  }
  residentBefore_ = statusBytes("VmRSS:").value_or(0);
}

std::optional<uint64_t> PeakMemory::bytes() const {
  std::optional<uint64_t> peak = statusBytes("VmHWM:");
  if (!peak || residentBefore_ == 0)
    return std::nullopt;
  return *peak > residentBefore_ ? *peak - residentBefore_ : 0;
}

} // namespace boostrt
