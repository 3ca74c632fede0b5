// Plans that are refused, and ranks that are lost.
#include "test/runtime/comm/WrappedTransport.h"
#include "test/runtime/comm/adasum/AdasumCase.h"

#include "runtime/comm/Collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

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

TEST(AdasumFailures, ServersHaveALimit) {
  AdasumOptions options;
  options.ranksPerMean = 1025;
  EXPECT_EQ(planned(2050, options).message(),
            "Adasum across servers of 1025 ranks is more than the 1024 that a "
            "mean can have; use smaller servers, or Adasum across ranks");
}

TEST(AdasumFailures, LevelsMustGiveTheTree) {
  AdasumOptions options;
  for (auto [ranks, radices] :
       {std::pair(6u, std::vector<uint32_t>{3, 2}), // 3 is not a subtree of 6
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

/// Gives up instead of the exchange with this number.
class GivesUp : public WrappedTransport {
public:
  GivesUp(Transport &inner, int last) : WrappedTransport(inner), left_(last) {}
  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override {
    if (left_-- == 0)
      abort("the test says so");
    return WrappedTransport::exchangeEach(sends, receives, received);
  }
  bool hasGivenUp() const { return left_ < 0; }

private:
  int left_;
};

/// At every level and phase: among them one in which a vector is made.
TEST(AdasumFailures, ARankMayBeLostAtAnyExchange) {
  Vectors ranks = randomVectors(8, 400, 0.5, 2);
  for (size_t i = 0; i < 400; ++i)
    ranks[1][i] = static_cast<float>(1e-5 * ranks[7][i] - ranks[0][i]);
  AdasumCase what = caseOf(ranks, {100, 300});
  for (const AdasumForm &form : mainForms(8))
    for (int last = 0;; ++last) {
      ASSERT_LT(last, 30);
      std::atomic<bool> isLost = false;
      std::vector<Status> statuses =
          runRanks(transportKinds().front(), 8, [&](Transport &inner) {
            GivesUp transport(inner, inner.rank() == 5 ? last : 1000);
            std::vector<float> bucket = what.buckets[inner.rank()];
            Group group(transport);
            Workspace workspace;
            Result<Adasum> adasum =
                Adasum::plan(8, inner.rank(), what.tensors, form.options);
            AdasumReport report; // of which all hear last
            Status status =
                adasum->run(group, bucket.data(), workspace, &report);
            if (inner.rank() == 5)
              isLost = transport.hasGivenUp();
            // Who is done with its own part hears of it now.
            if (status.ok())
              status = barrier(group);
            return status;
          });
      if (!isLost) { // there was no such exchange, but in the barrier
        EXPECT_GE(last, 2);
        break;
      }
      for (const Status &status : statuses)
        EXPECT_EQ(status.code(), ExitCode::RankLost)
            << form.name << ", exchange " << last;
    }
}

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
