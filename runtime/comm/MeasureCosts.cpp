#include "runtime/comm/MeasureCosts.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/PartedVector.h"
#include "runtime/comm/adasum/Passes.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace boostrt {
namespace {

constexpr int kRepeats = 9;
constexpr size_t kShort = sizeof(double);
/// Vectors are no longer than that.
constexpr size_t kVector = size_t(32) << 20;
/// Nor shorter than that: what fewer bytes cost cannot be told from noise.
constexpr size_t kLeastVector = size_t(128) << 10;

/// The median of several times of work(), each after prepare(); the first,
/// which warms up, does not count.
template <typename Prepare, typename Work>
Status medianOf(Prepare &&prepare, Work &&work, double &seconds) {
  std::array<double, kRepeats> times;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {
    BOOSTRT_RETURN_IF_ERROR(prepare());
    Clock::time_point begin = Clock::now();
    BOOSTRT_RETURN_IF_ERROR(work());
    if (repeat >= 0)
      times[repeat] = secondsSince(begin);
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  seconds = times[kRepeats / 2];
  return Status();
}

template <typename Work> Status medianOf(Work &&work, double &seconds) {
  return medianOf([] { return Status(); }, std::forward<Work>(work), seconds);
}

/// Exchanges as those of collectives.
class Exchanges {
public:
  Exchanges(Group &group, Workspace &workspace)
      : group_(group), workspace_(workspace) {}

  /// Each member sends `messages` short messages to the one behind it.
  Status measureShort(uint32_t peers, uint32_t messages, double &seconds) {
    std::byte *memory = workspace_.reserve((peers * messages + 1) * kShort);
    clear();
    for (uint32_t message = 0; message < messages; ++message)
      for (uint32_t i = 1; i <= peers; ++i) {
        send(i, memory, kShort);
        receive(i, memory + (message * peers + i) * kShort, kShort);
      }
    BOOSTRT_RETURN_IF_ERROR(barrier(group_));
    return medianOf([&] { return exchange(); }, seconds);
  }

  /// The two exchanges of a sum, without adding: each member sends every other
  /// its slice of a block, and then its own slice to all. That moves the memory
  /// between caches as a sum does. `messages` is how many one of the two
  /// takes, `bytes` how much.
  Status measureSlices(size_t vectorBytes, uint32_t &messages, size_t &bytes,
                       double &seconds) {
    uint32_t size = group_.size(), self = group_.self();
    size_t vector = std::clamp(vectorBytes, kLeastVector, kVector);
    size_t block = std::min(vector, kAllReduceBlockBytes);
    size_t slice = std::max(kShort, block / size);
    vector = std::max(vector, size * slice);
    std::byte *memory = workspace_.reserve(vector + size * slice);
    std::byte *received = memory + vector;
    size_t begin = 0;
    // place(i) is where slice i comes to, source(i) what member i gets.
    auto exchangeSlices = [&](auto &&source, auto &&place) {
      clear();
      bytes = 0;
      // Everybody's first message, then the second.
      for (size_t at = 0; at < slice; at += kMostMessageBytes)
        for (uint32_t i = 1; i < size; ++i) {
          size_t count = std::min(kMostMessageBytes, slice - at);
          send(i, source((self + i) % size) + at, count);
          receive(i, place((self + size - i) % size) + at, count);
          bytes += count;
        }
      messages = static_cast<uint32_t>(workspace_.sends.size());
      return exchange();
    };
    auto inVector = [&](uint32_t i) { return memory + begin + i * slice; };
    auto prepare = [&] {
      // What is sent next has not been touched for long.
      begin += size * slice;
      if (begin + size * slice > vector)
        begin = 0;
      // As gradients are: nobody else has them in a cache.
      std::memset(memory + begin, static_cast<int>(self), size * slice);
      return barrier(group_);
    };
    auto work = [&]() -> Status {
      BOOSTRT_RETURN_IF_ERROR(exchangeSlices(
          inVector, [&](uint32_t i) { return received + i * slice; }));
      return exchangeSlices([&](uint32_t) { return inVector(self); }, inVector);
    };
    return medianOf(prepare, work, seconds);
  }

private:
  void clear() {
    workspace_.sends.clear();
    workspace_.receives.clear();
  }
  void send(uint32_t distance, const std::byte *data, size_t bytes) {
    workspace_.sends.push_back(
        {group_.rankOf((group_.self() + distance) % group_.size()),
         {data, bytes}});
  }
  void receive(uint32_t distance, std::byte *place, size_t bytes) {
    uint32_t size = group_.size();
    workspace_.receives.push_back(
        {group_.rankOf((group_.self() + size - distance) % size),
         {place, bytes}});
  }
  Status exchange() {
    return group_.transport().exchange(workspace_.sends, workspace_.receives);
  }

  Group &group_;
  Workspace &workspace_;
};

} // namespace

void measureLoops(CommCosts &costs, size_t vectorBytes) {
  constexpr size_t vectors = 4;
  // The parts of a rank are together one vector; longer ones than that are in
  // no cache either. Whole chunks.
  constexpr size_t most = size_t(1) << 20;
  size_t count = std::clamp(vectorBytes / (vectors * sizeof(float)),
                            adasum::kChunk, most) /
                 adasum::kChunk * adasum::kChunk;
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
        // What has just come is in the cache.
        for (size_t begin = 0; begin < count; begin += adasum::kChunk)
          passes.gram(x.data(), vectors, adasum::kChunk, sums.data());
        return Status();
      },
      gram);
  costs.perTouched = combine / (sizeof(float) * count * (vectors + 1));
  costs.perProduct = gram / (count * sums.size());
}

Result<CommCosts> measureCosts(Group &group, Workspace &workspace,
                               size_t vectorBytes) {
  CommCosts costs{0, 0, 0, 0, 0};
  uint32_t others = group.size() - 1;
  if (others > 0) {
    // Two members have one connection, on which messages follow one another.
    uint32_t messages = others == 1 ? 4 : others, sent = 0;
    double one = 0, all = 0, slices = 0;
    size_t bytes = 0;
    Exchanges exchanges(group, workspace);
    BOOSTRT_RETURN_IF_ERROR(exchanges.measureShort(1, 1, one));
    BOOSTRT_RETURN_IF_ERROR(
        exchanges.measureShort(others, messages / others, all));
    BOOSTRT_RETURN_IF_ERROR(
        exchanges.measureSlices(vectorBytes, sent, bytes, slices));
    costs.perMessage = std::max(all - one, 0.0) / (messages - 1);
    costs.latency = std::max(one - costs.perMessage, 0.0);
    costs.perByte =
        std::max(slices / 2 - exchangeSeconds(costs, sent, 0), 0.0) / bytes;
  }
  BOOSTRT_RETURN_IF_ERROR(barrier(group));
  measureLoops(costs, vectorBytes); // at once on all, as in a step
  std::vector<CommCosts> found(group.size());
  BOOSTRT_RETURN_IF_ERROR(
      allGatherValue(group, costs, std::span(found), workspace));
  for (const CommCosts &other : found)
    for (double CommCosts::*cost : kCommCosts)
      costs.*cost = std::max(costs.*cost, other.*cost);
  return costs;
}

} // namespace boostrt
