// StackLimit.h - memory for the stacks of threads that run kernels.
#pragma once

#include "runtime/support/Status.h"

namespace boostrt {

/// Lets the stacks of the calling thread and of threads that begin from now on
/// grow to 8 MiB, where a limit (ulimit -s) is lower and the process may raise
/// it. Kernels keep up to 1.5 MiB there; glibc gives a thread as much as the
/// limit was when the process began, and 2 MiB where there was none.
void raiseStackLimit();

/// Fails with ExitCode::Usage where the stack of the calling thread, or those
/// of threads that begin from now on, have less than the 2 MiB that kernels and
/// what calls them may need.
Status checkStackLimit();

/// Whether there is memory for the stack of another thread. The system answers
/// a lack of it as it answers the limit on threads.
bool hasRoomForStack();

} // namespace boostrt
