// The loop against its definition: functions of the program called by hand, on
// the batches that the data, the sampler and the transforms define.
#include "test/runtime/support/SettledUpdate.h"
#include "test/runtime/trainer/Training.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

using namespace boostrt;
using testing::HasSubstr;

namespace {

/// Fills batch arena 0 with samples [first, first + count) in order.
void fillBatch(Session &session, int64_t first, int32_t count) {
  const RunData &data = session.data();
  std::byte *base = session.arenas().base(BOOSTC_ARENA_BATCH);
  TransformScratch scratch = data.transforms->makeScratch();
  int64_t elements = data.transforms->outputShape().elements();
  auto *features = reinterpret_cast<float *>(base + data.layout.samplesOffset);
  auto *labels = reinterpret_cast<int32_t *>(base + *data.layout.labelsOffset);
  std::memset(base, 0, session.program().descriptor().arena_bytes[4]);
  for (int32_t i = 0; i < count; ++i) {
    data.transforms->apply(data.source.train->sample(first + i),
                           features + i * elements, scratch);
    labels[i] = data.source.train->label(first + i);
  }
  std::memcpy(base + data.layout.validOffset, &count, sizeof count);
}

void micro(Session &session, int64_t first, int32_t count, int set) {
  fillBatch(session, first, count);
  ASSERT_TRUE(session.execution()
                  .micro(session.arenas().base(BOOSTC_ARENA_BATCH), set)
                  .ok());
}

/// The sums of samples 0 to 63 in four micro-batches, into set 0. Three sets
/// are there: 0+1 and 2+3 are added before 0 and 2.
void wholeWindow(Session &session) {
  Execution &execution = session.execution();
  micro(session, 0, 16, 0);
  micro(session, 16, 16, 1);
  ASSERT_TRUE(execution.combine(0, 1).ok());
  micro(session, 32, 16, 1);
  micro(session, 48, 16, 2);
  ASSERT_TRUE(execution.combine(1, 2).ok());
  ASSERT_TRUE(execution.combine(0, 1).ok());
}

void expectSame(const Session &a, const Session &b, BoostArenaKind kind) {
  EXPECT_TRUE(bytesOf(a, kind) == bytesOf(b, kind));
}

TEST(Trainer, AWindowIsTheTreeOfItsMicroBatches) {
  auto trained = initialised("window", "digits:train=64,test=10");
  auto byHand = initialised("window", "digits:train=64,test=10");
  ASSERT_TRUE(trained && byHand);
  ASSERT_TRUE(train(*trained, {{.epochs = 1}, {}}).reason.ok());

  wholeWindow(*byHand);
  auto results = settledUpdate(byHand->execution(), 1);
  ASSERT_TRUE(results.ok() && results->isApplied);
  expectSame(*trained, *byHand, BOOSTC_ARENA_PARAMETER);
  expectSame(*trained, *byHand, BOOSTC_ARENA_STATE);
}

TEST(Trainer, APartialWindowHasItsOwnDenominatorAndStaysInItsEpoch) {
  // 100 samples: a window of 64, then one of 16 + 16 + 4.
  auto trained = initialised("window", "digits:train=100,test=10");
  auto byHand = initialised("window", "digits:train=100,test=10");
  ASSERT_TRUE(trained && byHand);
  Training training = train(*trained, {{.epochs = 2}, {}});
  EXPECT_EQ(training.position.globalStep, 4);

  Execution &execution = byHand->execution();
  for (int epoch = 0; epoch < 2; ++epoch) {
    wholeWindow(*byHand);
    ASSERT_TRUE(settledUpdate(execution, 1).ok());
    micro(*byHand, 64, 16, 0);
    micro(*byHand, 80, 16, 1);
    ASSERT_TRUE(execution.combine(0, 1).ok());
    micro(*byHand, 96, 4, 1);
    ASSERT_TRUE(execution.combine(0, 1).ok());
    EXPECT_EQ(execution.loss(0)->count, 36);
    ASSERT_TRUE(settledUpdate(execution, 2).ok());
  }
  expectSame(*trained, *byHand, BOOSTC_ARENA_PARAMETER);
}

TEST(Trainer, FourMicroBatchesOf16EqualOneBatchOf64) {
  auto windows = initialised("window", "digits:train=500,test=10");
  auto batches = initialised("batch64", "digits:train=500,test=10");
  ASSERT_TRUE(windows && batches);
  Training a = train(*windows, {{.epochs = 3}, {}}, /*shuffle=*/true);
  Training b = train(*batches, {{.epochs = 3}, {}}, /*shuffle=*/true);
  ASSERT_EQ(a.steps.size(), 24u);
  ASSERT_EQ(b.steps.size(), 24u);
  EXPECT_LT(a.steps.back()["loss"], a.steps.front()["loss"].get<double>() / 2)
      << "nothing was learnt, so nothing was compared";
  for (size_t i = 0; i < a.steps.size(); ++i) {
    double loss = b.steps[i]["loss"];
    EXPECT_NEAR(a.steps[i]["loss"].get<double>(), loss, 1e-5 * loss)
        << "step " << i + 1;
  }
}

TEST(Trainer, TailsOfEveryKindGiveTheRightStepsAndCounts) {
  struct Case {
    int samples;
    int64_t steps;
    int32_t last; ///< samples in the last step of an epoch
  };
  for (Case c : {Case{1, 1, 1}, Case{31, 1, 31}, Case{32, 1, 32},
                 Case{33, 2, 1}, Case{63, 2, 31}, Case{96, 3, 32}}) {
    SCOPED_TRACE(c.samples);
    std::string data = "digits:train=" + std::to_string(c.samples) + ",test=10";
    auto trained = initialised("softmax", data);
    auto byHand = initialised("softmax", data);
    ASSERT_TRUE(trained && byHand);
    Training training = train(*trained, {{.epochs = 2}, {}});
    ASSERT_TRUE(training.reason.ok());
    EXPECT_EQ(training.position.globalStep, 2 * c.steps);
    EXPECT_EQ(training.position.stepInEpoch, c.steps);
    EXPECT_EQ(training.position.epoch, 2);
    for (int epoch = 0; epoch < 2; ++epoch)
      for (int64_t step = 0; step < c.steps; ++step) {
        micro(*byHand, step * 32, step + 1 == c.steps ? c.last : 32, 0);
        ASSERT_TRUE(settledUpdate(byHand->execution(), 1).ok());
      }
    expectSame(*trained, *byHand, BOOSTC_ARENA_PARAMETER);
  }
}

TEST(Trainer, AMicroBatchWithoutSamplesContributesNothing) {
  auto session = initialised("softmax", "digits:train=32,test=10");
  ASSERT_TRUE(session);
  micro(*session, 0, 0, 0);
  EXPECT_EQ(session->execution().loss(0)->count, 0);
  EXPECT_EQ(session->execution().loss(0)->sum, 0);
  std::string before = bytesOf(*session, BOOSTC_ARENA_PARAMETER);
  auto results = settledUpdate(session->execution(), 1);
  ASSERT_TRUE(results.ok());
  EXPECT_FALSE(results->isApplied) << "a count of 0 is no step";
  EXPECT_TRUE(bytesOf(*session, BOOSTC_ARENA_PARAMETER) == before);
}

TEST(Trainer, ShufflingChangesTheOrderAndNothingElse) {
  auto ordered = initialised("softmax", "digits:train=320,test=10");
  auto shuffled = initialised("softmax", "digits:train=320,test=10");
  auto again = initialised("softmax", "digits:train=320,test=10");
  ASSERT_TRUE(ordered && shuffled && again);
  Training a = train(*ordered, {{.epochs = 1}, {}}, false);
  Training b = train(*shuffled, {{.epochs = 1}, {}}, true);
  Training c = train(*again, {{.epochs = 1}, {}}, true);
  EXPECT_NE(a.steps[0]["loss"], b.steps[0]["loss"]);
  EXPECT_EQ(a.steps.size(), b.steps.size());
  expectSame(*shuffled, *again, BOOSTC_ARENA_PARAMETER);
}

TEST(Trainer, TheLossIsTheQuotientOfTheWindowsPair) {
  auto session = initialised("softmax", "digits:train=33,test=10");
  auto byHand = initialised("softmax", "digits:train=33,test=10");
  ASSERT_TRUE(session && byHand);
  Training training = train(*session, {{.epochs = 1}, {}});
  micro(*byHand, 0, 32, 0);
  SumCount pair = *byHand->execution().loss(0);
  EXPECT_EQ(pair.count, 32);
  EXPECT_EQ(training.steps[0]["loss"].get<float>(), pair.sum / 32);
  EXPECT_EQ(training.steps[0]["lr"].get<double>(), 0.05);
}

TEST(Trainer, StepsStopInTheMiddleOfAnEpoch) {
  auto session = initialised("softmax", "digits:train=320,test=10");
  ASSERT_TRUE(session);
  Training training = train(*session, {{.steps = 13}, {}});
  ASSERT_TRUE(training.reason.ok());
  EXPECT_EQ(training.position.globalStep, 13);
  EXPECT_EQ(training.position.epoch, 2);
  EXPECT_EQ(training.position.stepInEpoch, 3);
}

TEST(Trainer, AStepThatIsNotFiniteLeavesNothingBehind) {
  auto session = initialised("explode", "digits:train=320,test=10");
  ASSERT_TRUE(session);
  // The first step is finite and throws the weights far out.
  Training first = train(*session, {{.steps = 1}, {}});
  ASSERT_TRUE(first.reason.ok());
  std::string weights = bytesOf(*session, BOOSTC_ARENA_PARAMETER);
  std::string state = bytesOf(*session, BOOSTC_ARENA_STATE);
  Training second = train(*session, {{.steps = 2}, {}}, false, first.position);
  ASSERT_FALSE(second.reason.ok());
  EXPECT_EQ(second.reason.status().code(), ExitCode::Numerical);
  EXPECT_THAT(second.reason.status().message(),
              testing::AllOf(HasSubstr("epoch 1 step 2: "),
                             HasSubstr("not finite (loss "),
                             HasSubstr("weights are those after global step "
                                       "1")));
  EXPECT_TRUE(bytesOf(*session, BOOSTC_ARENA_PARAMETER) == weights);
  EXPECT_TRUE(bytesOf(*session, BOOSTC_ARENA_STATE) == state);
  EXPECT_EQ(second.position.globalStep, 1);
  EXPECT_TRUE(second.steps.empty()) << "the failed step was reported";
}

TEST(Trainer, APositionThatTheDataDoesNotHaveIsRefused) {
  auto session = initialised("softmax", "digits:train=320,test=10");
  ASSERT_TRUE(session);
  CheckpointPosition start;
  start.epoch = 2;
  start.stepInEpoch = 5;
  start.samplesInEpoch = 321;
  start.globalStep = 15;
  Training training = train(*session, {{.epochs = 3}, {}}, false, start);
  ASSERT_FALSE(training.reason.ok());
  EXPECT_EQ(training.reason.status().code(), ExitCode::Checkpoint);
  EXPECT_THAT(
      training.reason.status().message(),
      HasSubstr("the checkpoint is at epoch 2 step 5, global step 15, "
                "after 321 samples of the epoch, which is not a position "
                "in an epoch of 320 samples; resume with the data of "
                "the run that saved it"));
}

TEST(Evaluate, SumsOverAllHeldOutDataWithItsTail) {
  auto session = initialised("softmax", "digits:train=32,test=75");
  ASSERT_TRUE(session);
  Ranks alone;
  auto whole =
      evaluate(session->execution(), session->arenas(), session->data(), alone);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  ASSERT_EQ(whole->values.size(), 3u);
  EXPECT_EQ(whole->values[0].first, "loss");
  EXPECT_EQ(whole->values[1].first, "top_1");

  // The definition, in double, from the weights themselves.
  const Dataset &test = *session->data().source.test;
  const auto *weights = reinterpret_cast<const float *>(
      session->arenas().base(BOOSTC_ARENA_PARAMETER));
  double loss = 0;
  int right = 0;
  for (int64_t i = 0; i < test.size(); ++i) {
    double z[10] = {}, sum = 0;
    for (int c = 0; c < 10; ++c)
      for (int p = 0; p < 784; ++p)
        z[c] += weights[c * 784 + p] * (test.sample(i)[p] / 255.0);
    for (double value : z)
      sum += std::exp(value - z[test.label(i)]);
    loss += std::log(sum);
    int larger = 0;
    for (double value : z)
      larger += value > z[test.label(i)];
    right += larger == 0;
  }
  EXPECT_NEAR(whole->values[0].second, loss / 75, 1e-6 * loss / 75);
  EXPECT_DOUBLE_EQ(whole->values[1].second, right / 75.0);
}

} // namespace
