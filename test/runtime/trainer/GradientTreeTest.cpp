#include "runtime/trainer/GradientTree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace boostrt;

namespace {

/// The definition in GradientTree.h, word by word.
std::string definition(int lo, int hi) {
  if (hi - lo == 1)
    return std::to_string(lo);
  int half = 1;
  while (half * 2 < hi - lo)
    half *= 2;
  return fmt::format("({}+{})", definition(lo, lo + half),
                     definition(lo + half, hi));
}

/// The sum that `leaves` micro-batches make in a tree for up to `window`.
std::string built(GradientTree &tree, uint32_t window, int leaves) {
  std::vector<std::string> sets(gradientSets(window, false));
  auto combine = [&](int into, int from) {
    sets.at(into) = fmt::format("({}+{})", sets.at(into), sets.at(from));
    return Status();
  };
  for (int leaf = 0; leaf < leaves; ++leaf) {
    sets.at(tree.nextSlot()) = std::to_string(leaf);
    EXPECT_TRUE(tree.add(combine).ok());
  }
  EXPECT_TRUE(tree.finish(combine).ok());
  return sets[0];
}

TEST(GradientTree, AddsInTheOrderOfTheDefinition) {
  for (uint32_t window = 1; window <= 70; ++window) {
    GradientTree tree(window);
    // Partial windows, one after the other on the same tree.
    for (uint32_t leaves = 1; leaves <= window; ++leaves)
      ASSERT_EQ(built(tree, window, leaves), definition(0, leaves));
  }
}

TEST(GradientTree, HalvesOfAPowerOfTwoAreSubtrees) {
  GradientTree tree(8);
  EXPECT_EQ(built(tree, 8, 8), "(((0+1)+(2+3))+((4+5)+(6+7)))");
}

TEST(GradientTree, NeedsLogarithmicallyManySets) {
  EXPECT_EQ(gradientSets(1, false), 1u);
  EXPECT_EQ(gradientSets(2, false), 2u);
  EXPECT_EQ(gradientSets(3, false), 2u);
  EXPECT_EQ(gradientSets(4, false), 3u);
  EXPECT_EQ(gradientSets(8, false), 4u);
  EXPECT_EQ(gradientSets(1024, false), 11u);
}

TEST(GradientTree, InPlaceOneSetTakesAll) {
  EXPECT_EQ(gradientSets(8, /*isInPlace=*/true), 1u);
  GradientTree tree(8, /*isInPlace=*/true);
  auto combine = [](int, int) -> Status {
    ADD_FAILURE() << "there is nothing to combine";
    return Status();
  };
  for (int window = 0; window < 2; ++window) {
    EXPECT_TRUE(tree.isEmpty());
    for (int leaf = 0; leaf < 5; ++leaf) {
      EXPECT_EQ(tree.nextSlot(), 0);
      EXPECT_TRUE(tree.add(combine).ok());
      EXPECT_FALSE(tree.isEmpty());
    }
    EXPECT_TRUE(tree.finish(combine).ok());
  }
  EXPECT_TRUE(tree.isEmpty());
}

TEST(GradientTree, AFailedAdditionIsPassedOn) {
  GradientTree tree(2);
  auto fail = [](int, int) { return Status(ExitCode::Internal, "no"); };
  EXPECT_TRUE(tree.add(fail).ok()) << "one leaf adds nothing";
  EXPECT_EQ(tree.add(fail).code(), ExitCode::Internal);
}

} // namespace
