#include "runtime/profile/MachinePeaks.h"

#include "runtime/device/cpu/ThreadPool.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <memory>
#include <new>
#include <unistd.h>

namespace boostrt {
namespace {

using Vector256 = float __attribute__((vector_size(32)));
using Vector512 = float __attribute__((vector_size(64)));

// Twelve chains hide a latency of up to six cycles at two operations a cycle,
// and fit into sixteen registers.
constexpr int kChains = 12;
constexpr int64_t kIterations = 400'000; // about a millisecond
constexpr double kSecondsOfMultiplyAdds = 0.05, kSecondsOfTriad = 0.15;

/// Chains of multiply-adds on registers. It is inlined into functions for the
/// CPUs that have such vectors. Chains begin with different values, and their
/// sum is used, so that none can be left out.
template <typename Vector>
[[gnu::always_inline]] inline void runChains(float *values) {
  Vector chains[kChains];
  const Vector factor = Vector{} + values[kChains],
               term = Vector{} + values[kChains + 1];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i)
    chains[i] = Vector{} + values[i];
  for (int64_t n = 0; n < kIterations; ++n) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i)
      chains[i] = chains[i] * factor + term;
  }
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i)
    values[i] = chains[i][0];
}

[[gnu::target("avx2,fma")]] void runChains256(float *values) {
  runChains<Vector256>(values);
}
[[gnu::target("avx512f")]] void runChains512(float *values) {
  runChains<Vector512>(values);
}

/// The shortest time that `run` takes, called for `seconds` and three times.
template <typename Run> double shortest(double seconds, const Run &run) {
  Clock::time_point first = Clock::now();
  double best = 0;
  for (int n = 0; n < 3 || secondsSince(first) < seconds; ++n) {
    Clock::time_point begin = Clock::now();
    run();
    double taken = secondsSince(begin);
    best = n == 0 ? taken : std::min(best, taken);
  }
  return best;
}

/// Floating-point operations a second, all threads together.
double measureMultiplyAdds(ThreadPool &pool, int lanes,
                           void (*chains)(float *)) {
  BoostKernel kernel = [](void *const *operands, int64_t begin, int64_t end) {
    auto run = reinterpret_cast<void (*)(float *)>(operands[0]);
    for (int64_t i = begin; i < end; ++i) {
      // They go to 0.5, and stay normal numbers.
      float values[kChains + 2];
      for (int chain = 0; chain < kChains; ++chain)
        values[chain] = 1.0f + static_cast<float>(chain);
      values[kChains] = 0.75f;
      values[kChains + 1] = 0.125f;
      run(values);
      volatile float used = values[0];
      (void)used;
    }
  };
  void *operands[] = {reinterpret_cast<void *>(chains)};
  double seconds = shortest(kSecondsOfMultiplyAdds, [&] {
    pool.parallelFor(pool.threads(), kernel, operands, pool.threads(), 1);
  });
  return 2.0 * lanes * kChains * kIterations * pool.threads() / seconds;
}

struct Triad {
  float *a, *b, *c;

  static void fill(void *const *operands, int64_t begin, int64_t end) {
    const Triad &t = *static_cast<const Triad *>(operands[0]);
    for (int64_t i = begin; i < end; ++i)
      t.a[i] = t.b[i] = t.c[i] = 1;
  }
  static void run(void *const *operands, int64_t begin, int64_t end) {
    const Triad &t = *static_cast<const Triad *>(operands[0]);
    float *__restrict a = t.a;
    const float *b = t.b, *c = t.c;
    for (int64_t i = begin; i < end; ++i)
      a[i] = b[i] + 0.5f * c[i];
  }
};

uint64_t largestCache() {
  uint64_t bytes = 0;
  for (int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE})
    if (long found = sysconf(level); found > 0)
      bytes = std::max(bytes, static_cast<uint64_t>(found));
  return bytes;
}

/// All three vectors have so many bytes: more than the largest cache.
uint64_t sizeOfTriad(uint64_t cache) {
  constexpr uint64_t kMin = uint64_t{96} << 20, kMax = uint64_t{512} << 20;
  return std::clamp(cache + cache / 2, kMin, kMax);
}

/// Bytes a second that are read and written; 0 without memory for it. The best
/// of many parts counts: a pass over all of it seldom has the machine for
/// itself, and when a part is read again, the others have taken its place in
/// the caches.
double measureTriad(ThreadPool &pool, uint64_t bytes) {
  constexpr int64_t kParts = 32;
  auto elements = static_cast<int64_t>(bytes / 3 / sizeof(float));
  const int64_t part = elements / kParts;
  std::unique_ptr<float[]> vectors(new (std::nothrow) float[3 * elements]);
  if (!vectors || part == 0)
    return 0;
  Triad triad{vectors.get(), vectors.get() + elements,
              vectors.get() + 2 * elements};
  void *whole[] = {&triad};
  pool.parallelFor(pool.threads(), Triad::fill, whole, elements, 1);
  int64_t next = 0;
  double seconds = shortest(kSecondsOfTriad, [&] {
    int64_t at = next++ % kParts * part;
    Triad piece{triad.a + at, triad.b + at, triad.c + at};
    void *operands[] = {&piece};
    pool.parallelFor(pool.threads(), Triad::run, operands, part, 1);
  });
  return static_cast<double>(3 * part) * sizeof(float) / seconds;
}

} // namespace

double MachinePeaks::leastSeconds(uint64_t flopsDone,
                                  uint64_t bytesMoved) const {
  double computing = flops > 0 ? static_cast<double>(flopsDone) / flops : 0;
  double moving = bytes > 0 ? static_cast<double>(bytesMoved) / bytes : 0;
  return std::max(computing, moving);
}

MachinePeaks measurePeaks(uint32_t threads, uint64_t maxBytes) {
  MachinePeaks peaks;
  peaks.threads = threads;
  auto pool = ThreadPool::create(threads);
  if (!pool.ok())
    return peaks;
  auto offer = [&](double flops, const char *vectors) {
    if (flops > peaks.flops) {
      peaks.flops = flops;
      peaks.vectors = vectors;
    }
  };
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    offer(measureMultiplyAdds(**pool, 8, runChains256), "AVX2");
  if (__builtin_cpu_supports("avx512f"))
    offer(measureMultiplyAdds(**pool, 16, runChains512), "AVX-512");
  peaks.cacheBytes = largestCache();
  uint64_t bytes = sizeOfTriad(peaks.cacheBytes);
  // With less, the caches would be measured.
  if (bytes <= maxBytes)
    peaks.bytes = measureTriad(**pool, bytes);
  if (peaks.bytes > 0)
    peaks.triadBytes = bytes;
  return peaks;
}

} // namespace boostrt
