// StackLimit.h - memory for the stacks of threads that run kernels.
#pragma once

namespace boostrt {

/// Lets the stacks of the calling thread and of threads that begin from now on
/// grow to 8 MiB, where a limit (ulimit -s) is lower and the process may raise
/// it. Kernels keep up to 1.5 MiB there; glibc gives a thread as much as the
/// limit was when the process began, and 2 MiB where there was none.
void raiseStackLimit();

} // namespace boostrt
