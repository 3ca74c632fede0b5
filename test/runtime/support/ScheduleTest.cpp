// Golden vectors of the recipe's tables, and the others' formulas at points
// that can be computed by hand.

#include "runtime/abi/boost_schedule.h"

#include <gtest/gtest.h>
#include <vector>

namespace {

BoostSchedule makeSchedule(BoostScheduleKind kind, double value) {
  BoostSchedule schedule = {};
  schedule.kind = kind;
  schedule.value = value;
  schedule.unit = BOOSTC_UNIT_STEPS;
  return schedule;
}

/// `relative` covers the digits that the expected numbers are given with.
void expectCurve(const BoostSchedule &schedule, BoostRunLength run,
                 const std::vector<double> &expected, double relative) {
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(boost_schedule_value(&schedule, int64_t(i), run), expected[i],
                relative * expected[i])
        << "step " << i;
}

// From 0 to 0.8 and down to 0 in 10 steps, 2 of them warm-up.
constexpr BoostRunLength kTen = {10, 10};
BoostSchedule makeRecipe(BoostScheduleKind kind) {
  BoostSchedule schedule = makeSchedule(kind, 0.8);
  schedule.warmup = 2;
  return schedule;
}

TEST(Schedule, RecipeLinear) {
  expectCurve(makeRecipe(BOOSTC_SCHEDULE_RECIPE_LINEAR), kTen,
              {0, .4, .8, .7, .6, .5, .4, .3, .2, .1}, 1e-15);
}
TEST(Schedule, RecipePoly) {
  expectCurve(makeRecipe(BOOSTC_SCHEDULE_RECIPE_POLY), kTen,
              {0, .4, .8, .6125, .45, .3125, .2, .1125, .05, .0125}, 1e-15);
}
TEST(Schedule, RecipeCosine) {
  expectCurve(makeRecipe(BOOSTC_SCHEDULE_RECIPE_COSINE), kTen,
              {.4, .8, .69586, .506451, .32824, .182148, .079924, .0227315,
               .00177927, .000821569},
              5e-6); // six digits
}
TEST(Schedule, RecipeSteps) {
  expectCurve(makeRecipe(BOOSTC_SCHEDULE_RECIPE_STEPS), kTen,
              {0, .4, .8, .08, .08, .08, .008, .008, .0008, .0008}, 1e-14);
}
TEST(Schedule, RecipeStep) {
  // Stages end at 2, 5, 7 and 9 of 10; what follows is 5e-5 whatever the value.
  expectCurve(makeSchedule(BOOSTC_SCHEDULE_RECIPE_STEP, 0.8), kTen,
              {.8, .8, .08, .08, .08, .008, .008, .0008, .0008, 5e-5}, 1e-14);
}

/// Values of single steps, given to nine digits.
static void
expectValues(const BoostSchedule &schedule, int64_t epochs,
             std::initializer_list<std::pair<int64_t, double>> values) {
  constexpr int64_t kSteps = 5004;
  for (auto [i, expected] : values)
    EXPECT_NEAR(boost_schedule_value(&schedule, i, {kSteps, kSteps * epochs}),
                expected, 5e-9 * expected)
        << "step " << i;
}

TEST(Schedule, RecipeThor) {
  BoostSchedule rate = makeSchedule(BOOSTC_SCHEDULE_RECIPE_THOR, 0.05803);
  rate.factor = 4.0839;
  rate.length = 53;
  rate.every = 39;
  expectValues(rate, 45,
               {{0, .0580291064},
                {5003, .0536869092},
                {50039, .0247060987},
                {190151, 3.34904852e-4},
                {195154, 2.52685283e-4},
                {195155, 1.26335277e-4},
                {200158, 9.33496882e-5},
                {200159, 4.6671914e-5},
                {225179, 6.42616028e-6}});
  rate.value = 0.05672;
  rate.factor = 4.9687;
  rate.length = 50;
  expectValues(
      rate, 40,
      {{0, .0567188736}, {50039, .018716276}, {200159, 4.77203885e-6}});
  // Without a length it ends with the run; after its end it stays 0.
  rate.length = 0;
  EXPECT_GT(boost_schedule_value(&rate, 3, {1, 5}), 0.0);
  EXPECT_EQ(boost_schedule_value(&rate, 4, {1, 5}), 0.0);
  EXPECT_EQ(boost_schedule_value(&rate, 7, {1, 5}), 0.0);
}
TEST(Schedule, RecipeDamping) {
  BoostSchedule damping = makeSchedule(BOOSTC_SCHEDULE_RECIPE_DAMPING, 0.03);
  damping.factor = 0.50036;
  expectValues(damping, 45,
               {{0, .0299995849},
                {834, .029655366},
                {5003, .0279930044},
                {50039, .0150108},
                {225179, .0013301263}});
  damping.value = 0.02345;
  damping.factor = 0.5467;
  expectValues(damping, 40, {{0, .023449717}, {50039, .012820115}});
}

/// After 80 steps windows became a quarter: an epoch had 10 steps and now has
/// 40, and 8 of 16 epochs are done.
constexpr BoostRunLength kQuarter = {40, 640};
constexpr BoostProgress kHalf = {80, 320};

TEST(Schedule, OtherWindowsLeaveWhatCountsEpochsWhereItWas) {
  BoostSchedule cosine = makeSchedule(BOOSTC_SCHEDULE_COSINE, 0.8);
  cosine.unit = BOOSTC_UNIT_EPOCHS;
  for (double length : {0.0, 16.0}) {
    cosine.length = length;
    EXPECT_NEAR(boost_schedule_value_at(&cosine, kHalf, kQuarter), 0.4, 1e-15);
  }
  BoostSchedule steps = makeSchedule(BOOSTC_SCHEDULE_STEP, 0.8);
  steps.unit = BOOSTC_UNIT_EPOCHS;
  steps.factor = 0.5;
  steps.every = 3; // epochs: two such times are over
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&steps, kHalf, kQuarter), 0.2);
  BoostSchedule exponential = makeSchedule(BOOSTC_SCHEDULE_EXPONENTIAL, 0.8);
  exponential.unit = BOOSTC_UNIT_EPOCHS;
  exponential.factor = 0.5;
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&exponential, kHalf, kQuarter),
                   0.8 / 256);
}

TEST(Schedule, OtherWindowsLeaveTheRestOfTheRunWhereItWas) {
  // Lengths in steps, but it ends with the run.
  BoostSchedule cosine = makeSchedule(BOOSTC_SCHEDULE_COSINE, 0.8);
  EXPECT_NEAR(boost_schedule_value_at(&cosine, kHalf, kQuarter), 0.4, 1e-15);
  BoostSchedule poly = makeSchedule(BOOSTC_SCHEDULE_RECIPE_POLY, 0.8);
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&poly, kHalf, kQuarter), 0.2);
  BoostSchedule linear = makeSchedule(BOOSTC_SCHEDULE_RECIPE_LINEAR, 0.8);
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&linear, kHalf, kQuarter), 0.4);
  BoostSchedule stages = makeSchedule(BOOSTC_SCHEDULE_RECIPE_STEPS, 0.8);
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&stages, kHalf, kQuarter), 0.08);
}

TEST(Schedule, OtherWindowsLeaveStepsSteps) {
  BoostSchedule steps = makeSchedule(BOOSTC_SCHEDULE_STEP, 0.8);
  steps.factor = 0.5;
  steps.every = 30; // steps: two such times are over
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&steps, kHalf, kQuarter), 0.2);
  BoostSchedule cosine = makeSchedule(BOOSTC_SCHEDULE_COSINE, 0.8);
  cosine.length = 160;
  EXPECT_NEAR(boost_schedule_value_at(&cosine, kHalf, kQuarter), 0.4, 1e-15);
  BoostSchedule warmup = makeSchedule(BOOSTC_SCHEDULE_CONSTANT, 0.8);
  warmup.warmup = 100;
  EXPECT_NEAR(boost_schedule_value_at(&warmup, kHalf, kQuarter), 0.8 * 0.81,
              1e-15);
  // A warm-up in steps that is over, of more steps than are done of today's.
  BoostSchedule late = makeSchedule(BOOSTC_SCHEDULE_COSINE, 0.8);
  late.warmup = 100;
  EXPECT_DOUBLE_EQ(boost_schedule_value_at(&late, {120, 15}, {10, 160}), 0.8);
}

TEST(Schedule, WarmupReachesTheValueAtItsLastStep) {
  BoostSchedule schedule = makeSchedule(BOOSTC_SCHEDULE_CONSTANT, 1.0);
  schedule.warmup = 4;
  schedule.initial = 0.2;
  expectCurve(schedule, kTen, {.4, .6, .8, 1, 1, 1}, 1e-15);
}
TEST(Schedule, EpochsAreStepsPerEpoch) {
  BoostSchedule schedule = makeSchedule(BOOSTC_SCHEDULE_STEP, 1.0);
  schedule.unit = BOOSTC_UNIT_EPOCHS;
  schedule.every = 0.5;
  schedule.factor = 0.5;
  expectCurve(schedule, {4, 12}, {1, 1, .5, .5, .25, .25, .125}, 1e-15);
}
TEST(Schedule, ExponentialPassesItsFactorEveryUnit) {
  BoostSchedule schedule = makeSchedule(BOOSTC_SCHEDULE_EXPONENTIAL, 3.0);
  schedule.unit = BOOSTC_UNIT_EPOCHS;
  schedule.factor = 0.25;
  expectCurve(schedule, {2, 6}, {3, 1.5, .75, .375, .1875}, 1e-15);
}
TEST(Schedule, AWarmupThatEndsWithinAStepStopsAtTheValue) {
  for (BoostScheduleKind kind :
       {BOOSTC_SCHEDULE_CONSTANT, BOOSTC_SCHEDULE_RECIPE_COSINE}) {
    BoostSchedule schedule = makeSchedule(kind, 1.0);
    schedule.warmup = 2.5;
    auto valueAt = [&](int64_t step) {
      return boost_schedule_value_at(&schedule, {step, step}, {10, 100});
    };
    EXPECT_DOUBLE_EQ(valueAt(0), 0.4);
    EXPECT_DOUBLE_EQ(valueAt(1), 0.8);
    EXPECT_DOUBLE_EQ(valueAt(2), 1.0);
  }
}
TEST(Schedule, PolynomialEndsAndStays) {
  BoostSchedule schedule = makeSchedule(BOOSTC_SCHEDULE_POLYNOMIAL, 1.0);
  schedule.end = 0.5;
  schedule.factor = 2;
  schedule.length = 4;
  expectCurve(schedule, kTen, {1, .78125, .625, .53125, .5, .5}, 1e-15);
}
TEST(Schedule, CosineRunsToTheEndAfterTheWarmup) {
  BoostSchedule schedule = makeSchedule(BOOSTC_SCHEDULE_COSINE, 1.0);
  schedule.warmup = 2;
  // cos(pi t / 4) for t = 0, 1, 2, 3.
  expectCurve(schedule, {6, 6},
              {.5, 1, 1, .85355339059327373, .5, .14644660940672627}, 1e-14);
}
} // namespace
