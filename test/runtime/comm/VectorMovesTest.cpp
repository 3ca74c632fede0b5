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

/// Spans, how many elements of each are a row, and how what they hold travels.
struct Shape {
  std::vector<size_t> sizes;
  VectorCuts cuts = kHostCuts;
  std::vector<size_t> rowSizes = std::vector<size_t>(sizes.size(), 1);
};
const Shape kShapes[] = {
    // Short spans, empty ones, and with fewer elements than ranks.
    {{5, 0, 1, 17, 8}},
    // Some are messages of their own.
    {{3, 120000, 10, 1, 40001, 7}},
    // Several blocks, which may be one message, as on GPUs.
    {{3, 6000, 10, 0, 1, 2001, 7}, {4096, 4096, 128}},
    // Rows of several elements, as many as ranks, fewer and more.
    {{9 * 400, 36, 5, 2 * 70000, 3 * 25}, kHostCuts, {400, 36, 1, 70000, 25}}};

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

/// Whose slice each row of each span is in: as many are each rank's; those that
/// are left are the next ranks', and those of the next span come after them.
std::vector<std::vector<uint32_t>> dealRows(const Shape &shape,
                                            uint32_t ranks) {
  std::vector<std::vector<uint32_t>> owners;
  uint32_t next = 0;
  for (size_t s = 0; s < shape.sizes.size(); ++s) {
    size_t rows = shape.sizes[s] / shape.rowSizes[s];
    std::vector<size_t> counts(ranks, rows / ranks);
    for (size_t i = 0; i < rows % ranks; ++i)
      ++counts[next++ % ranks];
    std::vector<uint32_t> &list = owners.emplace_back();
    for (uint32_t rank = 0; rank < ranks; ++rank)
      list.insert(list.end(), counts[rank], rank);
  }
  return owners;
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
      : group(transport), host(workspace, shape.cuts), shape(shape),
        sizes(shape.sizes), owners(dealRows(shape, group.size())),
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
    sliced.divide(
        spans.size(), group.size(),
        [&](size_t i) { return sizes[i] / shape.rowSizes[i]; },
        [&](size_t i) { return spans[i]; });
    return sliced;
  }
  uint32_t ownerOf(size_t span, size_t element) const {
    return owners[span][element / shape.rowSizes[span]];
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
  const Shape shape;
  const std::vector<size_t> sizes;
  const std::vector<std::vector<uint32_t>> owners; ///< of rows, by span
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
      uint32_t self = job.group.self();
      Spans sum = sumOf(job.group.size(), job.sizes);
      const ShardedVector<float> &sliced = job.divide();
      BOOSTRT_RETURN_IF_ERROR(
          reduceScatterSum(job.group, sliced, job.workspace, job.host));
      job.expect([&](size_t s, size_t e) {
        return job.ownerOf(s, e) == self ? sum[s][e] : brought[self][s][e];
      });
      EXPECT_EQ(job.sent(),
                (sliced.size() - sliced.slice(self).size()) * sizeof(float));
      return Status();
    });
}

TEST_P(VectorMoves, OfOtherSlicesNothingIsKept) {
  for (const Shape &shape : kShapes)
    onRanks(shape, [&](Job &job, const std::vector<Spans> &brought) {
      uint32_t self = job.group.self();
      BOOSTRT_RETURN_IF_ERROR(keepOwnSlice(job.group, job.divide(), job.host));
      job.expect([&](size_t s, size_t e) {
        return job.ownerOf(s, e) == self ? brought[self][s][e] : 0.0f;
      });
      EXPECT_EQ(job.sent(), 0u);
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
      job.expect(
          [&](size_t s, size_t e) { return brought[job.ownerOf(s, e)][s][e]; });
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
      sliced.divide(
          1, ranks, [&](size_t) { return values.size(); },
          [&](size_t) { return span; });
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
