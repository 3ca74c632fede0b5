// Costs that are put into times come out again.
#include "runtime/predict/ExchangeCosts.h"

#include <gmock/gmock.h>

namespace boostrt {
namespace {

constexpr CommCosts kLoops{0, 0, 0, 6e-11, 4e-11};
const ExchangeCosts kCosts{5e-4, {3e-5, 1e-5, 2e-10, 6e-11, 4e-11}};

ExchangeShape shapeOf(uint32_t ranks, std::vector<size_t> partBytes) {
  ExchangeShape shape;
  shape.ranks = ranks;
  shape.partBytes = std::move(partBytes);
  return shape;
}

/// What steps would wait if the model were right.
ExchangeTimes timesOf(const ExchangeCosts &costs, const ExchangeShape &shape) {
  double bytes = 0;
  for (size_t part : shape.partBytes)
    bytes += static_cast<double>(part);
  double round = costs.comm.latency + costs.comm.perMessage;
  ExchangeTimes times;
  times[size_t(Pattern::Short)] = costs.wait + round;
  times[size_t(Pattern::Rounds)] = costs.wait + shape.rounds * round;
  times[size_t(Pattern::Messages)] =
      costs.wait + exchangeSeconds(costs.comm, shape.messages(), 0);
  times[size_t(Pattern::Sum)] =
      costs.wait +
      allReduceSeconds(costs.comm, AllReduceAlgorithm::Auto, bytes / 4,
                       shape.ranks, {},
                       messagesPerSlice(shape.partBytes, shape.ranks));
  return times;
}

TEST(ExchangeCosts, ComeOutOfTheTimesTheyMake) {
  for (const ExchangeShape &shape :
       {shapeOf(2, {5u << 20, 40, 300u << 10}), shapeOf(3, {4000}),
        shapeOf(8, {1000, 24}), // few bytes of many ranks: by halving
        shapeOf(8, {32u << 20})}) {
    ExchangeCosts found = exchangeCosts(timesOf(kCosts, shape), shape, kLoops);
    EXPECT_NEAR(found.wait, kCosts.wait, 1e-12);
    EXPECT_NEAR(found.comm.latency, kCosts.comm.latency, 1e-12);
    EXPECT_NEAR(found.comm.perMessage, kCosts.comm.perMessage, 1e-12);
    EXPECT_NEAR(found.comm.perByte, kCosts.comm.perByte, 1e-14);
    EXPECT_EQ(found.comm.perProduct, kLoops.perProduct);
    EXPECT_EQ(found.comm.perTouched, kLoops.perTouched);
  }
}

TEST(ExchangeCosts, NoiseMakesNoneNegative) {
  // More takes less time than little.
  ExchangeShape shape = shapeOf(2, {4000});
  ExchangeCosts found = exchangeCosts({4e-4, 3e-4, 2e-4, 1e-4}, shape, kLoops);
  EXPECT_EQ(found.wait, 4e-4);
  EXPECT_EQ(found.comm.latency, 0);
  EXPECT_EQ(found.comm.perMessage, 0);
  EXPECT_EQ(found.comm.perByte, 0);
}

TEST(ExchangeCosts, AProgramThatExchangesNothing) {
  ExchangeCosts found = exchangeCosts({}, shapeOf(2, {}), kLoops);
  EXPECT_EQ(found.wait, 0);
  EXPECT_EQ(found.comm.perByte, 0);
}

} // namespace
} // namespace boostrt
