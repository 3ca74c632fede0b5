// Fuzz.h - what the targets of tools/fuzz share. Each has one function,
// LLVMFuzzerTestOneInput(), which libFuzzer calls with inputs that it makes up.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace boostrt::fuzz {

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the run, as a crash does.
[[noreturn]] inline void fail(std::string_view what) {
  fmt::print(stderr, "{}\n", what);
  std::abort();
}

inline void expect(bool holds, std::string_view what) {
  if (!holds)
    fail(what);
}

/// What a refusal has: a message that names the file.
inline void expectRefusal(const Status &status, std::string_view path) {
  expect(status.message().find(path) != std::string::npos,
         "the message does not name the file: " + status.message());
  expect(status.code() != ExitCode::Internal,
         "bad input is no fault of the program: " + status.message());
}

/// A file in memory.
class InputFile {
public:
  InputFile(const uint8_t *data, size_t size)
      : descriptor_(memfd_create("input", 0)) {
    while (size > 0) {
      ssize_t written = ::write(descriptor_, data, size);
      expect(written > 0, "no memory for the file");
      data += written;
      size -= static_cast<size_t>(written);
    }
  }
  ~InputFile() { ::close(descriptor_); }
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string path() const {
    return fmt::format("/proc/self/fd/{}", descriptor_);
  }

private:
  int descriptor_;
};

} // namespace boostrt::fuzz
