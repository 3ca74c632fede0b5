// Steps on a GPU that does everything as late as it may (FakeCuda.cpp): how
// often they wait for it, and that they wait where they must. The functions of
// the program are those for CPUs, run as kernels, so the bits are the CPU's.
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/device/cuda/FakeCuda.h"
#include "test/runtime/trainer/Training.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <list>

using namespace boostrt;
using testing::HasSubstr;

namespace {

/// A call of a function, for the kernel "call".
struct Call {
  BoostFunction function;
  std::array<void *, BOOST_ARENA_COUNT> arenas;
};

void enter(void *call) {
  auto *entered = static_cast<Call *>(call);
  entered->function.entry(nullptr, entered->arenas.data());
}

const BoostTarget *cpuTarget = nullptr;
std::list<Call> calls;

/// What the target for GPUs has in the place of the CPU's function.
template <BoostFunctionKind Kind>
int32_t launchCall(const BoostEnv *env, void *const *arenas) {
  Call &call = calls.emplace_back();
  call.function = cpuTarget->functions[Kind];
  std::copy_n(arenas, call.arenas.size(), call.arenas.begin());
  void *operands[] = {reinterpret_cast<void *>(enter), &call};
  return env->launch(env, 0, operands);
}

constexpr BoostOperand kOperands[2] = {{8, 0, 0}, {8, 1, 0}};
constexpr BoostLaunch kLaunch = {"call", "model.json:5:3", kOperands, 2, 3, 32,
                                 0};
constexpr BoostImage kImages[] = {{BOOST_IMAGE_PTX, 80, "ptx80", 5}, {}};

/// A fixture on a device of its own.
struct Machine {
  /// `name` is of LinearProgram.c.
  Machine(const std::string &name, bool onGpu, const std::string &samples) {
    program = std::move(Program::load(fixture(name))).value();
    cpuTarget = program->target(BOOST_TARGET_CPU);
    target = *cpuTarget;
    if (onGpu) {
      setenv("FAKE_CUDA_IMAGE", "ptx80", 1);
      target.kind = BOOST_TARGET_CUDA;
      target.launches = &kLaunch;
      target.launch_count = 1;
      target.images = kImages;
      // init stays: it fills by copies, and what it writes itself is memory of
      // the host here.
      target.functions[BOOST_FUNCTION_MICRO].entry =
          launchCall<BOOST_FUNCTION_MICRO>;
      target.functions[BOOST_FUNCTION_COMBINE].entry =
          launchCall<BOOST_FUNCTION_COMBINE>;
      target.functions[BOOST_FUNCTION_UPDATE].entry =
          launchCall<BOOST_FUNCTION_UPDATE>;
      target.functions[BOOST_FUNCTION_EVAL].entry =
          launchCall<BOOST_FUNCTION_EVAL>;
      auto driver = std::move(CudaDriver::create(BOOST_FAKE_CUDA)).value();
      device = std::move(CudaDevice::create(std::move(driver), target, name))
                   .value();
      unsetenv("FAKE_CUDA_IMAGE");
    } else {
      device = std::move(CpuDevice::create(1, target)).value();
    }
    const BoostProgram &descriptor = program->descriptor();
    arenas = std::move(Arenas::reserve(planTraining(descriptor, target),
                                       device->memory()))
                 .value();
    recipe = std::move(parseRecipe(descriptor.recipe_json, name)).value();
    data = std::move(openRunData(*program, recipe,
                                 "digits:train=" + samples + ",test=40"))
               .value();
    execution.emplace(*program, *device, *arenas);
    EXPECT_TRUE(execution->init(kTrainingSeed).ok());
    fake_cuda::forget();
  }

  Training train(int64_t steps, CheckpointPosition start = {}) {
    return boostrt::train(*execution, *arenas, data, {INT64_MAX, steps, {}},
                          /*shuffle=*/true, start);
  }
  std::string bytes(BoostArenaKind kind) {
    EXPECT_TRUE(execution->downloadPersistent().ok());
    return {reinterpret_cast<const char *>(arenas->base(kind)),
            program->descriptor().arena_bytes[kind]};
  }

  std::unique_ptr<Program> program;
  BoostTarget target;
  std::unique_ptr<Device> device;
  std::unique_ptr<Arenas> arenas;
  Recipe recipe;
  RunData data;
  std::optional<Execution> execution;
};

class StepsOnGpu : public testing::Test {
protected:
  ~StepsOnGpu() override {
    unsetenv("FAKE_CUDA_FAILS");
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
  for (BoostArenaKind kind : {BOOST_ARENA_PARAMETER, BOOST_ARENA_STATE})
    EXPECT_TRUE(gpu.bytes(kind) == cpu.bytes(kind));
}

TEST_F(StepsOnGpu, BatchesStayUntilTheyAreCopied) {
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

TEST_F(StepsOnGpu, AStepWaitsOnce) {
  Machine gpu("linear", true, "96"), cpu("linear", false, "96");
  Training first = gpu.train(3); // records the graphs of all batch arenas
  ASSERT_TRUE(first.reason.ok());
  fake_cuda::forget();
  ASSERT_TRUE(gpu.train(12, first.position).reason.ok());
  std::string trace = fake_cuda::trace();
  std::string step = "cuMemcpyHtoDAsync_v2\ncuEventRecord\ncuGraphLaunch\n"
                     "cuGraphLaunch\ncuMemcpyDtoHAsync_v2\n"
                     "cuMemcpyDtoHAsync_v2\ncuMemcpyDtoHAsync_v2\n"
                     "cuStreamSynchronize\n";
  std::string expected;
  for (int i = 0; i < 9; ++i)
    expected += step;
  EXPECT_EQ(trace, expected) << "a batch, its graph, the update's, the results";
  EXPECT_EQ(fake_cuda::waits(trace), 9);

  ASSERT_TRUE(cpu.train(12).reason.ok());
  EXPECT_TRUE(gpu.bytes(BOOST_ARENA_PARAMETER) ==
              cpu.bytes(BOOST_ARENA_PARAMETER));
}

TEST_F(StepsOnGpu, AMicroBatchWaitsForTheCopyOfTheOneBefore) {
  Machine gpu("linear_window", true, "96");
  ASSERT_TRUE(gpu.train(3).reason.ok());
  std::string trace = fake_cuda::trace();
  EXPECT_EQ(fake_cuda::count(trace, "cuEventSynchronize"), 9);
  EXPECT_EQ(fake_cuda::count(trace, "cuStreamSynchronize"), 3);
}

TEST_F(StepsOnGpu, ControlIsCopiedWhenItChanged) {
  Machine gpu("linear", true, "96");
  Execution &execution = *gpu.execution;
  auto copies = [&] {
    fake_cuda::forget();
    EXPECT_TRUE(execution.update(1).ok());
    return fake_cuda::count(fake_cuda::trace(), "cuMemcpyHtoDAsync_v2");
  };
  EXPECT_EQ(copies(), 1) << "the learning rate is new";
  EXPECT_EQ(copies(), 0);
  ASSERT_TRUE(execution.init(kTrainingSeed).ok());
  EXPECT_EQ(copies(), 0);
  ASSERT_TRUE(execution.init(kTrainingSeed + 1).ok());
  EXPECT_EQ(copies(), 0) << "init has copied the seed";
  std::string other = gpu.bytes(BOOST_ARENA_PARAMETER);
  ASSERT_TRUE(execution.init(kTrainingSeed).ok());
  EXPECT_FALSE(gpu.bytes(BOOST_ARENA_PARAMETER) == other);
}

TEST_F(StepsOnGpu, TheSeedIsCopiedWhenInitReturns) {
  Machine gpu("linear", true, "96");
  // An init that fills nothing waits for nothing.
  gpu.target.functions[BOOST_FUNCTION_INIT].entry =
      [](const BoostEnv *, void *const *) -> int32_t { return BOOST_CALL_OK; };
  ASSERT_TRUE(gpu.execution->init(kTrainingSeed + 1).ok());
  std::byte *seed =
      gpu.execution->tensor(gpu.program->descriptor().seed_control);
  std::memset(seed, 0, 8);
  ASSERT_TRUE(gpu.arenas->pull(gpu.arenas->copyOf(BOOST_ARENA_CONTROL)).ok());
  int64_t found = 0;
  std::memcpy(&found, seed, 8);
  EXPECT_EQ(found, static_cast<int64_t>(kTrainingSeed + 1));
}

TEST_F(StepsOnGpu, TheLossOfTheUpdateIsReadOnce) {
  Machine gpu("linear", true, "96"), cpu("linear", false, "96");
  for (Machine *run : {&gpu, &cpu}) {
    std::byte *batch = run->arenas->base(BOOST_ARENA_BATCH);
    std::memset(batch, 0, run->program->descriptor().arena_bytes[4]);
    int32_t valid = 5, label = 3;
    std::memcpy(batch + run->data.layout.validOffset, &valid, 4);
    std::memcpy(batch + *run->data.layout.labelsOffset + 4, &label, 4);
    ASSERT_TRUE(run->execution->micro(batch, 0).ok());
    fake_cuda::forget();
    Result<SumCount> before = run->execution->loss(0);
    EXPECT_EQ(before->sum, 9);
    EXPECT_EQ(before->count, 5);
    EXPECT_EQ(fake_cuda::waits(fake_cuda::trace()), run == &gpu ? 1 : 0);
    ASSERT_TRUE(run->execution->update(1).ok());
    fake_cuda::forget();
    EXPECT_EQ(run->execution->loss(0)->sum, 9);
    EXPECT_EQ(fake_cuda::trace(), "");
    // Another batch, another loss.
    label = 4;
    std::memcpy(batch + *run->data.layout.labelsOffset + 4, &label, 4);
    ASSERT_TRUE(run->execution->micro(batch, 0).ok());
    EXPECT_EQ(run->execution->loss(0)->sum, 16);
  }
}

TEST_F(StepsOnGpu, WeightsOfTheHostMayChangeAfterTheirUpload) {
  Machine gpu("linear", true, "96");
  std::string weights = gpu.bytes(BOOST_ARENA_PARAMETER);
  ASSERT_TRUE(gpu.execution->uploadPersistent().ok());
  std::memset(gpu.arenas->base(BOOST_ARENA_PARAMETER), 0, weights.size());
  EXPECT_TRUE(gpu.bytes(BOOST_ARENA_PARAMETER) == weights);
}

TEST_F(StepsOnGpu, AStepThatIsNotAppliedSaysItsLoss) {
  Machine gpu("linear_explode", true, "96"), cpu("linear_explode", false, "96");
  Training a = gpu.train(2), b = cpu.train(2);
  ASSERT_FALSE(a.reason.ok());
  EXPECT_EQ(a.reason.status().code(), ExitCode::Numerical);
  EXPECT_EQ(a.reason.status().message(), b.reason.status().message());
  EXPECT_THAT(a.reason.status().message(), HasSubstr("not finite (loss "));
  EXPECT_TRUE(gpu.bytes(BOOST_ARENA_PARAMETER) ==
              cpu.bytes(BOOST_ARENA_PARAMETER));
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
      gpu.execution->micro(gpu.arenas->base(BOOST_ARENA_BATCH), 0).ok());
  // Pages that are unlocked before the copy of the batch are found at the end.
  fake_cuda::forget();
  gpu.arenas.reset();
  EXPECT_EQ(
      fake_cuda::trace(), "cuStreamSynchronize\n" + [] {
        std::string unlocked;
        for (int i = 0; i < 6; ++i) // gradients, 3 batches, control, result
          unlocked += "cuMemHostUnregister\n";
        return unlocked;
      }());
}

TEST_F(StepsOnGpu, AStepThatFailsIsTheTrainersFailure) {
  Machine gpu("linear", true, "96");
  for (const char *call : {"cuGraphLaunch", "cuMemcpyDtoHAsync_v2",
                           "cuStreamSynchronize", "cuEventRecord"}) {
    setenv("FAKE_CUDA_FAILS", (std::string(call) + "=700").c_str(), 1);
    Training training = gpu.train(1);
    ASSERT_FALSE(training.reason.ok());
    EXPECT_EQ(training.reason.status().code(), ExitCode::Internal);
    EXPECT_THAT(training.reason.status().message(),
                HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_TRUE(training.steps.empty());
  }
  unsetenv("FAKE_CUDA_FAILS");
}

} // namespace
