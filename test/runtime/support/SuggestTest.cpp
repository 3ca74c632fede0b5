#include "runtime/support/Suggest.h"

#include <gtest/gtest.h>

namespace boostrt {
namespace {

constexpr std::string_view kFlags[] = {
    "data", "epochs", "resume", "seed", "steps", "checkpoint-dir", "metrics"};

TEST(EditDistance, CountsSingleEdits) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("dtaa", "data"), 1u) << "neighbours swapped";
  EXPECT_EQ(editDistance("ca", "abc"), 3u)
      << "a swapped pair is not edited again";
}

TEST(EditDistance, IsSymmetric) {
  for (std::string_view a : kFlags)
    for (std::string_view b : kFlags)
      EXPECT_EQ(editDistance(a, b), editDistance(b, a)) << a << " " << b;
}

TEST(NearestSpelling, FindsWhatWasMeant) {
  EXPECT_EQ(nearestSpelling("epoch", kFlags), "epochs");
  EXPECT_EQ(nearestSpelling("chekpoint-dir", kFlags), "checkpoint-dir");
  EXPECT_EQ(nearestSpelling("sede", kFlags), "seed");
  EXPECT_EQ(nearestSpelling("steps", kFlags), "steps");
}

TEST(NearestSpelling, TakesAWordMoreOrLess) {
  constexpr std::string_view kKeys[] = {"kernel", "learning_rate", "max_norm",
                                        "min_norm", "op"};
  EXPECT_EQ(nearestSpelling("kernel_size", kKeys), "kernel");
  EXPECT_EQ(nearestSpelling("the-kernel", kKeys), "kernel");
  EXPECT_EQ(nearestSpelling("rate", kKeys), "learning_rate");
  EXPECT_EQ(nearestSpelling("Kernel_Size", kKeys), "kernel");
  EXPECT_EQ(nearestSpelling("--checkpoint", kFlags), "checkpoint-dir");
  EXPECT_EQ(nearestSpelling("norm", kKeys), "") << "either of two";
  EXPECT_EQ(nearestSpelling("kernelwise_mode", kKeys), "") << "no whole word";
  EXPECT_EQ(nearestSpelling("op_of_something", kKeys), "") << "too short";
}

TEST(NearestSpelling, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearestSpelling("learning_rate", kFlags), "");
  EXPECT_EQ(nearestSpelling("", kFlags), "");
  EXPECT_EQ(nearestSpelling("seed", {}), "");
  EXPECT_EQ(nearestSpelling(std::string(100'000, 'x'), kFlags), "");
}

TEST(NearestSpelling, TiesGoToTheFirst) {
  constexpr std::string_view kNames[] = {"fc1", "fc2", "fc3"};
  EXPECT_EQ(nearestSpelling("fc9", kNames), "fc1");
}

TEST(DidYouMean, IsAClauseOrNothing) {
  EXPECT_EQ(didYouMean("epoch", kFlags), "; did you mean 'epochs'?");
  EXPECT_EQ(didYouMean("nothing-like-it", kFlags), "");
}

TEST(ContinueWith, BeginsASentenceAfterAQuestion) {
  EXPECT_EQ(continueWith("", "expected a or b"), "; expected a or b");
  EXPECT_EQ(continueWith("; did you mean 'a'?", "expected a or b"),
            "; did you mean 'a'? Expected a or b");
  EXPECT_EQ(continueWith("; boostc does not have it", "see 'a'"),
            "; boostc does not have it; see 'a'");
}

TEST(NearestSpelling, IsBlindToCaseAndDashes) {
  EXPECT_EQ(nearestSpelling("Checkpoint_Dir", kFlags), "checkpoint-dir");
  constexpr std::string_view kDashed[] = {"--init", "--rho"};
  EXPECT_EQ(nearestSpelling("--quiet", kDashed), "");
  EXPECT_EQ(nearestSpelling("--thor", kDashed), "");
  EXPECT_EQ(nearestSpelling("--ini", kDashed), "--init");
}

TEST(NearestSpelling, IsNoneOfOneOtherLetter) {
  constexpr std::string_view kNames[] = {"x"};
  EXPECT_EQ(nearestSpelling("y", kNames), "");
}

TEST(Printable, KeepsText) {
  EXPECT_EQ(printable("fc1.weight"), "fc1.weight");
  EXPECT_EQ(printable("\u6a21\u578b \u00e9"), "\u6a21\u578b \u00e9");
}

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("\u009b1m"), "\\xc2\\x9b1m") << "a control beyond ASCII";
  EXPECT_EQ(printable("\u202eabc"), "\\xe2\\x80\\xaeabc") << "right to left";
}

TEST(Printable, EscapesWhatIsNoText) {
  EXPECT_EQ(printable("\xff\x7f"), "\\xff\\x7f");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xe6\xa8"), "\\xe6\\xa8") << "cut off";
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable(std::string(300, 'a')), std::string(200, 'a') + "...");
  EXPECT_EQ(printable("\u6a21\u578b", 5), "\u6a21...");
}

} // namespace
} // namespace boostrt
