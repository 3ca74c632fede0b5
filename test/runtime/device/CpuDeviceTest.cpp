#include "runtime/device/cpu/CpuDevice.h"

#include "runtime/abi/boost_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace boostrt;
using testing::HasSubstr;

namespace {

BoostLibraryCall callWith(uint64_t scratchBytes) {
  return {BOOST_LIBRARY_MATMUL,
          0,
          scratchBytes,
          "model.json:14:5",
          {32, 10, 784, {784, 1}, {1, 784}, 1, BOOST_POST_NONE}};
}

uint64_t scratchOf(const BoostLibraryCall &call) {
  auto context = DnnlContext::create();
  return (*Matmul::create(**context, call.matmul))->scratchBytes();
}

TEST(CpuDevice, TheEnvironmentSaysWhatItIs) {
  auto device = CpuDevice::create(2, {}, "oneDNN");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->env().abi_version, BOOST_ABI_VERSION);
  EXPECT_EQ((*device)->env().threads, 2u);
}

TEST(CpuDevice, FillIsTheDefinitionRoundedToFloat) {
  struct Case {
    uint32_t initializer;
    double a, b;
  };
  for (uint32_t threads : {1u, 2u, 3u}) {
    auto device = CpuDevice::create(threads, {}, "oneDNN");
    ASSERT_TRUE(device.ok());
    const BoostEnv &env = (*device)->env();
    for (Case c : {Case{BOOST_INIT_CONSTANT, 0.1, 0},
                   Case{BOOST_INIT_UNIFORM, -0.3, 0.7},
                   Case{BOOST_INIT_NORMAL, 1, 0.02}})
      for (int64_t elements : {0, 1, 1000, 20001}) {
        std::vector<float> values(elements + 1, 42.0f);
        env.fill(&env, values.data(), elements, c.initializer, c.a, c.b,
                 "fc1.weight", 99);
        for (int64_t i = 0; i < elements; ++i)
          ASSERT_EQ(values[i], static_cast<float>(boost_initial_value(
                                   c.initializer, c.a, c.b, 99,
                                   boost_random_stream("fc1.weight"), i)));
        ASSERT_EQ(values[elements], 42.0f) << "wrote past the end";
      }
  }
}

TEST(CpuDevice, ParallelForRunsTheKernelOverTheWholeExtent) {
  auto device = CpuDevice::create(2, {}, "oneDNN");
  ASSERT_TRUE(device.ok());
  const BoostEnv &env = (*device)->env();
  std::vector<int64_t> squares(1001);
  void *operands[] = {squares.data()};
  env.parallel_for(
      &env,
      [](void *const *operands, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          static_cast<int64_t *>(operands[0])[i] = i * i;
      },
      operands, 1001, 10);
  for (int64_t i = 0; i < 1001; ++i)
    ASSERT_EQ(squares[i], i * i);
}

TEST(CpuDevice, ExecutesThePreparedCall) {
  BoostLibraryCall call = callWith(0);
  auto probe = CpuDevice::create(2, {}, "oneDNN"); // sets the threads
  ASSERT_TRUE(probe.ok());
  call.scratch_bytes = scratchOf(call);
  auto device = CpuDevice::create(2, {&call, 1}, "oneDNN 2.6.3");
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_STRNE((*device)->implementation(0), "");

  std::vector<float> a(32 * 784, 0.5f), b(784 * 10, 2.0f), bias(10, 1.0f);
  std::vector<float> c(320);
  alignas(64) static char scratch[4 << 20];
  ASSERT_LE(call.scratch_bytes, sizeof scratch);
  void *operands[] = {a.data(), b.data(), bias.data(), c.data(), scratch};
  const BoostEnv &env = (*device)->env();
  ASSERT_EQ(env.library_call(&env, 0, operands), BOOST_CALL_OK);
  for (float value : c)
    ASSERT_EQ(value, 785.0f);
  EXPECT_EQ(env.library_call(&env, 1, operands), BOOST_CALL_LIBRARY_FAILED)
      << "there is no such call";
}

TEST(CpuDevice, AnotherScratchSizeThanPlannedIsRefused) {
  auto probe = CpuDevice::create(2, {}, "oneDNN");
  ASSERT_TRUE(probe.ok());
  BoostLibraryCall call = callWith(0);
  uint64_t right = scratchOf(call);
  for (uint64_t wrong : {right + 64, right - 64}) {
    call.scratch_bytes = wrong;
    auto device = CpuDevice::create(2, {&call, 1}, "oneDNN 9.9.9");
    ASSERT_FALSE(device.ok());
    EXPECT_EQ(device.status().code(), ExitCode::Input);
    EXPECT_THAT(device.status().message(),
                testing::AllOf(HasSubstr("model.json:14:5: "),
                               HasSubstr("compiled with oneDNN 9.9.9 and " +
                                         std::to_string(wrong) + " bytes"),
                               HasSubstr("asks for " + std::to_string(right)),
                               HasSubstr("rebuild the program with boostc")));
  }
}

TEST(CpuDevice, ACallTheLibraryRefusesNamesItsPlace) {
  BoostLibraryCall call = callWith(0);
  call.matmul.m = -1;
  auto device = CpuDevice::create(2, {&call, 1}, "oneDNN");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), ExitCode::Input);
  EXPECT_THAT(device.status().message(),
              testing::StartsWith("model.json:14:5: "));
}

} // namespace
