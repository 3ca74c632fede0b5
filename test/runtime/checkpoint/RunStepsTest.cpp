// How many steps a run takes from where it starts, and what schedules count.
#include "runtime/checkpoint/RunSteps.h"

#include <gtest/gtest.h>

using namespace boostrt;

namespace {

CheckpointPosition at(int64_t epoch, int64_t step, int64_t samples,
                      int64_t globalStep) {
  CheckpointPosition position;
  position.epoch = epoch;
  position.stepInEpoch = step;
  position.samplesInEpoch = samples;
  position.globalStep = globalStep;
  return position;
}

/// Steps by the definition, one after the other; `before` is told of each, and
/// of the visits of its epoch that are over.
template <typename Before>
int64_t takeSteps(const CheckpointPosition &start, const EpochPlan &plan,
                  int64_t window, int64_t epochs, Before &&before) {
  int64_t step = start.globalStep, used = start.samplesInEpoch;
  for (int64_t epoch = std::max<int64_t>(start.epoch, 1); epoch <= epochs;
       ++epoch, used = 0)
    while (used < plan.visits()) {
      int64_t left = plan.samples - used % plan.samples;
      if (!plan.dropsRemainder || left >= window)
        before(++step, epoch, used);
      used += plan.dropsRemainder && left < 2 * window ? left
                                                       : std::min(left, window);
    }
  return step;
}

class Plans : public testing::TestWithParam<EpochPlan> {};
INSTANTIATE_TEST_SUITE_P(RunSteps, Plans,
                         testing::Values(EpochPlan{0, 1, false},
                                         EpochPlan{0, 1, true},
                                         EpochPlan{0, 3, false},
                                         EpochPlan{0, 3, true}));

TEST_P(Plans, StepsAreThoseThatTheDefinitionTakes) {
  for (int64_t samples : {1, 2, 7, 100, 101})
    for (int64_t window : {1, 3, 7, 50, 100, 1000}) {
      EpochPlan plan = GetParam();
      plan.samples = samples;
      for (const CheckpointPosition &start :
           {CheckpointPosition{}, at(1, 1, 1, 1), at(1, 1, samples, 1),
            at(2, 1, samples / 2 + 1, 5), at(3, 1, plan.visits(), 77),
            at(3, 4, plan.visits() - samples / 3, 9),
            at(2, 4, plan.visits() / 2, 9), at(4, 2, samples / 2, 11)}) {
        SCOPED_TRACE(testing::Message()
                     << plan.passes << " x " << samples
                     << " samples, windows of " << window << ", from epoch "
                     << start.epoch << " sample " << start.samplesInEpoch);
        if (plan.dropsRemainder && window > samples)
          continue;
        RunSteps run(start, plan, window, {.epochs = 4});
        int64_t perPass =
            (samples + (plan.dropsRemainder ? 0 : window - 1)) / window;
        EXPECT_EQ(run.perEpoch(), plan.passes * perPass);
        EXPECT_EQ(run.length().steps_per_epoch, run.perEpoch());
        EXPECT_EQ(run.length().steps, 4 * run.perEpoch());
        int64_t next = -1, firstPass = -1, lastPass = -1;
        int64_t last = takeSteps(
            start, plan, window, 4,
            [&](int64_t step, int64_t epoch, int64_t used) {
              lastPass = (epoch - 1) * plan.passes + used / samples;
              firstPass = firstPass < 0 ? lastPass : firstPass;
              BoostProgress done = run.before(step);
              EXPECT_EQ(done.steps, step - 1);
              // Whole windows of the pass that fit before the sample, or as
              // many as were taken since the run began in it.
              int64_t even = done.even_steps - (epoch - 1) * run.perEpoch();
              EXPECT_EQ(even,
                        used / samples * perPass + used % samples / window)
                  << "step " << step;
              EXPECT_LT(even, run.perEpoch());
              // The trainer gets there, too.
              if (next >= 0 && used > 0) {
                EXPECT_EQ(run.usedBeforeStep(next), used);
              }
              EXPECT_GT(run.leftOfPass(used), 0);
              next = run.usedAfterStep(used);
            });
        EXPECT_EQ(run.last(), last);
        EXPECT_EQ(run.revisitsSamples(), firstPass != lastPass);
      }
    }
}

TEST(RunSteps, DroppedSamplesAreUsedUp) {
  RunSteps run({}, {100, 1, /*dropsRemainder=*/true}, 16, {.epochs = 3}),
      all({}, {100}, 16, {.epochs = 3});
  EXPECT_EQ(run.usedAfterStep(64), 80);
  EXPECT_EQ(run.usedAfterStep(80), 100);
  EXPECT_EQ(all.usedAfterStep(80), 96);
  EXPECT_EQ(all.usedAfterStep(96), 100);
  // So that no other window goes on with the epoch.
  EXPECT_EQ(RunSteps(at(1, 6, 100, 6), {100, 1, true}, 4, {.epochs = 1})
                .leftAfter(100),
            0);
  EXPECT_EQ(run.last(), 18);
}

TEST(RunSteps, APassEndsWithItsOwnWindow) {
  RunSteps run({}, {100, 3}, 16, {.epochs = 2}),
      drops({}, {100, 3, /*dropsRemainder=*/true}, 16, {.epochs = 2});
  EXPECT_EQ(run.perEpoch(), 21);
  EXPECT_EQ(run.last(), 42);
  EXPECT_EQ(run.usedAfterStep(96), 100);
  EXPECT_EQ(run.usedAfterStep(100), 116);
  EXPECT_EQ(run.leftOfPass(184), 1);
  EXPECT_EQ(run.leftAfter(184), 8);
  EXPECT_EQ(run.leftAfter(300), 0);
  EXPECT_EQ(drops.perEpoch(), 18);
  EXPECT_EQ(drops.usedAfterStep(80), 100);
  EXPECT_EQ(drops.usedAfterStep(280), 300);
  // After smaller windows a pass may have no room for one.
  EXPECT_EQ(drops.leftOfPass(90), 0);
  EXPECT_EQ(drops.leftAfter(90), 12);
  EXPECT_EQ(drops.usedBeforeStep(90), 100);
  EXPECT_EQ(drops.usedBeforeStep(100), 100);
  EXPECT_EQ(drops.usedBeforeStep(300), 300);
}

TEST(EpochPlan, PassesHaveOrdersOfTheirOwn) {
  EpochPlan once{100}, thrice{100, 3};
  EXPECT_EQ(once.placeAfter(4, 30).order, 4);
  EXPECT_EQ(once.placeAfter(4, 30).first, 30);
  EXPECT_EQ(thrice.placeAfter(1, 0).order, 1);
  EXPECT_EQ(thrice.placeAfter(1, 99).order, 1);
  EXPECT_EQ(thrice.placeAfter(1, 100).order, 2);
  EXPECT_EQ(thrice.placeAfter(1, 100).first, 0);
  EXPECT_EQ(thrice.placeAfter(2, 250).order, 6);
  EXPECT_EQ(thrice.placeAfter(2, 250).first, 50);
}

TEST(RunSteps, AnUnbrokenRunCountsItsSteps) {
  RunSteps whole({}, {100}, 16, {.epochs = 3}),
      middle(at(2, 3, 48, 10), {100}, 16, {.epochs = 3});
  EXPECT_EQ(whole.last(), 21);
  EXPECT_EQ(middle.last(), 21);
  for (int64_t step = 11; step <= 21; ++step)
    for (const RunSteps *run : {&whole, &middle}) {
      EXPECT_EQ(run->before(step).steps, step - 1);
      EXPECT_EQ(run->before(step).even_steps, step - 1);
    }
}

TEST(RunSteps, ARunBeyondItsEndHasNone) {
  EXPECT_EQ(RunSteps(at(3, 2, 30, 9), {100}, 16, {.epochs = 2}).last(), 9);
  EXPECT_EQ(RunSteps(at(3, 2, 100, 9), {100}, 16, {.epochs = 3}).last(), 9);
  EXPECT_EQ(RunSteps({}, {100}, 16, {.epochs = 0}).last(), 0);
}

TEST(RunSteps, StepsEndARunAndWithoutEpochsItsSchedules) {
  RunSteps both({}, {100}, 16, {.epochs = 3, .steps = 5}),
      steps({}, {100}, 16, {.steps = 5}),
      later(at(2, 3, 48, 10), {100}, 16, {.steps = 5});
  EXPECT_EQ(both.last(), 5);
  EXPECT_EQ(both.length().steps, 21);
  EXPECT_EQ(steps.last(), 5);
  EXPECT_EQ(steps.length().steps, 5);
  EXPECT_EQ(later.last(), 5) << "before its start";
}

TEST(RunSteps, DoNotOverflow) {
  RunSteps run({}, {100}, 16, {}), later(at(2, 1, 16, 8), {100}, 16, {});
  EXPECT_EQ(run.last(), INT64_MAX);
  EXPECT_EQ(later.last(), INT64_MAX);
  EXPECT_EQ(later.before(9).even_steps, 8);
}

SamplesOfSteps found(int64_t samples) {
  return {SamplesOfSteps::Found, samples};
}
constexpr SamplesOfSteps ambiguous{SamplesOfSteps::Ambiguous};
constexpr SamplesOfSteps none{SamplesOfSteps::None};

TEST(SamplesOfSteps, AreKnownWhereOneWindowFits) {
  // 100 samples in micro-batches of 4: 25 steps, or 13 of two, 9 of three, ...
  EXPECT_EQ(samplesOfSteps(at(1, 25, 0, 25), 100, 4), found(100));
  EXPECT_EQ(samplesOfSteps(at(1, 20, 0, 20), 100, 4), found(80));
  EXPECT_EQ(samplesOfSteps(at(2, 3, 0, 12), 100, 4), found(36)) << "9 an epoch";
}

TEST(SamplesOfSteps, AreUnknownWhereSeveralDo) {
  EXPECT_EQ(samplesOfSteps(at(1, 12, 0, 12), 100, 4), ambiguous);
  // 5 an epoch: windows of 20 or 24, but the end of an epoch is its end.
  EXPECT_EQ(samplesOfSteps(at(2, 1, 0, 6), 100, 4), ambiguous);
  EXPECT_EQ(samplesOfSteps(at(2, 5, 0, 10), 100, 4), found(100));
}

TEST(SamplesOfSteps, AreRefusedWhereNoneDoes) {
  EXPECT_EQ(samplesOfSteps(at(1, 26, 0, 26), 100, 4), none);
  EXPECT_EQ(samplesOfSteps(at(2, 3, 0, 109), 100, 4), none);
  EXPECT_EQ(samplesOfSteps(at(3, 2, 0, 4), 100, 4), none) << "1 an epoch";
  EXPECT_EQ(samplesOfSteps(at(0, 0, 0, 0), 100, 4), found(0));
  EXPECT_EQ(samplesOfSteps(at(0, 1, 0, 1), 100, 4), none);
}

} // namespace
