// Plans that are refused, and ranks that are lost.
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace boostrt;
using namespace boostrt::test;

namespace {

Status planned(uint32_t members, const AdasumOptions &options) {
  AdasumTensor tensor{0, 10, 0};
  return Adasum::plan(members, 0, {&tensor, 1}, options).status();
}

TEST(AdasumFailures, ServersMustBeAlike) {
  AdasumOptions options;
  options.ranksPerMean = 4;
  Status status = planned(10, options);
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_EQ(status.message(),
            "Adasum across servers of 4 ranks needs a multiple of 4 ranks, and "
            "there are 10; use servers alike, or Adasum across ranks");
}

TEST(AdasumFailures, LevelsMustGiveTheTree) {
  AdasumOptions options;
  for (auto [ranks, radices] :
       {std::pair(6u, std::vector<uint32_t>{3, 2}), // 3 is no subtree of 6
        std::pair(6u, std::vector<uint32_t>{2, 2}),
        std::pair(8u, std::vector<uint32_t>{8, 1}),
        std::pair(8u, std::vector<uint32_t>{0})}) {
    options.radices = radices;
    EXPECT_EQ(planned(ranks, options).code(), ExitCode::Input);
  }
  options.radices = {3, 2};
  EXPECT_EQ(planned(6, options).message(),
            "levels of 3 x 2 do not make an Adasum of 6; their product must be "
            "6 and all but the last powers of two, none above 1024");
  options.radices = {2, 3};
  EXPECT_TRUE(planned(6, options).ok());
}

TEST(AdasumFailures, OddNumbersOfRanksHaveALimit) {
  EXPECT_TRUE(planned(1023, {}).ok());
  EXPECT_THAT(planned(1027, {}).message(), testing::HasSubstr("none above"));
}

/// At whichever message a rank gives up, all others hear of it.
TEST(AdasumFailures, ALostRankEndsTheRun) {
  AdasumCase what = caseOf(randomVectors(4, 1000, 0.5, 1));
  std::vector<Status> statuses =
      runRanks(transportKinds().front(), 4, [&](Transport &transport) {
        std::vector<float> bucket = what.buckets[transport.rank()];
        if (transport.rank() == 2) {
          transport.abort("the test says so");
          return Status();
        }
        Group group(transport);
        Workspace workspace;
        Result<Adasum> adasum =
            Adasum::plan(4, transport.rank(), what.tensors, {});
        return adasum->run(group, bucket.data(), workspace);
      });
  for (uint32_t rank : {0, 1, 3}) {
    EXPECT_EQ(statuses[rank].code(), ExitCode::RankLost);
    EXPECT_THAT(statuses[rank].message(), testing::HasSubstr("the test says"));
  }
}

} // namespace
