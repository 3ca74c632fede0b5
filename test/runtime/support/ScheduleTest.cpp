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
  schedule.unit = BOOST_UNIT_STEPS;
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
  expectCurve(makeRecipe(BOOST_SCHEDULE_RECIPE_LINEAR), kTen,
              {0, .4, .8, .7, .6, .5, .4, .3, .2, .1}, 1e-15);
}
TEST(Schedule, RecipePoly) {
  expectCurve(makeRecipe(BOOST_SCHEDULE_RECIPE_POLY), kTen,
              {0, .4, .8, .6125, .45, .3125, .2, .1125, .05, .0125}, 1e-15);
}
TEST(Schedule, RecipeCosine) {
  expectCurve(makeRecipe(BOOST_SCHEDULE_RECIPE_COSINE), kTen,
              {.4, .8, .69586, .506451, .32824, .182148, .079924, .0227315,
               .00177927, .000821569},
              5e-6); // six digits
}
TEST(Schedule, RecipeSteps) {
  expectCurve(makeRecipe(BOOST_SCHEDULE_RECIPE_STEPS), kTen,
              {0, .4, .8, .08, .08, .08, .008, .008, .0008, .0008}, 1e-14);
}
TEST(Schedule, RecipeStep) {
  // Stages end at 2, 5, 7 and 9 of 10; what follows is 5e-5 whatever the value.
  expectCurve(makeSchedule(BOOST_SCHEDULE_RECIPE_STEP, 0.8), kTen,
              {.8, .8, .08, .08, .08, .008, .008, .0008, .0008, 5e-5}, 1e-14);
}

TEST(Schedule, WarmupReachesTheValueAtItsLastStep) {
  BoostSchedule schedule = makeSchedule(BOOST_SCHEDULE_CONSTANT, 1.0);
  schedule.warmup = 4;
  schedule.initial = 0.2;
  expectCurve(schedule, kTen, {.4, .6, .8, 1, 1, 1}, 1e-15);
}
TEST(Schedule, EpochsAreStepsPerEpoch) {
  BoostSchedule schedule = makeSchedule(BOOST_SCHEDULE_STEP, 1.0);
  schedule.unit = BOOST_UNIT_EPOCHS;
  schedule.every = 0.5;
  schedule.factor = 0.5;
  expectCurve(schedule, {4, 12}, {1, 1, .5, .5, .25, .25, .125}, 1e-15);
}
TEST(Schedule, ExponentialPassesItsFactorEveryUnit) {
  BoostSchedule schedule = makeSchedule(BOOST_SCHEDULE_EXPONENTIAL, 3.0);
  schedule.unit = BOOST_UNIT_EPOCHS;
  schedule.factor = 0.25;
  expectCurve(schedule, {2, 6}, {3, 1.5, .75, .375, .1875}, 1e-15);
}
TEST(Schedule, PolynomialEndsAndStays) {
  BoostSchedule schedule = makeSchedule(BOOST_SCHEDULE_POLYNOMIAL, 1.0);
  schedule.end = 0.5;
  schedule.factor = 2;
  schedule.length = 4;
  expectCurve(schedule, kTen, {1, .78125, .625, .53125, .5, .5}, 1e-15);
}
TEST(Schedule, CosineRunsToTheEndBehindTheWarmup) {
  BoostSchedule schedule = makeSchedule(BOOST_SCHEDULE_COSINE, 1.0);
  schedule.warmup = 2;
  // cos(pi t / 4) for t = 0, 1, 2, 3.
  expectCurve(schedule, {6, 6},
              {.5, 1, 1, .85355339059327373, .5, .14644660940672627}, 1e-14);
}
TEST(Schedule, OneMinusPowerCountsUpdatesFromOne) {
  expectCurve(makeSchedule(BOOST_SCHEDULE_ONE_MINUS_POWER, 0.5), kTen,
              {.5, .75, .875}, 1e-15);
}

} // namespace
