// The collectives of ops over every transport, bit for bit against their
// definitions in dialect coll.
#include "runtime/comm/Collectives.h"
#include "runtime/comm/HostVectors.h"
#include "test/runtime/comm/Contributions.h"
#include "test/runtime/device/cuda/nccl/NcclRanks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace boostrt;
using namespace boostrt::test;

namespace {

constexpr uint32_t rankCounts[] = {1, 2, 3, 4, 5, 8};

/// Spans, and how what they hold travels.
struct Shape {
  std::vector<size_t> sizes;
  VectorCuts cuts = kHostCuts;
};
const Shape kShapes[] = {
    // Short spans, empty ones, and with fewer elements than ranks.
    {{5, 0, 1, 17, 8}},
    // Some are messages of their own.
    {{3, 120000, 10, 1, 40001, 7}},
    // Several blocks, which may be one message, as on GPUs.
    {{3, 6000, 10, 0, 1, 2001, 7}, {4096, 4096, 128}}};

/// By span.
using Spans = std::vector<std::vector<float>>;

Spans cut(const std::vector<float> &all, const std::vector<size_t> &sizes) {
  Spans spans;
  auto next = all.begin();
  for (size_t size : sizes) {
    spans.emplace_back(next, next + size);
    next += size;
  }
  return spans;
}

size_t totalOf(const std::vector<size_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t(0));
}

Spans bring(uint32_t rank, const std::vector<size_t> &sizes) {
  return cut(contribution(rank, totalOf(sizes)), sizes);
}

/// Over all ranks.
Spans sumOf(uint32_t ranks, const std::vector<size_t> &sizes) {
  return cut(definition(0, ranks, totalOf(sizes)), sizes);
}

/// Whose slice element `e` of `size` is in.
uint32_t ownerOf(size_t e, size_t size, uint32_t ranks) {
  uint32_t owner = 0;
  for (size_t end = 0;; ++owner) {
    end += size / ranks + (owner < size % ranks ? 1 : 0);
    if (e < end)
      return owner;
  }
}

/// In memory of the host, with the cuts of another; watches over its scratch
/// memory.
class CutVectors : public HostVectors {
public:
  CutVectors(Workspace &workspace, const VectorCuts &cuts)
      : HostVectors(workspace), cuts_(cuts) {}
  ~CutVectors() override { expectFence(); }

  VectorCuts cuts() const override { return cuts_; }
  /// Exactly as much as is asked for.
  Result<std::byte *> reserve(size_t bytes) override {
    expectFence();
    reserved_ = bytes;
    most_ = std::max(most_, bytes);
    scratch_.assign(bytes, std::byte(0));
    scratch_.resize(bytes + kFence, kMark);
    return scratch_.data();
  }
  size_t maxReserved() const { return most_; }

private:
  static constexpr size_t kFence = 4096;
  static constexpr std::byte kMark{0xa5};
  void expectFence() const {
    EXPECT_TRUE(std::all_of(
        scratch_.begin() + static_cast<std::ptrdiff_t>(reserved_),
        scratch_.end(), [](std::byte byte) { return byte == kMark; }))
        << "more than " << reserved_ << " bytes of scratch memory were used";
  }

  VectorCuts cuts_;
  size_t reserved_ = 0, most_ = 0;
  std::vector<std::byte> scratch_;
};

class Job {
public:
  Job(Transport &transport, const Shape &shape)
      : group(transport), host(workspace, shape.cuts), sizes(shape.sizes),
        values(bring(transport.rank(), sizes)) {
    for (std::vector<float> &span : values)
      spans.push_back(span);
  }
  ~Job() { // as Collectives.h promises
    EXPECT_LE(host.maxReserved(),
              allReduceScratchBytes(group.size(),
                                    group.size() * divide().longestSlice(),
                                    host.cuts()));
  }

  const ShardedVector<float> &divide() {
    sliced.divide(spans, group.size());
    return sliced;
  }
  std::span<const std::span<float>> parts() const { return spans; }
  uint64_t sent() const { return group.transport().traffic().sentBytes; }

  /// expected(span, element).
  template <typename Expected> void expect(Expected &&expected) const {
    for (size_t s = 0; s < values.size(); ++s)
      for (size_t e = 0; e < values[s].size(); ++e) {
        float wanted = expected(s, e);
        ASSERT_EQ(std::memcmp(&values[s][e], &wanted, sizeof wanted), 0)
            << "rank " << group.self() << " of " << group.size() << ", span "
            << s << ", element " << e << ": " << values[s][e] << ", expected "
            << wanted;
      }
  }

  Group group;
  Workspace workspace;
  CutVectors host;
  const std::vector<size_t> sizes;
  Spans values;
  std::vector<std::span<float>> spans;
  ShardedVector<float> sliced;
};

class VectorMoves : public ::testing::TestWithParam<TransportKind> {
protected:
  /// work(job, brought by each rank) on every rank, for all numbers of ranks.
  template <typename Work> void onRanks(const Shape &shape, Work &&work) {
    for (uint32_t ranks : rankCounts) {
      SCOPED_TRACE(::testing::Message() << ranks << " ranks");
      std::vector<Spans> brought;
      for (uint32_t rank = 0; rank < ranks; ++rank)
        brought.push_back(bring(rank, shape.sizes));
      expectRanks(GetParam(), ranks, [&](Transport &transport) {
        Job job(transport, shape);
        return work(job, brought);
      });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Over, VectorMoves,
                         ::testing::ValuesIn(allTransportKinds()),
                         [](const auto &info) { return kindName(info.param); });

TEST_P(VectorMoves, ReduceScatterIsTheSumOfTheOwnSlice) {
  for (const Shape &shape : kShapes)
    onRanks(shape, [&](Job &job, const std::vector<Spans> &brought) {
      uint32_t self = job.group.self(), ranks = job.group.size();
      Spans sum = sumOf(ranks, job.sizes);
      const ShardedVector<float> &sliced = job.divide();
      BOOSTRT_RETURN_IF_ERROR(
          reduceScatterSum(job.group, sliced, job.workspace, job.host));
      job.expect([&](size_t s, size_t e) {
        return ownerOf(e, job.sizes[s], ranks) == self ? sum[s][e]
                                                       : brought[self][s][e];
      });
      EXPECT_EQ(job.sent(),
                (sliced.size() - sliced.slice(self).size()) * sizeof(float));
      return Status();
    });
}

TEST_P(VectorMoves, AllGatherHasEachSliceOfItsRank) {
  for (const Shape &shape : kShapes)
    onRanks(shape, [&](Job &job, const std::vector<Spans> &brought) {
      uint32_t ranks = job.group.size();
      const ShardedVector<float> &sliced = job.divide();
      BOOSTRT_RETURN_IF_ERROR(
          allGather(job.group, sliced, job.workspace, job.host));
      job.expect([&](size_t s, size_t e) {
        return brought[ownerOf(e, job.sizes[s], ranks)][s][e];
      });
      EXPECT_EQ(job.sent(), sliced.slice(job.group.self()).size() *
                                (ranks - 1) * sizeof(float));
      return Status();
    });
}

TEST_P(VectorMoves, AGatherOfScatteredSumsIsAnAllReduce) {
  for (const Shape &shape : kShapes)
    onRanks(shape, [&](Job &job, const std::vector<Spans> &) {
      BOOSTRT_RETURN_IF_ERROR(
          reduceScatterSum(job.group, job.divide(), job.workspace, job.host));
      BOOSTRT_RETURN_IF_ERROR(
          allGather(job.group, job.divide(), job.workspace, job.host));
      Job other(job.group.transport(), shape);
      BOOSTRT_RETURN_IF_ERROR(
          allReduceSum(other.group, other.parts(), other.workspace));
      job.expect([&](size_t s, size_t e) { return other.values[s][e]; });
      return Status();
    });
}

TEST_P(VectorMoves, BroadcastFromEveryRoot) {
  for (const Shape &shape : kShapes)
    onRanks(shape, [&](Job &first, const std::vector<Spans> &brought) {
      for (uint32_t root = 0; root < first.group.size(); ++root) {
        Job job(first.group.transport(), shape);
        BOOSTRT_RETURN_IF_ERROR(broadcast<float>(job.group, root, job.parts(),
                                                 job.workspace, job.host));
        job.expect([&](size_t s, size_t e) { return brought[root][s][e]; });
      }
      return Status();
    });
}

TEST_P(VectorMoves, SeveralBlocksAndMessages) {
  const Shape shape = {{4300011, 11}};
  for (uint32_t ranks : {2, 3}) {
    Spans sum = sumOf(ranks, shape.sizes);
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Job job(transport, shape);
      BOOSTRT_RETURN_IF_ERROR(
          reduceScatterSum(job.group, job.divide(), job.workspace, job.host));
      BOOSTRT_RETURN_IF_ERROR(
          allGather(job.group, job.divide(), job.workspace, job.host));
      job.expect([&](size_t s, size_t e) { return sum[s][e]; });
      if (transport.rank() == 0)
        std::fill(job.values[0].begin(), job.values[0].end(), 2.5f);
      BOOSTRT_RETURN_IF_ERROR(
          broadcast<float>(job.group, 0, job.parts(), job.workspace, job.host));
      job.expect([&](size_t s, size_t e) { return s ? sum[s][e] : 2.5f; });
      return Status();
    });
  }
}

// Where the first ranks alone have elements, the scratch memory is enough.
TEST_P(VectorMoves, OfManySingleElements) {
  const Shape shape = {std::vector<size_t>(300, 1)};
  onRanks(shape, [&](Job &job, const std::vector<Spans> &) {
    uint32_t ranks = job.group.size();
    Spans sum = sumOf(ranks, job.sizes);
    BOOSTRT_RETURN_IF_ERROR(
        reduceScatterSum(job.group, job.divide(), job.workspace, job.host));
    BOOSTRT_RETURN_IF_ERROR(
        allGather(job.group, job.divide(), job.workspace, job.host));
    BOOSTRT_RETURN_IF_ERROR(
        broadcast<float>(job.group, 0, job.parts(), job.workspace, job.host));
    EXPECT_EQ(job.workspace.capacity(), 0u) << "only its lists are used";
    job.expect([&](size_t s, size_t e) { return sum[s][e]; });
    return Status();
  });
}

TEST_P(VectorMoves, Integers) {
  for (uint32_t ranks : {1, 2, 3, 5})
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Group group(transport);
      Workspace workspace;
      HostVectors host(workspace);
      // Beyond what a double holds exactly.
      int64_t self = transport.rank(), n = ranks, large = int64_t(1) << 58;
      std::vector<int64_t> values(ranks, large);
      for (int64_t i = 0; i < n; ++i)
        values[i] += i;
      std::span<int64_t> span(values);
      std::span<const std::span<int64_t>> parts(&span, 1);
      ShardedVector<int64_t> sliced;
      sliced.divide(parts, ranks);
      BOOSTRT_RETURN_IF_ERROR(reduceScatterSum(group, sliced, workspace, host));
      EXPECT_EQ(values[self], n * (large + self));
      BOOSTRT_RETURN_IF_ERROR(allGather(group, sliced, workspace, host));
      for (int64_t i = 0; i < n; ++i)
        EXPECT_EQ(values[i], n * (large + i));
      values[0] += self;
      BOOSTRT_RETURN_IF_ERROR(
          broadcast<int64_t>(group, ranks - 1, parts, workspace, host));
      EXPECT_EQ(values[0], n * large + n - 1);
      return Status();
    });
}

} // namespace
