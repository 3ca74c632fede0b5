#include "test/runtime/comm/WrappedTransport.h"
#include "test/runtime/comm/adasum/AdasumCase.h"
#include "test/runtime/support/ThreadAllocations.h"

#include <gtest/gtest.h>

using namespace boostrt;
using namespace boostrt::test;

namespace {

/// Counts what is allocated by the transport, which may.
class Uncounted : public WrappedTransport {
public:
  explicit Uncounted(Transport &inner) : WrappedTransport(inner) {}
  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override {
    int64_t before = threadAllocationCount(), own = 0;
    Status status =
        WrappedTransport::exchangeEach(sends, receives, [&](size_t i) {
          int64_t begin = threadAllocationCount();
          received(i);
          own += threadAllocationCount() - begin;
        });
    allocations += threadAllocationCount() - before - own;
    return status;
  }

  int64_t allocations = 0;
};

TEST(AdasumAllocations, NoneAfterTheFirstRun) {
  Vectors ranks = randomVectors(8, 20000, 0.5, 1);
  for (size_t i = 0; i < 20000; ++i) // so that a vector must be made
    ranks[1][i] = static_cast<float>(1e-5 * ranks[7][i] - ranks[0][i]);
  AdasumCase what = caseOf(ranks, {100, 19000, 900});
  what.tensors[2].offset = 19200; // spans that are copied together
  what.tensors[2].count = 800;
  for (const AdasumForm &form : mainForms(8))
    expectRanks(transportKinds().front(), 8, [&](Transport &inner) {
      Uncounted transport(inner);
      Group group(transport);
      Workspace workspace;
      Result<Adasum> adasum =
          Adasum::plan(8, inner.rank(), what.tensors, form.options);
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<float> bucket = what.buckets[inner.rank()];
        transport.allocations = 0;
        int64_t before = threadAllocationCount();
        BOOSTRT_RETURN_IF_ERROR(adasum->run(group, bucket.data(), workspace));
        int64_t own = threadAllocationCount() - before - transport.allocations;
        if (repeat > 0) {
          EXPECT_EQ(own, 0) << form.name;
        }
        EXPECT_LE(adasum->scratchBytes(), workspace.capacity());
        // And lists and products of 3 vectors, however long these are.
        EXPECT_LE(adasum->scratchBytes(),
                  2 * what.elements() * sizeof(float) + (size_t(32) << 10));
      }
      return Status();
    });
}

} // namespace
