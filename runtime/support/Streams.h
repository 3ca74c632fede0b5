// Streams.h - standard output and standard error of both programs.
//
// Results go to standard output, and a program that cannot write them fails at
// its end. Notes go to standard error: what cannot be written there is lost,
// and never ends anything.
#pragma once

#include "runtime/support/Status.h"

#include <fmt/format.h>

#include <string_view>

namespace boostrt {

/// To be called first in main(), after what installs handlers of signals.
/// Closed descriptors 0 to 2 are opened without the right to do anything, so
/// that no file of ours gets one of these numbers. A reader that has gone
/// (SIGPIPE) and the limit on file sizes (SIGXFSZ) become errors of write().
void prepareStreams();

/// All of `text`, in one piece where the system allows. Threads may call these
/// at the same time.
void writeNote(std::string_view text) noexcept;
void writeResult(std::string_view text) noexcept;

void writeFormattedNote(fmt::string_view format,
                        fmt::format_args args) noexcept;
void writeFormattedResult(fmt::string_view format,
                          fmt::format_args args) noexcept;

template <typename... Args>
void printNote(fmt::format_string<Args...> format, const Args &...args) {
  writeFormattedNote(format, fmt::make_format_args(args...));
}

template <typename... Args>
void printResult(fmt::format_string<Args...> format, const Args &...args) {
  writeFormattedResult(format, fmt::make_format_args(args...));
}

/// Whether all results could be written; ExitCode::Usage with the first reason
/// when not.
Status resultsStatus();

/// Ends the process as SIGPIPE does by itself, quietly, when results went to a
/// reader that has gone: `... | head`. Does nothing when that was not so, or
/// when the parent of this process has SIGPIPE ignored.
void endWithReader();

} // namespace boostrt
