// Who combines what, and what the cost model chooses.
#include "runtime/comm/adasum/Plan.h"

#include "runtime/comm/MeasureLoops.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

using namespace boostrt;
using namespace boostrt::adasum;

namespace {

Pieces piecesOf(const std::vector<size_t> &sizes) {
  Pieces pieces;
  size_t offset = 0;
  for (size_t size : sizes) {
    pieces.push_back({offset, size, static_cast<uint32_t>(pieces.size())});
    offset += size;
  }
  return pieces;
}

size_t countOf(const Pieces &pieces) {
  size_t count = 0;
  for (const Piece &piece : pieces)
    count += piece.count;
  return count;
}

TEST(AdasumCuts, PartsHaveEveryElementOnce) {
  Pieces pieces = piecesOf({5, 1, 1000, 3, 77, 77, 2});
  for (Cut cut : {Cut::EqualSlices, Cut::WholeVectors})
    for (uint32_t parts : {1, 2, 3, 7, 64, 2000}) {
      std::vector<int> times(countOf(pieces));
      for (const Pieces &part : cutInto(pieces, parts, cut)) {
        for (const Piece &piece : part) {
          const Piece &whole = pieces[piece.vector];
          EXPECT_GE(piece.offset, whole.offset);
          EXPECT_LE(piece.offset + piece.count, whole.offset + whole.count);
          for (size_t i = 0; i < piece.count; ++i)
            ++times[piece.offset + i];
        }
        if (cut == Cut::EqualSlices) {
          EXPECT_NEAR(countOf(part), double(times.size()) / parts, 1);
        }
      }
      EXPECT_EQ(times, std::vector<int>(times.size(), 1));
    }
}

/// The tensors of BERT-large: nearly even over 8 ranks without a cut; over 64
/// only the embedding is cut.
TEST(AdasumCuts, WholeVectorsOfBertLarge) {
  constexpr size_t hidden = 1024, inner = 4096;
  std::vector<size_t> sizes = {30522 * hidden, 512 * hidden, 2 * hidden, hidden,
                               hidden};
  for (int layer = 0; layer < 24; ++layer) {
    for (int i = 0; i < 4; ++i)
      sizes.insert(sizes.end(), {hidden * hidden, hidden});
    sizes.insert(sizes.end(), {hidden, hidden, hidden * inner, inner,
                               hidden * inner, hidden, hidden, hidden});
  }
  sizes.insert(sizes.end(), {hidden * hidden, hidden, hidden * hidden, hidden,
                             hidden, hidden, 30522, 2 * hidden, 2});
  Pieces pieces = piecesOf(sizes);
  ASSERT_EQ(pieces.size(), 398u);
  for (auto [ranks, expectedCuts, expectedMost] :
       {std::tuple(8u, 0, 1.006), std::tuple(64u, 1, 1.091)}) {
    std::map<uint32_t, int> pieceCount;
    size_t most = 0;
    for (const Pieces &part : cutInto(pieces, ranks, Cut::WholeVectors)) {
      for (const Piece &piece : part)
        ++pieceCount[piece.vector];
      most = std::max(most, countOf(part));
    }
    int cuts = 0;
    for (auto [vector, count] : pieceCount)
      cuts += count > 1;
    EXPECT_EQ(cuts, expectedCuts);
    EXPECT_NEAR(most * double(ranks) / countOf(pieces), expectedMost, 0.001);
  }
}

/// Every pair of members must agree on every message.
TEST(AdasumPlans, MembersAgree) {
  Pieces pieces = piecesOf({7, 30000, 5, 1, 9000000, 2000, 900});
  for (Cut cut : {Cut::EqualSlices, Cut::WholeVectors}) {
    PlanOptions options{2, {2, 3}, cut};
    std::vector<std::vector<Level>> plans;
    for (uint32_t member = 0; member < 12; ++member)
      plans.push_back(planLevels(pieces, member, options));
    for (uint32_t member = 0; member < 12; ++member)
      for (size_t index = 0; index < 3; ++index) {
        const Level &level = plans[member][index];
        EXPECT_EQ(level.members.at(level.digit), member);
        size_t count = 0;
        for (uint32_t digit = 0; digit < level.radix; ++digit) {
          const Level &peer = plans[level.members[digit]][index];
          EXPECT_EQ(peer.members, level.members);
          ASSERT_EQ(level.parts[digit].size(), peer.parts[digit].size());
          for (size_t i = 0; i < level.parts[digit].size(); ++i) {
            EXPECT_EQ(level.parts[digit][i].count, peer.parts[digit][i].count);
            EXPECT_LE(level.parts[digit][i].count, size_t(1) << 20);
            count += level.parts[digit][i].count;
          }
        }
        EXPECT_EQ(count, index == 0 ? countOf(pieces)
                                    : plans[member][index - 1].ownCount);
        count = 0;
        for (const ChunkPlace &chunk : level.chunks)
          count += chunk.count;
        EXPECT_EQ(count, level.ownCount);
      }
  }
}

TEST(AdasumPlans, BucketsMayHaveMoreThanThirtyTwoBitsOfElements) {
  size_t size = (size_t(1) << 32) + 12345;
  for (uint32_t ranks : {3u, 8u}) {
    Pieces pieces = piecesOf({7, size});
    std::vector<Pieces> parts = cutInto(pieces, ranks, Cut::EqualSlices);
    EXPECT_EQ(parts.back().back().offset + parts.back().back().count, size + 7);
    EXPECT_NEAR(countOf(parts[1]), double(size + 7) / ranks, 1);
  }
}

using Radices = std::vector<uint32_t>;

TEST(CostModel, HalvingTakesTwosFirst) {
  EXPECT_EQ(halvingRadices(1), Radices{});
  EXPECT_EQ(halvingRadices(8), (Radices{2, 2, 2}));
  EXPECT_EQ(halvingRadices(12), (Radices{2, 2, 3}));
  EXPECT_EQ(halvingRadices(7), Radices{7});
}

TEST(CostModel, ChoosesLevelsAtTheCorners) {
  AdasumShape shape;
  shape.elements = 25e6;
  shape.leaves = 64;
  CommCosts free{0, 0, 0, 0, 0};
  // Every exchange waits: one level has fewest.
  CommCosts latency = free;
  latency.latency = 1e-3;
  EXPECT_EQ(chooseRadices(latency, shape), Radices{64});
  // Messages keep a rank busy: halving sends log n of them.
  CommCosts busy = free;
  busy.perMessage = 1e-3;
  EXPECT_EQ(chooseRadices(busy, shape), halvingRadices(64));
  // Products cost: n/2 for each element in one level, 3 in halving.
  CommCosts products = free;
  products.perProduct = 1e-9;
  EXPECT_EQ(chooseRadices(products, shape), halvingRadices(64));
  // Memory costs: one level reads everything once.
  CommCosts memory = free;
  memory.perTouched = 1e-9;
  EXPECT_EQ(chooseRadices(memory, shape), Radices{64});
  // Bytes of vectors are the same in all; products that are shared add to them.
  CommCosts bytes = free;
  bytes.perByte = 1e-9;
  shape.largestVector = 1e6;
  EXPECT_EQ(chooseRadices(bytes, shape), halvingRadices(64));
  shape.largestVector = 0;
  // What is odd is one level.
  shape.leaves = 12;
  EXPECT_EQ(chooseRadices(busy, shape), (Radices{2, 2, 3}));
  shape.leaves = 7;
  EXPECT_EQ(chooseRadices(busy, shape), Radices{7});
  shape.leaves = 1;
  EXPECT_EQ(chooseRadices(busy, shape), Radices{});
}

TEST(CostModel, TheChoiceIsTheLeast) {
  CommCosts costs;
  for (uint32_t leaves : {4u, 6u, 16u, 48u, 256u, 4096u})
    for (double elements : {100.0, 1e5, 25e6})
      for (uint32_t perMean : {1u, 8u}) {
        AdasumShape shape{elements, elements / 4, leaves, perMean};
        Radices chosen = chooseRadices(costs, shape);
        uint32_t product = 1;
        for (uint32_t radix : chosen)
          product *= radix;
        EXPECT_EQ(product, leaves);
        double least = adasumSeconds(costs, shape, chosen);
        EXPECT_LE(least, adasumSeconds(costs, shape, halvingRadices(leaves)) *
                             (1 + 1e-12));
        EXPECT_LE(least,
                  adasumSeconds(costs, shape, Radices{leaves}) * (1 + 1e-12));
        if (leaves == 4096) {
          EXPECT_LE(least, adasumSeconds(costs, shape, Radices{8, 8, 8, 8}) *
                               (1 + 1e-12));
        }
      }
}

/// docs/communication.md says why ranks choose by constants, and what that
/// costs where others would be right.
TEST(CostModel, ChoosingByConstantsIsNeverTwiceAsSlow) {
  for (double latency : {5e-6, 30e-6, 100e-6, 300e-6})
    for (double perMessage : {1e-6, 5e-6, 20e-6})
      for (double perByte : {0.05e-9, 0.5e-9, 1e-9, 8e-9})
        for (double loops : {0.5, 1.0, 4.0})
          for (uint32_t leaves : {2u, 3u, 4u, 6u, 8u, 12u, 16u, 32u, 64u})
            for (double elements : {6e4, 6.7e5, 6.5e6, 25e6}) {
              CommCosts costs{latency, perMessage, perByte};
              costs.perProduct *= loops;
              costs.perTouched *= loops;
              AdasumShape shape{elements, 0.6 * elements, leaves, 1};
              EXPECT_LE(adasumSeconds(costs, shape,
                                      chooseRadices(CommCosts(), shape)),
                        1.9 * adasumSeconds(costs, shape,
                                            chooseRadices(costs, shape)))
                  << leaves << " leaves of " << elements << ", latency "
                  << latency << ", a message " << perMessage << ", a byte "
                  << perByte;
            }
}

TEST(CostModel, LoopsTakeTime) {
  CommCosts costs;
  costs.perTouched = costs.perProduct = 0;
  const CommCosts before = costs;
  measureLoops(costs, size_t(1) << 20);
  // No memory reads a terabyte in a second, and none takes a second for 1 MB.
  EXPECT_GT(costs.perTouched, 1e-12);
  EXPECT_LT(costs.perTouched, 1e-6);
  EXPECT_GT(costs.perProduct, 1e-12);
  EXPECT_LT(costs.perProduct, 1e-6);
  EXPECT_EQ(costs.perByte, before.perByte);
  EXPECT_EQ(costs.perMessage, before.perMessage);
  EXPECT_EQ(costs.latency, before.latency);
}

TEST(CostModel, AddsUpWhatAnExchangeCosts) {
  CommCosts costs{10, 1, 0.5, 0, 0};
  EXPECT_EQ(exchangeSeconds(costs, 0, 0), 0);
  EXPECT_EQ(exchangeSeconds(costs, 3, 8), 10 + 3 + 4);
  // Two elements in halves: 4 bytes out and 4 back.
  EXPECT_EQ(allReduceSeconds(costs, AllReduceAlgorithm::Halving, 2, 2),
            2 * (10 + 1 + 2));
  EXPECT_EQ(allReduceSeconds(costs, AllReduceAlgorithm::Direct, 3, 3),
            2 * (10 + 2 + 4));
  EXPECT_EQ(allReduceSeconds(costs, AllReduceAlgorithm::Direct, 3, 1), 0);
  EXPECT_EQ(allReduceSeconds(costs, AllReduceAlgorithm::Auto, 3, 3),
            2 * (10 + 2 + 4));
  // A pair: 4 bytes of one element, 3 products out, 3 numbers back.
  EXPECT_EQ(adasumLevelSeconds(costs, 1, 2, 1), 2 * (10 + 1 + 2));
  EXPECT_EQ(adasumLevelSeconds(costs, 1, 2, 2),
            2 * (10 + 1 + 2) + 2 * (10 + 1 + 12));
  CommCosts local{0, 0, 0, 100, 1};
  // Three products of 5 elements, in the cache; reads 2 and writes one.
  EXPECT_EQ(adasumLevelSeconds(local, 5, 2, 1), 1500 + 5 * 4 * (2 + 1));
  // Half of two servers' ranks each: 10 elements, a mean of 2, then a pair.
  AdasumShape shape{20, 1, 2, 2};
  EXPECT_EQ(adasumSeconds(local, shape, Radices{2}),
            10 * 4 * 3 + (1500 + 5 * 4 * 3));
}

} // namespace
