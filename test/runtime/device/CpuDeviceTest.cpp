#include "runtime/device/cpu/CpuDevice.h"

#include "runtime/abi/boost_random.h"
#include "runtime/device/cpu/Matmul.h"
#include "test/runtime/device/MatmulCall.h"
#include "test/runtime/device/Requirements.h"
#include "test/runtime/device/TestFunctions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace boostrt;
using testing::HasSubstr;

namespace {

BoostLibraryCall callWith(uint64_t scratchBytes) {
  return matmulCall({32, 10, 784, {784, 1}, {1, 784}, 1, 0}, scratchBytes,
                    "model.json:14:5");
}

uint64_t scratchOf(const BoostLibraryCall &call) {
  auto context = DnnlContext::create();
  return (*Matmul::create(**context, call.matmul))->scratchBytes();
}

/// What the target of a program without library calls is.
BoostTarget emptyTarget() {
  BoostTarget target{};
  target.kind = BOOSTC_TARGET_CPU;
  target.requirements = getRequirements();
  target.library_version = "oneDNN";
  return target;
}

BoostTarget targetWith(const BoostLibraryCall &call, const char *version) {
  BoostTarget target = emptyTarget();
  target.library_version = version;
  target.library_calls = &call;
  target.library_call_count = 1;
  return target;
}

TEST(CpuDevice, TheEnvironmentSaysWhatItIs) {
  BoostTarget empty = emptyTarget();
  auto device = CpuDevice::create(2, empty);
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->env().abi_version, BOOSTC_ABI_VERSION);
  EXPECT_EQ((*device)->env().threads, 2u);
  EXPECT_EQ((*device)->describe(), "cpu with 2 threads");
  EXPECT_EQ((*device)->memory(), nullptr);
  void *operands[] = {nullptr};
  EXPECT_EQ((*device)->env().launch(&(*device)->env(), 0, operands),
            BOOSTC_CALL_LAUNCH_FAILED)
      << "a CPU launches nothing";
}

TEST(CpuDevice, ACpuThatLacksWhatTheTargetRequiresIsRefused) {
  BoostTarget target = emptyTarget();
  target.requirements = "sse2,quantum";
  auto device = CpuDevice::create(2, target);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), ExitCode::Input);
  EXPECT_THAT(device.status().message(), HasSubstr("quantum"));
}

TEST(CpuDevice, AFunctionsFailureSaysWhatFailed) {
  BoostTarget target = emptyTarget();
  TestFunctions functions;
  functions.giveTo(target);
  auto fail = [](const BoostEnv *, void *const *arenas) -> int32_t {
    return *static_cast<const int32_t *>(arenas[0]);
  };
  functions.set(BOOSTC_FUNCTION_MICRO, "micro", fail);
  auto device = CpuDevice::create(1, target);
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->describe(), "cpu with 1 thread");
  int32_t code = BOOSTC_CALL_OK;
  void *arenas[BOOSTC_ARENA_COUNT] = {&code};
  EXPECT_TRUE((*device)->call(BOOSTC_FUNCTION_MICRO, arenas).ok());
  code = BOOSTC_CALL_LIBRARY_FAILED;
  Status status = (*device)->call(BOOSTC_FUNCTION_MICRO, arenas);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "function micro failed: a library refused a "
                              "prepared call; please report this");
  code = 17;
  EXPECT_EQ((*device)->call(BOOSTC_FUNCTION_MICRO, arenas).message(),
            "function micro failed with status 17; please report this");
}

/// Stands for the other ranks: as many more as doubling makes, or a failure.
struct Doubling : CollectiveRunner {
  Status run(uint32_t index, void *const *operands) override {
    calls.push_back(index);
    if (index == 1)
      return Status(ExitCode::RankLost, "rank 1 is lost");
    *static_cast<float *>(operands[0]) *= 2;
    return Status();
  }
  std::vector<uint32_t> calls;
};

TEST(CpuDevice, CollectivesAreForTheirRunner) {
  BoostTarget target = emptyTarget();
  TestFunctions functions;
  functions.giveTo(target);
  functions.set(BOOSTC_FUNCTION_UPDATE, "update",
                [](const BoostEnv *env, void *const *arenas) -> int32_t {
                  uint32_t index = *static_cast<const uint32_t *>(arenas[1]);
                  return env->collective(env, index, arenas);
                });
  auto device = CpuDevice::create(1, target);
  ASSERT_TRUE(device.ok());
  float value = 3;
  uint32_t index = 0;
  void *arenas[BOOSTC_ARENA_COUNT] = {&value, &index};
  EXPECT_TRUE((*device)->call(BOOSTC_FUNCTION_UPDATE, arenas).ok());
  EXPECT_EQ(value, 3) << "of one rank";
  Doubling ranks;
  (*device)->setCollectives(&ranks, {});
  EXPECT_TRUE((*device)->call(BOOSTC_FUNCTION_UPDATE, arenas).ok());
  EXPECT_EQ(value, 6);
  index = 1;
  Status status = (*device)->call(BOOSTC_FUNCTION_UPDATE, arenas);
  EXPECT_EQ(status.code(), ExitCode::RankLost);
  EXPECT_EQ(status.message(), "rank 1 is lost");
  index = 0;
  EXPECT_TRUE((*device)->call(BOOSTC_FUNCTION_UPDATE, arenas).ok())
      << "a failure is over when the next call begins";
  EXPECT_EQ(ranks.calls, (std::vector<uint32_t>{0, 1, 0}));
  (*device)->setCollectives(nullptr, {});
  EXPECT_TRUE((*device)->call(BOOSTC_FUNCTION_UPDATE, arenas).ok());
  EXPECT_EQ(value, 12);
}

TEST(CpuDevice, FillIsTheDefinitionRoundedToFloat) {
  struct Case {
    uint32_t initializer;
    double a, b;
  };
  const uint64_t seed = 99;
  for (uint32_t threads : {1u, 2u, 3u}) {
    BoostTarget empty = emptyTarget();
    auto device = CpuDevice::create(threads, empty);
    ASSERT_TRUE(device.ok());
    const BoostEnv &env = (*device)->env();
    for (Case c : {Case{BOOSTC_INIT_CONSTANT, 0.1, 0},
                   Case{BOOSTC_INIT_UNIFORM, -0.3, 0.7},
                   Case{BOOSTC_INIT_NORMAL, 1, 0.02}})
      for (int64_t elements : {0, 1, 1000, 20001}) {
        std::vector<float> values(elements + 1, 42.0f);
        env.fill(&env, values.data(), elements, c.initializer, c.a, c.b,
                 "fc1.weight", &seed);
        for (int64_t i = 0; i < elements; ++i)
          ASSERT_EQ(values[i], static_cast<float>(boost_initial_value(
                                   c.initializer, c.a, c.b, seed,
                                   boost_random_stream("fc1.weight"), i)));
        ASSERT_EQ(values[elements], 42.0f) << "wrote past the end";
      }
  }
}

TEST(CpuDevice, ParallelForRunsTheKernelOverTheWholeExtent) {
  BoostTarget empty = emptyTarget();
  auto device = CpuDevice::create(2, empty);
  ASSERT_TRUE(device.ok());
  const BoostEnv &env = (*device)->env();
  std::vector<int64_t> squares(1001);
  void *operands[] = {squares.data()};
  env.parallel_for(
      &env, 0,
      [](void *const *operands, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          static_cast<int64_t *>(operands[0])[i] = i * i;
      },
      operands, 1001, 10);
  for (int64_t i = 0; i < 1001; ++i)
    ASSERT_EQ(squares[i], i * i);
}

TEST(CpuDevice, CallsAreTimedWhileThereIsARecorder) {
  BoostTarget target = emptyTarget();
  auto device = CpuDevice::create(2, target);
  ASSERT_TRUE(device.ok());
  const BoostEnv &env = (*device)->env();
  std::vector<int> counts(100);
  void *operands[] = {counts.data()};
  auto run = [&](uint32_t index) {
    env.parallel_for(
        &env, index,
        [](void *const *operands, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            ++static_cast<int *>(operands[0])[i];
        },
        operands, 100, 1);
  };
  run(1);
  SpanRecorder recorder;
  Clock::time_point before = Clock::now();
  (*device)->setRecorder(&recorder);
  run(7);
  EXPECT_EQ(env.library_call(&env, 3, operands), BOOSTC_CALL_LIBRARY_FAILED);
  // One rank exchanges nothing.
  EXPECT_EQ(env.collective(&env, 0, operands), BOOSTC_CALL_OK);
  run(8);
  (*device)->setRecorder(nullptr);
  Clock::time_point after = Clock::now();
  run(2);
  EXPECT_EQ(counts, std::vector<int>(100, 4));
  std::span<const Span> spans = recorder.spans();
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].index, 7);
  EXPECT_EQ(spans[0].kind, SpanKind::Kernel);
  EXPECT_EQ(spans[1].index, 3);
  EXPECT_EQ(spans[1].kind, SpanKind::Library);
  EXPECT_EQ(spans[2].index, 8);
  for (const Span &span : spans) {
    EXPECT_LE(before, span.begin);
    EXPECT_LE(span.begin, span.end);
    EXPECT_LE(span.end, after);
    before = span.end;
  }
}

TEST(CpuDevice, ExecutesThePreparedCall) {
  BoostLibraryCall call = callWith(0);
  BoostTarget empty = emptyTarget(); // sets the threads
  auto probe = CpuDevice::create(2, empty);
  ASSERT_TRUE(probe.ok());
  call.scratch_bytes = scratchOf(call);
  BoostTarget target = targetWith(call, "oneDNN 2.6.3");
  auto device = CpuDevice::create(2, target);
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_STRNE((*device)->implementation(0), "");

  std::vector<float> a(32 * 784, 0.5f), b(784 * 10, 2.0f), bias(10, 1.0f);
  std::vector<float> c(320);
  alignas(64) static char scratch[4 << 20];
  ASSERT_LE(call.scratch_bytes, sizeof scratch);
  void *operands[] = {a.data(), b.data(), bias.data(), c.data(), scratch};
  const BoostEnv &env = (*device)->env();
  ASSERT_EQ(env.library_call(&env, 0, operands), BOOSTC_CALL_OK);
  for (float value : c)
    ASSERT_EQ(value, 785.0f);
  EXPECT_EQ(env.library_call(&env, 1, operands), BOOSTC_CALL_LIBRARY_FAILED)
      << "there is no such call";
}

// As with fewer threads than the program was planned for. (BoostRunTest.cpp has
// a program that plans too little.)
TEST(CpuDevice, LessScratchThanPlannedWillDo) {
  BoostTarget empty = emptyTarget();
  auto probe = CpuDevice::create(2, empty);
  ASSERT_TRUE(probe.ok());
  BoostLibraryCall call = callWith(0);
  call.scratch_bytes = scratchOf(call) + 64;
  BoostTarget target = targetWith(call, "oneDNN 9.9.9");
  EXPECT_TRUE(CpuDevice::create(2, target).ok());
}

TEST(CpuDevice, ACallOfAKindWithoutALibraryIsRefused) {
  BoostLibraryCall call = callWith(0);
  call.kind = BOOSTC_LIBRARY_CONVOLUTION;
  BoostTarget target = targetWith(call, "oneDNN");
  auto device = CpuDevice::create(2, target);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), ExitCode::Input);
  EXPECT_EQ(device.status().message(),
            "model.json:14:5: no library of a CPU computes a 'convolution'; "
            "rebuild the program with the boostc of this boost-run");
}

TEST(CpuDevice, AnInverseOfNothingIsRefused) {
  BoostLibraryCall call = callWith(0);
  call.kind = BOOSTC_LIBRARY_DAMPED_INVERSE;
  call.damped_inverse = {-1, 640};
  BoostTarget target = targetWith(call, "oneDNN");
  auto device = CpuDevice::create(2, target);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), ExitCode::Input);
  EXPECT_EQ(
      device.status().message(),
      "model.json:14:5: expected matrices to invert, found -1 of 640 rows");
}

TEST(CpuDevice, ACallTheLibraryRefusesNamesItsPlace) {
  BoostLibraryCall call = callWith(0);
  call.matmul.m = -1;
  BoostTarget target = targetWith(call, "oneDNN");
  auto device = CpuDevice::create(2, target);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), ExitCode::Input);
  EXPECT_THAT(device.status().message(),
              testing::StartsWith("model.json:14:5: "));
}

} // namespace
