// Fuzz.h - what the targets of tools/fuzz share. Each has one function,
// LLVMFuzzerTestOneInput(), which libFuzzer calls with inputs that it makes up.
#pragma once

#include "runtime/support/MemoryFile.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

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
         "bad input is reported as an internal error: " + status.message());
}

/// A file of these bytes.
inline MemoryFile makeFile(const uint8_t *data, size_t size) {
  MemoryFile file;
  expect(file.create("input").ok() && file.write(textOf(data, size)).ok(),
         "no memory for the file");
  return file;
}

} // namespace boostrt::fuzz
