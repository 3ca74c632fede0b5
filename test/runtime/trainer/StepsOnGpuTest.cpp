// Steps on a GPU that does everything as late as it may: how often they wait
// for it, and that they wait where they must.
#include "runtime/comm/local/LocalJob.h"
#include "runtime/program/ProgramAccumulators.h"
#include "test/runtime/support/SettledUpdate.h"
#include "test/runtime/trainer/GpuMachine.h"

#include <gmock/gmock.h>

#include <cstring>

using namespace boostrt;
using testing::HasSubstr;

namespace {

class StepsOnGpu : public testing::Test {
protected:
  ~StepsOnGpu() override {
    unsetenv("FAKE_CUDA_FAILS");
    unsetenv("FAKE_CUDA_EAGER");
    EXPECT_EQ(fake_cuda::liveObjects(), 0) << "something was not freed";
    calls.clear();
  }
};

void expectSame(Machine &gpu, Machine &cpu, int64_t steps) {
  Training a = gpu.train(steps), b = cpu.train(steps);
  ASSERT_TRUE(a.reason.ok()) << a.reason.status().message();
  ASSERT_TRUE(b.reason.ok()) << b.reason.status().message();
  ASSERT_EQ(a.steps.size(), static_cast<size_t>(steps));
  for (size_t i = 0; i < a.steps.size(); ++i)
    EXPECT_EQ(a.steps[i]["loss"], b.steps[i]["loss"]) << "step " << i + 1;
  EXPECT_NE(a.steps.front()["loss"], a.steps.back()["loss"]);
  for (BoostArenaKind kind : {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_STATE})
    EXPECT_TRUE(gpu.bytes(kind) == cpu.bytes(kind));
}

/// As late as they may, or as early.
class BatchesOnGpu : public StepsOnGpu,
                     public testing::WithParamInterface<bool> {};

TEST_P(BatchesOnGpu, StayUntilTheyAreCopiedAndUsed) {
  if (GetParam())
    setenv("FAKE_CUDA_EAGER", "1", 1);
  // Windows of up to 4 micro-batches of 8 samples, in 3 arenas; the last of an
  // epoch has 1 of them.
  Machine gpu("linear_window", true, "200"), cpu("linear_window", false, "200");
  expectSame(gpu, cpu, 17);
  Ranks alone;
  auto a = evaluate(*gpu.execution, *gpu.arenas, gpu.data, alone);
  auto b = evaluate(*cpu.execution, *cpu.arenas, cpu.data, alone);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->values, b->values);
}

INSTANTIATE_TEST_SUITE_P(LateAndEarly, BatchesOnGpu, testing::Bool());

/// In the middle of a training: a step waits for the results of the one before,
/// and has been launched then.
TEST_F(StepsOnGpu, AStepWaitsOnceAndForTheOneBefore) {
  // Epochs of 6 steps.
  Machine gpu("linear", true, "96"), cpu("linear", false, "96");
  Training first = gpu.train(6); // records the graphs of all batch arenas
  ASSERT_TRUE(first.reason.ok());
  fake_cuda::forget();
  Training training = gpu.train(16, first.position);
  ASSERT_TRUE(training.reason.ok());
  EXPECT_EQ(training.steps.size(), 10u);
  // On a stream of their own batches wait for what used their arena before, and
  // the host for those before, which the loader's thread is to fill.
  const std::string batch = "cuStreamSynchronize@2\ncuStreamWaitEvent@2\n"
                            "cuMemcpyHtoDAsync_v2@2\ncuEventRecord@2\n",
                    micro = "cuStreamWaitEvent\ncuGraphLaunch\n"
                            "cuEventRecord\n",
                    update = "cuGraphLaunch\n", wait = "cuEventSynchronize\n",
                    results = "cuMemcpyDtoHAsync_v2\ncuMemcpyDtoHAsync_v2\n"
                              "cuMemcpyDtoHAsync_v2\ncuEventRecord\n";
  std::string expected;
  for (int steps : {6, 4}) { // what ends an epoch or the run is waited for
    expected += batch + micro + update + results;
    for (int i = 1; i < steps; ++i)
      expected += batch + micro + update + wait + results;
    expected += wait;
  }
  EXPECT_EQ(fake_cuda::trace(), expected);

  ASSERT_TRUE(cpu.train(16).reason.ok());
  EXPECT_TRUE(gpu.bytes(BOOSTC_ARENA_PARAMETER) ==
              cpu.bytes(BOOSTC_ARENA_PARAMETER));
}

TEST_F(StepsOnGpu, AMicroBatchWaitsForTheCopyOfTheOneBefore) {
  Machine gpu("linear_window", true, "96");
  ASSERT_TRUE(gpu.train(3).reason.ok());
  std::string trace = fake_cuda::trace();
  EXPECT_EQ(fake_cuda::count(trace, "cuStreamSynchronize@2"), 12);
  EXPECT_EQ(fake_cuda::count(trace, "cuEventSynchronize"), 3);
  EXPECT_EQ(fake_cuda::waits(trace), 3);
}

TEST_F(StepsOnGpu, ControlIsSetWhenItChanged) {
  Machine gpu("linear", true, "96");
  Execution &execution = *gpu.execution;
  auto copies = [&] {
    fake_cuda::forget();
    EXPECT_TRUE(settledUpdate(execution, 1).ok());
    return fake_cuda::count(fake_cuda::trace(), "cuMemsetD32Async");
  };
  EXPECT_EQ(copies(), 1) << "the learning rate is new";
  EXPECT_EQ(copies(), 0);
  ASSERT_TRUE(execution.init(kTrainingSeed).ok());
  EXPECT_EQ(copies(), 0);
  ASSERT_TRUE(execution.init(kTrainingSeed + 1).ok());
  EXPECT_EQ(copies(), 0) << "init has set the seed";
  std::string other = gpu.bytes(BOOSTC_ARENA_PARAMETER);
  ASSERT_TRUE(execution.init(kTrainingSeed).ok());
  EXPECT_FALSE(gpu.bytes(BOOSTC_ARENA_PARAMETER) == other);
}

TEST_F(StepsOnGpu, TheSeedIsReadWhenInitReturns) {
  Machine gpu("linear", true, "96");
  // An init that fills nothing waits for nothing.
  gpu.functions[BOOSTC_FUNCTION_INIT].entry =
      [](const BoostEnv *, void *const *) -> int32_t { return BOOSTC_CALL_OK; };
  ASSERT_TRUE(gpu.execution->init(kTrainingSeed + 1).ok());
  std::byte *seed =
      gpu.execution->tensor(gpu.program->descriptor().seed_control);
  std::memset(seed, 0, 8);
  ASSERT_TRUE(gpu.arenas->pull(gpu.arenas->copyOf(BOOSTC_ARENA_CONTROL)).ok());
  int64_t found = 0;
  std::memcpy(&found, seed, 8);
  EXPECT_EQ(found, static_cast<int64_t>(kTrainingSeed + 1));
}

/// A micro-batch of zeros, which is finite, whatever the weights are: of
/// `valid` samples, the second one of class `label`.
void microOf(Machine &run, int32_t valid, int32_t label) {
  std::byte *batch = run.arenas->base(BOOSTC_ARENA_BATCH);
  std::memset(batch, 0,
              run.program->descriptor().arena_bytes[BOOSTC_ARENA_BATCH]);
  std::memcpy(batch + run.data.layout.validOffset, &valid, 4);
  std::memcpy(batch + *run.data.layout.labelsOffset + 4, &label, 4);
  ASSERT_TRUE(run.execution->micro(batch, 0).ok());
}

TEST_F(StepsOnGpu, ResultsAreThoseOfTheirStep) {
  Machine gpu("linear", true, "96");
  Execution &execution = *gpu.execution;
  microOf(gpu, 5, 3);
  Result<SumCount> loss = execution.loss(0);
  EXPECT_EQ(loss->sum, 9);
  EXPECT_EQ(loss->count, 5);
  EXPECT_EQ(fake_cuda::waits(fake_cuda::trace()), 1);
  auto none = execution.update(1);
  ASSERT_TRUE(none.ok() && !none->has_value());
  EXPECT_FALSE(execution.isSettled());
  // Another batch, another loss, launched before the first one's is read.
  ASSERT_TRUE(execution.finishBatches().ok());
  microOf(gpu, 5, 4);
  auto first = execution.update(2);
  ASSERT_TRUE(first.ok() && first->has_value());
  EXPECT_EQ((*first)->loss.sum, 9);
  EXPECT_EQ((*first)->loss.count, 5);
  EXPECT_TRUE((*first)->isApplied);
  auto second = execution.settle();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->loss.sum, 16);
  EXPECT_TRUE(execution.isSettled());
  EXPECT_EQ(fake_cuda::waits(fake_cuda::trace()), 3);
}

/// A rank of two, and what it brings to each step.
struct Brought {
  const BoostProgram *program = nullptr;
  std::vector<SumCount> losses;
};
Brought brought;

/// On the CPU, after a sum to which the other rank brings a sample of loss 1.
int32_t updateOfTwo(const BoostEnv *env, void *const *arenas) {
  auto *gradients = static_cast<std::byte *>(arenas[BOOSTC_ARENA_GRADIENT]);
  auto &sum = *reinterpret_cast<float *>(gradients +
                                         lossSumOf(*brought.program).offset);
  auto &count = *reinterpret_cast<int64_t *>(
      gradients + lossCountOf(*brought.program).offset);
  brought.losses.push_back({sum, count});
  sum += 1;
  count += 1;
  return cpuTarget->functions[BOOSTC_FUNCTION_UPDATE].entry(env, arenas);
}

// A rank without samples brings zeros from the host's memory, to which the
// results of the step before are copied.
TEST_F(StepsOnGpu, ARankWithoutSamplesBringsNothing) {
  // Windows of 2 x 16 samples: in the last one of an epoch rank 0 has them all.
  Machine gpu("linear", true, "80");
  brought = {&gpu.program->descriptor(), {}};
  gpu.functions[BOOSTC_FUNCTION_UPDATE].entry = [](const BoostEnv *env,
                                                   void *const *arenas) {
    return launch(
        {"update", updateOfTwo, 0, BOOSTC_FUNCTION_UPDATE, 0, 0, 0, nullptr},
        env, arenas);
  };
  LocalJob job(2);
  Ranks ranks(job.connect(1), {0, 0}, LogPolicy::Thread);
  Training training = train(*gpu.execution, *gpu.arenas, gpu.data, ranks,
                            {{INT64_MAX, 6}, {}}, /*shuffle=*/true);
  ASSERT_TRUE(training.reason.ok()) << training.reason.status().message();
  ASSERT_EQ(training.steps.size(), 6u);
  ASSERT_EQ(brought.losses.size(), 6u);
  for (size_t step = 0; step < 6; ++step) {
    SCOPED_TRACE(step);
    SumCount loss = brought.losses[step];
    bool hasSamples = step % 3 != 2;
    EXPECT_EQ(loss.count, hasSamples ? 16 : 0);
    EXPECT_EQ(loss.sum != 0, hasSamples);
    SumCount both = {loss.sum + 1, loss.count + 1};
    EXPECT_EQ(training.steps[step]["loss"].get<float>(), both.mean());
  }
}

TEST_F(StepsOnGpu, WeightsOfTheHostMayChangeAfterTheirUpload) {
  Machine gpu("linear", true, "96");
  std::string weights = gpu.bytes(BOOSTC_ARENA_PARAMETER);
  ASSERT_TRUE(gpu.execution->uploadPersistent().ok());
  std::memset(gpu.arenas->base(BOOSTC_ARENA_PARAMETER), 0, weights.size());
  EXPECT_TRUE(gpu.bytes(BOOSTC_ARENA_PARAMETER) == weights);
}

TEST_F(StepsOnGpu, AStepThatIsNotAppliedSaysItsLoss) {
  // The second step is not finite; the GPU has begun the third then.
  Machine gpu("linear_explode", true, "96"), cpu("linear_explode", false, "96");
  Training a = gpu.train(5), b = cpu.train(5);
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuGraphLaunch"), 6);
  ASSERT_FALSE(a.reason.ok());
  EXPECT_EQ(a.reason.status().code(), ExitCode::Numerical);
  EXPECT_EQ(a.reason.status().message(), b.reason.status().message());
  EXPECT_THAT(a.reason.status().message(), HasSubstr("not finite (loss "));
  EXPECT_EQ(a.position.globalStep, 1);
  ASSERT_EQ(a.steps.size(), 1u);
  EXPECT_EQ(a.steps[0]["loss"], b.steps[0]["loss"]);
  EXPECT_TRUE(gpu.bytes(BOOSTC_ARENA_PARAMETER) ==
              cpu.bytes(BOOSTC_ARENA_PARAMETER));
  EXPECT_TRUE(gpu.bytes(BOOSTC_ARENA_STATE) == cpu.bytes(BOOSTC_ARENA_STATE));
}

TEST_F(StepsOnGpu, StepsBehindOneThatIsNotFiniteChangeNothing) {
  Machine gpu("linear_explode", true, "96"), cpu("linear_explode", false, "96");
  for (Machine *run : {&gpu, &cpu}) {
    ASSERT_FALSE(run->train(5).reason.ok());
    std::string weights = run->bytes(BOOSTC_ARENA_PARAMETER);
    for (int step : {3, 4}) {
      microOf(*run, 3, 0);
      auto results = settledUpdate(*run->execution, step);
      ASSERT_TRUE(results.ok());
      EXPECT_FALSE(results->isApplied);
    }
    EXPECT_TRUE(run->bytes(BOOSTC_ARENA_PARAMETER) == weights);
    ASSERT_TRUE(run->execution->init(kTrainingSeed).ok());
    microOf(*run, 3, 0);
    EXPECT_TRUE(settledUpdate(*run->execution, 1)->isApplied);
  }
}

TEST_F(StepsOnGpu, RefusedPageLocksChangeNothing) {
  setenv("FAKE_CUDA_FAILS", "cuMemHostRegister_v2=2", 1);
  Machine gpu("linear_window", true, "200"), cpu("linear_window", false, "200");
  expectSame(gpu, cpu, 9);
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuMemHostUnregister"), 0);
}

TEST_F(StepsOnGpu, ArenasGoWhenNothingIsUnderWay) {
  Machine gpu("linear", true, "96");
  ASSERT_TRUE(
      gpu.execution->micro(gpu.arenas->base(BOOSTC_ARENA_BATCH), 0).ok());
  // Pages that are unlocked before the copy of the batch are found at the end.
  fake_cuda::forget();
  gpu.arenas.reset();
  EXPECT_EQ(
      fake_cuda::trace(), "cuStreamSynchronize@2\ncuStreamSynchronize\n" + [] {
        std::string unlocked;
        for (int i = 0; i < 5; ++i) // gradients, 3 batches, result
          unlocked += "cuMemHostUnregister\n";
        return unlocked;
      }());
}

TEST_F(StepsOnGpu, AStepThatFailsIsTheTrainersFailure) {
  Machine gpu("linear", true, "96");
  for (const char *call :
       {"cuMemsetD32Async", "cuGraphLaunch", "cuMemcpyDtoHAsync_v2",
        "cuEventSynchronize", "cuEventRecord", "cuEventRecord@2",
        "cuStreamWaitEvent", "cuStreamWaitEvent@2", "cuMemcpyHtoDAsync_v2@2",
        "cuStreamSynchronize@2"}) {
    SCOPED_TRACE(call);
    setenv("FAKE_CUDA_FAILS", (std::string(call) + "=700").c_str(), 1);
    Training training = gpu.train(1);
    ASSERT_FALSE(training.reason.ok());
    EXPECT_EQ(training.reason.status().code(), ExitCode::Internal);
    EXPECT_THAT(training.reason.status().message(),
                HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_TRUE(training.steps.empty());
    unsetenv("FAKE_CUDA_FAILS");
    // Copies that are left would read what the next training fills.
    ASSERT_TRUE(gpu.execution->finishBatches().ok());
  }
}

} // namespace
