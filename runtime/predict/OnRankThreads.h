// OnRankThreads.h - does something on threads that stand for the ranks of a
// server.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <functional>

namespace boostrt {

/// Calls work(0), work(1), ... at once, each on a thread of its own; with
/// `pins` on the CPUs that a rank which boost-run starts would get. The first
/// failure counts.
Status onRankThreads(uint32_t ranks, bool pins,
                     const std::function<Status(uint32_t)> &work);

} // namespace boostrt
