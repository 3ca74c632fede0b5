#include "runtime/support/CaughtException.h"

#include "runtime/support/IoError.h"
#include "runtime/support/StackLimit.h"
#include "runtime/support/Streams.h"

#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <new>
#include <system_error>
#include <unistd.h>

namespace boostrt {
namespace {

const char *programName = "";

[[noreturn]] void reportAndEnd() {
  if (!std::current_exception())
    endProcess(Status(ExitCode::Internal,
                      "ended without a reason; please report this"));
  try {
    throw;
  } catch (const std::bad_alloc &) {
    // So short that neither the Status nor the line needs memory.
    endProcess(Status(ExitCode::Memory, "out of memory"));
  } catch (...) {
    endProcess(caughtException());
  }
}

} // namespace

Status cannotStart(std::string_view what, int error) {
  if (error == EAGAIN && !hasRoomForStack())
    return Status(ExitCode::Memory,
                  fmt::format("cannot start {}: out of memory for a stack: "
                              "raise the limit on memory (ulimit -v) or ask "
                              "for fewer ranks or threads",
                              what));
  return Status(
      IoError(error).limitCode() == ExitCode::Memory ? ExitCode::Memory
                                                     : ExitCode::Usage,
      fmt::format("cannot start {}: {}{}", what, IoError(error).text(),
                  error == EAGAIN ? "; the limit on processes and threads is "
                                    "reached: raise it (ulimit -u) or ask for "
                                    "fewer ranks or threads"
                                  : ""));
}

Status caughtException() {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    // Where there is no memory even for this, reportAndEnd() has the last word.
    return Status(ExitCode::Memory,
                  "out of memory: the system gives this process no more; use a "
                  "smaller batch_size, fewer ranks on this machine, or a "
                  "machine or a limit (ulimit -v) with more memory");
  } catch (const std::system_error &error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      return cannotStart("a thread", EAGAIN);
    return Status(ExitCode::Internal, error.what());
  } catch (const std::exception &error) {
    return Status(
        ExitCode::Internal,
        fmt::format("unexpected: {}; please report this", error.what()));
  } catch (...) {
    return Status(ExitCode::Internal,
                  "unexpected exception of an unknown type; "
                  "please report this");
  }
}

void endProcess(const Status &status) {
  printNote("{}{}error: {}\n", programName, *programName ? ": " : "",
            status.message());
  _exit(static_cast<int>(status.code()));
}

void reportUncaughtExceptions(const char *program) {
  programName = program;
  std::set_terminate(reportAndEnd);
}

} // namespace boostrt
