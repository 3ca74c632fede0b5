// CudaDevice over the simulated GPU.
#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/abi/boost_random.h"
#include "sim/SimDriver.h"
#include "test/runtime/device/TestFunctions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

constexpr const char kPtx[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 p)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
  ld.global.f32 %f1, [%rd2];
  mov.f32 %f2, 0f3F800000;
  add.rn.f32 %f1, %f1, %f2;
  st.global.f32 [%rd2], %f1;
  ret;
}
)";
constexpr BoostOperand kOperand = {16, 1, 0, "gradient fc1.bias"};
constexpr BoostModule kModules[] = {
    {BOOSTC_MODULE_PTX, 80, kPtx, sizeof kPtx - 1}, {}};

int entered = 0; ///< how often a function's host code ran

/// Adds 1 to the first 4 elements of PARAMETER, twice.
int32_t addTwice(const BoostEnv *env, void *const *arenas) {
  ++entered;
  void *operands[] = {arenas[BOOSTC_ARENA_PARAMETER]};
  if (int32_t status = env->launch(env, 0, operands))
    return status;
  return env->launch(env, 0, operands);
}

int32_t fillParameter(const BoostEnv *env, void *const *arenas) {
  ++entered;
  env->fill(env, arenas[BOOSTC_ARENA_PARAMETER], 4, BOOSTC_INIT_UNIFORM, -1, 1,
            "w", arenas[BOOSTC_ARENA_CONTROL]);
  return BOOSTC_CALL_OK;
}

class OnSim : public testing::Test {
protected:
  OnSim() {
    entered = 0;
    target.kind = BOOSTC_TARGET_CUDA;
    target.launches = &launch;
    target.launch_count = 1;
    target.modules = kModules;
    functions.giveTo(target);
    functions.set(BOOSTC_FUNCTION_INIT, "init", fillParameter);
    functions.set(BOOSTC_FUNCTION_MICRO, "micro", addTwice);
  }

  Status create() {
    auto driver = sim::SimDriver::create(1);
    if (!driver.ok())
      return driver.status();
    simulated = driver->get();
    auto made = CudaDevice::create(std::move(driver).value(), target, "p.so");
    if (!made.ok())
      return made.status();
    device = std::move(made).value();
    return Status();
  }

  void *allocate(const std::vector<float> &values) {
    auto address = device->allocate(values.size() * 4, "x");
    EXPECT_TRUE(address.ok());
    EXPECT_TRUE(
        device->copyIn(*address, std::as_bytes(std::span(values))).ok());
    return *address;
  }
  std::vector<float> read(void *address, size_t count = 4) {
    std::vector<float> values(count);
    DeviceCopy copy{std::as_writable_bytes(std::span(values)), address};
    EXPECT_TRUE(device->copyOut({&copy, 1}).ok());
    return values;
  }

  BoostLaunch launch = {
      "add_one", "model.json:5:3", "fc1", &kOperand, 1, 1, 4, 0, {}};
  TestFunctions functions;
  BoostTarget target{};
  sim::SimDriver *simulated = nullptr;
  std::unique_ptr<CudaDevice> device;
};

TEST_F(OnSim, FunctionsAreRecordedOnceForEachSetOfArenas) {
  ASSERT_TRUE(create().ok());
  EXPECT_EQ(device->describe(), "the simulated GPU");
  EXPECT_EQ(device->memory(), device.get());
  void *a = allocate({0, 1, 2, 3}), *b = allocate({10, 10, 10, 10});
  void *arenas[BOOSTC_ARENA_COUNT] = {a};
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
    EXPECT_EQ(entered, 1);
  }
  EXPECT_EQ(read(a), (std::vector<float>{6, 7, 8, 9}));
  arenas[BOOSTC_ARENA_PARAMETER] = b;
  ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
  EXPECT_EQ(entered, 2);
  EXPECT_EQ(read(b), (std::vector<float>{12, 12, 12, 12}));
  EXPECT_EQ(read(a), (std::vector<float>{6, 7, 8, 9}));
  arenas[BOOSTC_ARENA_PARAMETER] = a;
  ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
  EXPECT_EQ(entered, 2);
  // 5 calls of 2 launches of 4 lanes, 8 instructions each.
  EXPECT_EQ(simulated->laneInstructions() % (5 * 2 * 4), 0u);
  EXPECT_GE(simulated->laneInstructions(), 5u * 2 * 4 * 7);
}

TEST_F(OnSim, WithARecorderCallsAreMadeOneByOne) {
  ASSERT_TRUE(create().ok());
  EXPECT_FALSE(device->hasTimes());
  void *a = allocate({0, 1, 2, 3});
  void *arenas[BOOSTC_ARENA_COUNT] = {a};
  ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
  EXPECT_EQ(entered, 1);
  SpanRecorder recorder;
  device->setRecorder(&recorder);
  for (int i = 2; i <= 3; ++i) {
    ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
    EXPECT_EQ(entered, i) << "no graph is replayed";
  }
  device->setRecorder(nullptr);
  ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
  EXPECT_EQ(entered, 3) << "the graph from before is";
  EXPECT_EQ(read(a), (std::vector<float>{8, 9, 10, 11}));
  ASSERT_EQ(recorder.spans().size(), 4u);
  for (const Span &span : recorder.spans()) {
    EXPECT_EQ(span.kind, SpanKind::Kernel);
    EXPECT_EQ(span.index, 0);
    EXPECT_EQ(span.seconds(), 0) << "a simulation has no times";
  }
}

/// Adds 1 to PARAMETER, exchanges STATE and PARAMETER, adds 1 to PARAMETER.
int32_t exchangeBetween(const BoostEnv *env, void *const *arenas) {
  ++entered;
  if (int32_t status = env->launch(env, 0, arenas))
    return status;
  void *operands[] = {arenas[BOOSTC_ARENA_STATE],
                      arenas[BOOSTC_ARENA_PARAMETER]};
  if (int32_t status = env->collective(env, 0, operands))
    return status;
  return env->launch(env, 0, arenas);
}

/// Stands for ranks that have the same as this one.
struct Doubling : CollectiveRunner {
  Status run(uint32_t, void *const *operands) override {
    if (fails)
      return Status(ExitCode::RankLost, "rank 1 is lost");
    *static_cast<int64_t *>(operands[0]) *= 2;
    for (int i = 0; i < 4; ++i)
      static_cast<float *>(operands[1])[i] *= 2;
    return Status();
  }
  bool fails = false;
};

// Copies of batches overlap other work; that nothing relies on their running
// at once, as they do here, is checked.
TEST_F(OnSim, BatchesAreReadWhereTheyAreWaitedFor) {
  ASSERT_TRUE(create().ok());
  void *batch = allocate({0, 0, 0, 0});
  std::vector<float> values{1, 2, 3, 4};
  auto copy = [&] {
    return device->copyBatch(batch, std::as_bytes(std::span(values)));
  };
  ASSERT_TRUE(copy().ok());
  // The kernel changes its operand; as the batch arena it is waited for.
  void *arenas[BOOSTC_ARENA_COUNT] = {batch};
  arenas[BOOSTC_ARENA_BATCH] = batch;
  ASSERT_TRUE(device->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
  EXPECT_EQ(read(batch), (std::vector<float>{3, 4, 5, 6}));
  ASSERT_TRUE(copy().ok());
  arenas[BOOSTC_ARENA_BATCH] = nullptr;
  Status status = device->call(BOOSTC_FUNCTION_MICRO, arenas);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "model.json:5:3: reads a batch that it does not "
                              "wait for; please report this");
  EXPECT_EQ(read(batch), values);

  auto address = reinterpret_cast<uint64_t>(batch);
  ASSERT_TRUE(simulated->beginUse(address).ok());
  status = copy();
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(), HasSubstr("before the launches that use it are "
                                          "complete; please report this"));
  ASSERT_TRUE(simulated->endUse(address).ok());
  EXPECT_TRUE(copy().ok());
}

TEST_F(OnSim, CollectivesRunOnTheHostBetweenLaunches) {
  functions.set(BOOSTC_FUNCTION_UPDATE, "update", exchangeBetween);
  const BoostCollectiveOperand exchanged[] = {
      {1, 1, BOOSTC_I64, UINT32_MAX, 0, 0}, {4, 4, BOOSTC_F32, 0, 1, 0}};
  const BoostCollective schedule[] = {{BOOSTC_COLLECTIVE_ALL_REDUCE,
                                       BOOSTC_RANKS_ALL, 0, 2, exchanged,
                                       "model.json:5:3", 0, 0}};
  ASSERT_TRUE(create().ok());
  // An i64 of 2^33 + 1.
  int64_t number = (int64_t{1} << 33) + 1;
  auto count = device->allocate(8, "count");
  ASSERT_TRUE(count.ok());
  ASSERT_TRUE(
      device->copyIn(*count, std::as_bytes(std::span(&number, 1))).ok());
  void *weights = allocate({0, 1, 2, 3});
  void *arenas[BOOSTC_ARENA_COUNT] = {weights, *count};
  // With one rank it is a graph as any function.
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(device->call(BOOSTC_FUNCTION_UPDATE, arenas).ok());
  EXPECT_EQ(entered, 1);
  EXPECT_EQ(read(weights), (std::vector<float>{4, 5, 6, 7}));
  Doubling ranks;
  device->setCollectives(&ranks, schedule);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(device->call(BOOSTC_FUNCTION_UPDATE, arenas).ok());
  EXPECT_EQ(entered, 3);
  EXPECT_EQ(read(weights), (std::vector<float>{25, 29, 33, 37}))
      << "4 -> 5 -> 10 -> 11 -> 12 -> 24 -> 25";
  int64_t sum = 0;
  DeviceCopy copy{std::as_writable_bytes(std::span(&sum, 1)), *count};
  ASSERT_TRUE(device->copyOut({&copy, 1}).ok());
  EXPECT_EQ(sum, 4 * number);
  ranks.fails = true;
  Status status = device->call(BOOSTC_FUNCTION_UPDATE, arenas);
  EXPECT_EQ(status.code(), ExitCode::RankLost);
  EXPECT_EQ(status.message(), "rank 1 is lost");
  // What the program does not describe is not a collective.
  device->setCollectives(&ranks, {schedule, 1});
  functions[BOOSTC_FUNCTION_UPDATE].entry = [](const BoostEnv *env,
                                               void *const *operands) {
    return env->collective(env, 1, operands);
  };
  EXPECT_EQ(device->call(BOOSTC_FUNCTION_UPDATE, arenas).message(),
            "function update failed with status 3; please report this");
}

TEST_F(OnSim, InitFillsFromTheSeedInControl) {
  ASSERT_TRUE(create().ok());
  void *weights = allocate({0, 0, 0, 0, 42});
  auto control = device->allocate(64, "control");
  ASSERT_TRUE(control.ok());
  void *arenas[BOOSTC_ARENA_COUNT] = {weights};
  arenas[BOOSTC_ARENA_CONTROL] = *control;
  // Not recorded: every call sees the seed of its time.
  for (uint64_t seed : {99u, 7u}) {
    ASSERT_TRUE(
        device->copyIn(*control, std::as_bytes(std::span(&seed, 1))).ok());
    ASSERT_TRUE(device->call(BOOSTC_FUNCTION_INIT, arenas).ok());
    std::vector<float> values = read(weights, 5);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(values[i], static_cast<float>(boost_initial_value(
                               BOOSTC_INIT_UNIFORM, -1, 1, seed,
                               boost_random_stream("w"), i)));
    EXPECT_EQ(values[4], 42) << "wrote past the end";
  }
  EXPECT_EQ(entered, 2);
}

TEST_F(OnSim, AFillThatCannotBeIsTheFunctionsFailure) {
  ASSERT_TRUE(create().ok());
  void *arenas[BOOSTC_ARENA_COUNT] = {allocate({0, 0, 0, 0})};
  Status status = device->call(BOOSTC_FUNCTION_INIT, arenas); // no CONTROL
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(), HasSubstr("sim: cannot copy out 8 bytes"));
}

TEST_F(OnSim, AFaultIsTheReportOfTheSimulatedGpu) {
  launch.threads = 5;
  ASSERT_TRUE(create().ok());
  void *arenas[BOOSTC_ARENA_COUNT] = {allocate({0, 0, 0, 0, 0})};
  Status status = device->call(BOOSTC_FUNCTION_MICRO, arenas);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(),
              testing::AllOf(HasSubstr("sim: out-of-bounds access in kernel "
                                       "'add_one' (fc1, model.json:5:3)"),
                             HasSubstr("thread (4,0,0), 4 bytes at"),
                             HasSubstr("'gradient fc1.bias'")));
}

TEST_F(OnSim, AnOperandThatIsOnlyReadMayNotBeWritten) {
  const BoostOperand onlyRead = {16, 0, 0, "gradient fc1.bias"};
  launch.operands = &onlyRead;
  ASSERT_TRUE(create().ok());
  void *arenas[BOOSTC_ARENA_COUNT] = {allocate({0, 0, 0, 0})};
  Status status = device->call(BOOSTC_FUNCTION_MICRO, arenas);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(), HasSubstr("sim: write to a read-only"));
}

TEST_F(OnSim, WhatAFunctionReturnsIsItsFailure) {
  functions[BOOSTC_FUNCTION_MICRO].entry = [](const BoostEnv *env,
                                              void *const *arenas) {
    return env->launch(env, 1, arenas);
  };
  functions.set(BOOSTC_FUNCTION_EVAL, "eval",
                [](const BoostEnv *env, void *const *arenas) {
                  return env->library_call(env, 0, arenas);
                });
  ASSERT_TRUE(create().ok());
  void *arenas[BOOSTC_ARENA_COUNT] = {};
  // The second time is not a replay of what was never recorded.
  for (int i = 0; i < 2; ++i) {
    Status status = device->call(BOOSTC_FUNCTION_MICRO, arenas);
    EXPECT_EQ(status.code(), ExitCode::Internal);
    EXPECT_EQ(status.message(),
              "function micro failed with status 2; please report this");
    EXPECT_EQ(device->call(BOOSTC_FUNCTION_EVAL, arenas).message(),
              "function eval failed with status 1; please report this");
  }
}

TEST_F(OnSim, ProgramsThatDoNotFitTheDevice) {
  launch.kernel = "other";
  Status status = create();
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_EQ(status.message(),
            "p.so: kernels.ptx: the program launches kernel 'other', which its "
            "modules lack; build it again with boostc");
  const BoostModule cubin[] = {{BOOSTC_MODULE_CUBIN, 80, "x", 1}, {}};
  target.modules = cubin;
  status = create();
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_EQ(status.message(), "'p.so' has no PTX, which the simulated GPU "
                              "runs; build it again with boostc");
  const BoostModule damaged[] = {{BOOSTC_MODULE_PTX, 80, "damaged", 7}, {}};
  target.modules = damaged;
  status = create();
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_THAT(status.message(),
              testing::StartsWith("p.so: kernels.ptx:1: error: "));
}

} // namespace
