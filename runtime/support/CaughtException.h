// CaughtException.h - the exceptions that libraries and the C++ library throw
// where the system refuses something, as Status values.
#pragma once

#include "runtime/support/Status.h"

#include <string_view>
#include <type_traits>
#include <utility>

namespace boostrt {

/// Inside a handler (catch): what was caught. Threads and the like that the
/// system does not give are ExitCode::Usage, memory is ExitCode::Memory: a
/// limit of the machine is not a defect of ours.
Status caughtException();

/// What `body` returns, a Status or a Result; what it throws is one as well.
template <typename Body> std::invoke_result_t<Body &> catching(Body &&body) {
  try {
    return body();
  } catch (...) {
    return caughtException();
  }
}

/// "cannot start WHAT: ..."; with the advice to raise the limit on processes
/// (ulimit -u) when `error`, an errno, is what the system answers at that
/// limit. ExitCode::Memory when memory is missing, for a stack, too, which the
/// system answers in the same way, else ExitCode::Usage.
Status cannotStart(std::string_view what, int error);

/// Ends the process at once, with a line "PROGRAM: error: MESSAGE" and the exit
/// code of `status`. For where no caller can be told.
[[noreturn]] void endProcess(const Status &status);

/// Has the exceptions that no handler catches, those of a library's own threads
/// for one, end the process as endProcess() does. `program` is the name in the
/// lines of both.
void reportUncaughtExceptions(const char *program);

} // namespace boostrt
