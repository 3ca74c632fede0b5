// ThreadPool.h - parallel loops on libgomp's pool, the one oneDNN uses.
//
// Generated kernels and library primitives alternate thousands of times a
// second. Two pools would fight for the cores while one of them spins, so there
// is one, and it is entered through GOMP_parallel directly: clang's -fopenmp
// would bring a second library (libomp).
//
// OpenMP keeps its settings per thread: configure(), every parallel loop and
// every library call of a run belong to one thread, the trainer's.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"
#include "runtime/support/ThreadTeam.h"

#include <cstdint>

namespace boostrt {

/// The iterations [begin, end) of one chunk.
struct Chunk {
  int64_t begin = 0;
  int64_t end = 0;
};

/// How many chunks [0, extent) is split into: as many as there are threads, but
/// none with fewer than `grain` iterations (unless there is only one chunk). 0
/// for an empty loop. A function of its arguments alone, so that the same
/// program on as many threads computes the same bits.
int64_t chunkCount(int64_t extent, int64_t grain, uint32_t threads);

/// Chunk `index` of `count`: contiguous, ascending, sizes differ by at most 1.
Chunk chunkAt(int64_t extent, int64_t count, int64_t index);

/// Gives the calling thread's OpenMP regions, oneDNN's included, exactly
/// `threads` threads and starts them. Fails (ExitCode::Usage) when OpenMP
/// grants fewer, because the split of every primitive depends on the number.
Status configureThreadPool(uint32_t threads);

/// While it lives, oneDNN plans its calls on the calling thread for `threads`
/// threads, and starts none of them: for questions about calls that another
/// process will make.
class LibraryThreads {
public:
  explicit LibraryThreads(uint32_t threads);
  ~LibraryThreads();
  LibraryThreads(const LibraryThreads &) = delete;
  LibraryThreads &operator=(const LibraryThreads &) = delete;

private:
  const int before_;
};

/// Has oneDNN compute every call from now on on the thread that makes it, so
/// that its results do not depend on how many there are; loops of ours state
/// how many they take.
void keepLibraryOnOneThread();

/// For how many threads loops of strictly reproducible programs are split,
/// however many run the pieces. More than a server's cores would be too many
/// for small loops, fewer would idle some.
inline constexpr uint32_t kStrictShares = 16;

/// Runs `kernel` over [0, extent) as BoostEnv::parallel_for promises, split as
/// for `shares` threads.
void parallelFor(uint32_t threads, uint32_t shares, BoostKernel kernel,
                 void *const *operands, int64_t extent, int64_t grain);
inline void parallelFor(uint32_t threads, BoostKernel kernel,
                        void *const *operands, int64_t extent, int64_t grain) {
  parallelFor(threads, threads, kernel, operands, extent, grain);
}

/// The threads of the calling thread's loops.
class PoolTeam final : public ThreadTeam {
public:
  explicit PoolTeam(uint32_t threads) : threads_(threads) {}
  int size() const override { return static_cast<int>(threads_); }
  void run(void (*work)(void *context, int member), void *context) override;

private:
  const uint32_t threads_;
};

} // namespace boostrt
