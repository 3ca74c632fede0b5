// Which variant a step is of, where ranges list some and a selector chooses for
// the others.
#include "runtime/program/VariantChoices.h"

#include <gtest/gtest.h>

namespace boostrt {
namespace {

/// Variants listed (steps 3, 6, ...), chosen (when it is chosen) and usual; a
/// selector of chosen and listed.
class Choices : public testing::TestWithParam<uint32_t> {
protected:
  Choices() {
    program_.variants = variants_;
    program_.variant_count = 3;
    program_.selectors = &selector_;
    program_.selector_count = 1;
  }

  const char *nameAt(const VariantChoices &choices, int64_t step) const {
    return choices.variantAt(step).name;
  }

  BoostStepRange range_{3, 0, 3};
  BoostVariant variants_[3] = {{"listed", 0, 0, 0, 1, &range_, nullptr, 0, 0},
                               {"chosen", 0, 0, 0, 0, nullptr, nullptr, 0, 0},
                               {"usual", 0, 0, 0, 0, nullptr, nullptr, 0, 0}};
  BoostChoice list_[2] = {{1, 0}, {0, 0}};
  BoostSelector selector_{0, GetParam(), list_, 2, 0, {}, {}, {}};
  BoostProgram program_{};
};

TEST_P(Choices, ARangeComesFirst) {
  VariantChoices choices(program_);
  for (int64_t step = 1; step <= 12; ++step) {
    choices.set(step, 0);
    EXPECT_STREQ(nameAt(choices, step), step % 3 == 0 ? "listed" : "chosen");
  }
}

TEST_P(Choices, AnIndexOutsideTheListIsTheUsualVariant) {
  VariantChoices choices(program_);
  EXPECT_STREQ(nameAt(choices, 1), "usual") << "nothing is chosen yet";
  choices.set(1, 1);
  EXPECT_STREQ(nameAt(choices, 1), "listed") << "it may be chosen as well";
  for (int32_t outside : {2, 3, -1, INT32_MAX, INT32_MIN}) {
    choices.set(1, outside);
    EXPECT_STREQ(nameAt(choices, 1), "usual") << outside;
  }
}

TEST_P(Choices, KeepsThoseOfTheNextSteps) {
  VariantChoices choices(program_);
  EXPECT_EQ(choices.lag(), GetParam());
  auto resultFor = [](int64_t step) {
    return static_cast<int32_t>(step * step % 5) - 1;
  };
  for (int64_t step = 1; step <= choices.lag(); ++step)
    choices.set(step, resultFor(step));
  for (int64_t step = 1; step <= 20; ++step) {
    int32_t result = resultFor(step);
    const char *expected = step % 3 == 0 || result == 1 ? "listed"
                           : result == 0                ? "chosen"
                                                        : "usual";
    EXPECT_STREQ(nameAt(choices, step), expected) << step;
    choices.set(step + choices.lag(), resultFor(step + choices.lag()));

    // A resumed run goes on with them.
    std::vector<uint32_t> saved = choices.after(step);
    ASSERT_EQ(saved.size(), GetParam());
    VariantChoices resumed(program_);
    for (size_t i = 0; i < saved.size(); ++i)
      resumed.set(step + 1 + static_cast<int64_t>(i),
                  static_cast<int32_t>(saved[i]));
    for (int64_t next = step + 1; next <= step + choices.lag(); ++next)
      EXPECT_STREQ(nameAt(resumed, next), nameAt(choices, next)) << next;
    EXPECT_EQ(resumed.after(step), saved);
  }
}

TEST_P(Choices, WithoutASelectorRangesDecide) {
  program_.selectors = nullptr;
  program_.selector_count = 0;
  VariantChoices choices(program_);
  EXPECT_EQ(choices.lag(), 0);
  EXPECT_STREQ(nameAt(choices, 2), "usual");
  EXPECT_STREQ(nameAt(choices, 3), "listed");
  EXPECT_TRUE(choices.after(3).empty());
}

INSTANTIATE_TEST_SUITE_P(Lags, Choices, testing::Values(1, 2));

} // namespace
} // namespace boostrt
