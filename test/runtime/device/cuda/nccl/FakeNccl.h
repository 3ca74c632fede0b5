// FakeNccl.h - what tests and the library of FakeNccl.cpp know of each other.
#pragma once

#include <atomic>

namespace boostrt::fake_nccl {

/// What a stream of the library's points to.
struct Stream {
  std::atomic<int> pending = 0; ///< sends and receives that have not ended
  std::atomic<bool> isBroken = false;
};

/// How the library is to behave; of all communicators that are made from then
/// on.
struct Behavior {
  int pollsPerCall = 2;     ///< answers kInProgress so often
  bool initHangs = false;   ///< ranks never find each other
  int failingRank = -1;     ///< whose group number `failingGroup` fails
  int failingGroup = 0;     ///< counted from 0; the barrier of connect() too
  bool failsAtOnce = false; ///< by the group's own result, not later
  bool abortHangs = false;  ///< until release()
  bool streamsHang = false; ///< abort() leaves what is pending on the stream
  bool finalizeHangs = false;
};

struct Control {
  void (*behave)(const Behavior &);
  void (*release)();      ///< lets hanging aborts end
  int (*communicators)(); ///< that have been neither destroyed nor aborted
};

} // namespace boostrt::fake_nccl
