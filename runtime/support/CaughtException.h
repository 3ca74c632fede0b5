// CaughtException.h - the exceptions that libraries and the C++ library throw
// where the system refuses something, as the Status values of everybody else.
#pragma once

#include "runtime/support/Status.h"

namespace boostrt {

/// Inside a handler (catch): what was caught. Threads and the like that the
/// system does not give are ExitCode::Usage, memory is ExitCode::Memory: a
/// limit of the machine is not a defect of ours.
Status caughtException();

/// "...; raise the limit on processes (ulimit -u)" when `error`, an errno, is
/// what the system answers at that limit.
Status cannotStart(std::string_view what, int error);

/// Has the exceptions that no handler catches, those of a library's own threads
/// for one, end the process with a message and an exit code.
void reportUncaughtExceptions(const char *program);

} // namespace boostrt
