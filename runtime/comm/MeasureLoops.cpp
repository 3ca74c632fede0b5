#include "runtime/comm/MeasureLoops.h"

#include "runtime/comm/vectors/ElementLoops.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <array>
#include <vector>

namespace boostrt {
namespace {

/// Seconds, the median of several times of work(); the first, which warms up,
/// does not count.
template <typename Work> double medianOf(Work &&work) {
  constexpr int repeats = 9;
  std::array<double, repeats> times;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    Clock::time_point begin = Clock::now();
    work();
    if (repeat >= 0)
      times[repeat] = secondsSince(begin);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[repeats / 2];
}

} // namespace

void measureLoops(CommCosts &costs, size_t vectorBytes) {
  constexpr size_t vectors = 4;
  // The parts of a rank are together one vector; longer ones than that are in
  // no cache either. Whole chunks.
  constexpr size_t most = size_t(1) << 20;
  size_t count = std::clamp(vectorBytes / (vectors * sizeof(float)),
                            adasum::kChunk, most) /
                 adasum::kChunk * adasum::kChunk;
  const adasum::ElementLoops &passes = adasum::supportedLoops().front();
  std::vector<float> memory(count * vectors, 1);
  std::array<const float *, vectors> x;
  std::array<double, vectors> c{1, 0.5, 0.25, 0.125};
  std::array<double, adasum::pairCount(vectors)> sums;
  for (size_t i = 0; i < vectors; ++i)
    x[i] = memory.data() + i * count;
  double combine = medianOf([&] {
    passes.combine(x.data(), c.data(), vectors, count, memory.data());
  });
  double gram = medianOf([&] {
    // What has just come is in the cache.
    for (size_t begin = 0; begin < count; begin += adasum::kChunk)
      passes.gram(x.data(), vectors, adasum::kChunk, sums.data());
  });
  costs.perTouched = combine / (sizeof(float) * count * (vectors + 1));
  costs.perProduct = gram / (count * sums.size());
}

} // namespace boostrt
