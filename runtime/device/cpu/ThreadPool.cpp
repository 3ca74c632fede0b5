#include "runtime/device/cpu/ThreadPool.h"

#include "runtime/support/CaughtException.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>

// libgomp's entry points, declared here because <omp.h> belongs to whichever
// OpenMP the compiler would like to link.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
void omp_set_dynamic(int dynamic);
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *what);
void __tsan_release(void *what);
#endif
}

namespace boostrt {

int64_t chunkCount(int64_t extent, int64_t grain, uint32_t threads) {
  if (extent <= 0)
    return 0;
  int64_t fitting = extent / std::max<int64_t>(grain, 1);
  return std::clamp<int64_t>(fitting, 1, std::max<uint32_t>(threads, 1));
}

Chunk chunkAt(int64_t extent, int64_t count, int64_t index) {
  // Not extent * index / count: that product can overflow.
  int64_t base = extent / count;
  int64_t longer = extent % count;
  int64_t begin = index * base + std::min(index, longer);
  return {begin, begin + base + (index < longer ? 1 : 0)};
}

namespace {

/// libgomp calls exit() when the system gives it no more threads. While one of
/// these lives, that ends with the exit code of such a limit and a sentence.
class ThreadStart {
public:
  explicit ThreadStart(uint32_t threads) : threads_(threads) {
    static const bool isRegistered = std::atexit(reportIfStarting) == 0;
    (void)isRegistered;
    starting += threads_;
  }
  ~ThreadStart() { starting -= threads_; }

private:
  static void reportIfStarting() {
    if (starting == 0)
      return;
    endProcess(cannotStart(fmt::format("{} threads", starting.load()), EAGAIN));
  }

  /// For all ranks of this process, whose threads may start at the same time.
  static std::atomic<uint32_t> starting;
  const uint32_t threads_;
};

std::atomic<uint32_t> ThreadStart::starting{0};

} // namespace

Status configureThreadPool(uint32_t threads) {
  ThreadStart start(threads);
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(threads));
  int granted = 0;
  GOMP_parallel(
      [](void *data) {
        if (omp_get_thread_num() == 0)
          *static_cast<int *>(data) = omp_get_num_threads();
      },
      &granted, threads, 0);
  if (granted == static_cast<int>(threads))
    return Status();
  return Status(
      ExitCode::Usage,
      fmt::format("{} threads are needed, but OpenMP grants {}; results depend "
                  "on the number, so raise or unset OMP_THREAD_LIMIT, or give "
                  "--threads={} to a program planned for that many",
                  threads, granted, granted));
}

namespace {

// For ThreadSanitizer, which does not see what libgomp hands to its threads and
// back.
#ifdef __SANITIZE_THREAD__
void handOver(void *what) { __tsan_release(what); }
void takeOver(void *what) { __tsan_acquire(what); }
#else
void handOver(void *) {}
void takeOver(void *) {}
#endif

struct Loop {
  BoostKernel kernel;
  void *const *operands;
  int64_t extent;
  int64_t chunks;
};

void runShare(void *data) {
  takeOver(data);
  const Loop &loop = *static_cast<const Loop *>(data);
  // A team may be smaller than asked for, inside another parallel
  // region for one; every chunk must run all the same.
  int64_t team = omp_get_num_threads();
  Chunk own = chunkAt(loop.chunks, team, omp_get_thread_num());
  for (int64_t index = own.begin; index < own.end; ++index) {
    Chunk chunk = chunkAt(loop.extent, loop.chunks, index);
    loop.kernel(loop.operands, chunk.begin, chunk.end);
  }
  handOver(data);
}
} // namespace

LibraryThreads::LibraryThreads(uint32_t threads)
    : before_(omp_get_max_threads()) {
  omp_set_num_threads(static_cast<int>(threads));
}
LibraryThreads::~LibraryThreads() { omp_set_num_threads(before_); }

void keepLibraryOnOneThread() { omp_set_num_threads(1); }

void parallelFor(uint32_t threads, uint32_t shares, BoostKernel kernel,
                 void *const *operands, int64_t extent, int64_t grain) {
  int64_t chunks = chunkCount(extent, grain, shares);
  if (chunks == 0)
    return;
  if (chunks == 1)
    return kernel(operands, 0, extent);
  Loop loop{kernel, operands, extent, chunks};
  // Always the whole team, even for fewer chunks: libgomp ends the threads that
  // a smaller team leaves over and creates them anew for the next larger one.
  handOver(&loop);
  GOMP_parallel(runShare, &loop, threads, 0);
  takeOver(&loop);
}

void PoolTeam::run(void (*work)(void *context, int member), void *context) {
  void *operands[] = {reinterpret_cast<void *>(work), context};
  parallelFor(
      threads_,
      [](void *const *operands, int64_t begin, int64_t end) {
        auto work =
            reinterpret_cast<void (*)(void *context, int member)>(operands[0]);
        for (int64_t member = begin; member < end; ++member)
          work(operands[1], static_cast<int>(member));
      },
      operands, threads_, /*grain=*/1);
}

} // namespace boostrt
