#include "runtime/comm/MeasureCosts.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/adasum/Passes.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace boostrt {
namespace {

constexpr int kRepeats = 9;
constexpr size_t kShort = sizeof(double);
constexpr size_t kLong = size_t(4) << 20;

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// The median of several times; the first, which warms up, does not count.
template <typename Work> Status medianOf(Work &&work, double &seconds) {
  std::array<double, kRepeats> times;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {
    auto begin = std::chrono::steady_clock::now();
    BOOSTRT_RETURN_IF_ERROR(work());
    if (repeat >= 0)
      times[repeat] = secondsSince(begin);
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  seconds = times[kRepeats / 2];
  return Status();
}

/// Each member sends `bytes` to the `peers` members behind it.
class Exchanges {
public:
  Exchanges(Group &group, Workspace &workspace)
      : group_(group), workspace_(workspace) {}

  Status measure(uint32_t peers, size_t bytes, double &seconds) {
    std::byte *memory = workspace_.reserve((peers + 1) * bytes);
    workspace_.sends.clear();
    workspace_.receives.clear();
    uint32_t self = group_.self(), size = group_.size();
    for (uint32_t i = 1; i <= peers; ++i) {
      workspace_.sends.push_back(
          {group_.rankOf((self + i) % size), {memory, bytes}});
      workspace_.receives.push_back({group_.rankOf((self + size - i) % size),
                                     {memory + i * bytes, bytes}});
    }
    BOOSTRT_RETURN_IF_ERROR(barrier(group_));
    return medianOf(
        [&] {
          return group_.transport().exchange(workspace_.sends,
                                             workspace_.receives);
        },
        seconds);
  }

private:
  Group &group_;
  Workspace &workspace_;
};

/// The loops of Adasum on vectors that no cache holds.
void measureLoops(CommCosts &costs) {
  constexpr size_t count = size_t(1) << 20, vectors = 4;
  const adasum::Passes &passes = adasum::supportedPasses().front();
  std::vector<float> memory(count * vectors, 1);
  std::array<const float *, vectors> x;
  std::array<double, vectors> c{1, 0.5, 0.25, 0.125};
  std::array<double, adasum::pairCount(vectors)> sums;
  double combine = 0, gram = 0;
  for (size_t i = 0; i < vectors; ++i)
    x[i] = memory.data() + i * count;
  (void)medianOf(
      [&] {
        passes.combine(x.data(), c.data(), vectors, count, memory.data());
        return Status();
      },
      combine);
  (void)medianOf(
      [&] {
        for (size_t begin = 0; begin < count; begin += adasum::kChunk) {
          for (size_t i = 0; i < vectors; ++i)
            x[i] = memory.data() + i * count + begin;
          passes.gram(x.data(), vectors, adasum::kChunk, sums.data());
        }
        return Status();
      },
      gram);
  costs.perTouched = combine / (sizeof(float) * count * (vectors + 1));
  double reading = costs.perTouched * sizeof(float) * count * vectors;
  costs.perProduct = std::max(gram - reading, 0.0) / (count * sums.size());
}

} // namespace

Result<CommCosts> measureCosts(Group &group, Workspace &workspace) {
  CommCosts costs{0, 0, 0, 0, 0};
  uint32_t others = group.size() - 1;
  if (others > 0) {
    double one = 0, all = 0, longOnes = 0;
    Exchanges exchanges(group, workspace);
    BOOSTRT_RETURN_IF_ERROR(exchanges.measure(1, kShort, one));
    BOOSTRT_RETURN_IF_ERROR(exchanges.measure(others, kShort, all));
    BOOSTRT_RETURN_IF_ERROR(exchanges.measure(others, kLong, longOnes));
    if (others > 1)
      costs.perMessage = std::max(all - one, 0.0) / (others - 1);
    costs.latency = std::max(one - costs.perMessage, 0.0);
    costs.perByte = std::max(longOnes - all, 0.0) / (kLong * others);
  }
  BOOSTRT_RETURN_IF_ERROR(barrier(group));
  measureLoops(costs); // at once on all, as in a step
  std::vector<CommCosts> found(group.size());
  BOOSTRT_RETURN_IF_ERROR(
      allGatherValue(group, costs, std::span(found), workspace));
  for (const CommCosts &other : found)
    for (double CommCosts::*cost :
         {&CommCosts::latency, &CommCosts::perMessage, &CommCosts::perByte,
          &CommCosts::perProduct, &CommCosts::perTouched})
      costs.*cost = std::max(costs.*cost, other.*cost);
  return costs;
}

} // namespace boostrt
