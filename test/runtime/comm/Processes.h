// Processes.h - ranks that are processes, some of which die.
#pragma once

#include "runtime/comm/gloo/GlooTransport.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace boostrt::test {

/// How a rank's process ended, and what it wrote before.
struct ProcessReport {
  bool hasReported = false; ///< whether the rank's function returned
  ExitCode code = ExitCode::Ok;
  std::string message;
  /// When it returned, on the clock of all processes; and when it said so with
  /// markTime().
  std::chrono::steady_clock::time_point returnedAt, markedAt;
};

/// For the process of a rank, before it does something to itself.
void markTime();

/// Runs `rank` in `options.size` processes connected by Gloo; rank 0 serves.
/// `stopped`: a rank that stops itself, and is killed when the others are done.
std::vector<ProcessReport>
runProcesses(GlooOptions options,
             const std::function<Status(Transport &)> &rank, int stopped = -1);

/// A port of 127.0.0.1 that was free a moment ago; below 32768, where Linux
/// begins to number the ends of connections, which could take it.
uint16_t freePort();

} // namespace boostrt::test
