#include "test/runtime/comm/adasum/AdasumCase.h"
#include "test/runtime/comm/adasum/CountThreadAllocations.h"

#include <gtest/gtest.h>

using namespace boostrt;
using namespace boostrt::test;

namespace {

/// Counts what is allocated by the transport, which may.
class Uncounted : public Transport {
public:
  explicit Uncounted(Transport &inner) : inner_(inner) {}
  std::string describe() const override { return inner_.describe(); }
  uint32_t rank() const override { return inner_.rank(); }
  uint32_t size() const override { return inner_.size(); }
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) override {
    int64_t before = threadAllocationCount();
    Status status = inner_.exchange(sends, receives);
    allocations += threadAllocationCount() - before;
    return status;
  }
  void abort(const std::string &cause) override { inner_.abort(cause); }
  void setActivity(const Activity &activity) override {
    inner_.setActivity(activity);
  }
  const Traffic &traffic() const override { return inner_.traffic(); }

  int64_t allocations = 0;

private:
  Transport &inner_;
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
        EXPECT_LE(adasum->scratchBytes(), 2 * what.elements() * sizeof(float));
      }
      return Status();
    });
}

} // namespace
