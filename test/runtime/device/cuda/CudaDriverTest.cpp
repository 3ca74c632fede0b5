// CudaDriver over a driver library of our own, which needs no GPU.
#include "runtime/device/cuda/CudaDriver.h"

#include "runtime/abi/boost_random.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "test/runtime/device/TestFunctions.h"
#include "test/runtime/device/cuda/FakeDriver.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace boostrt;

namespace {

TEST(CudaDriver, AMachineWithoutADriver) {
  auto driver = CudaDriver::create("libno-such-cuda.so.1");
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.status().code(), ExitCode::Usage);
  EXPECT_EQ(driver.status().message(),
            "no GPU can be used: libno-such-cuda.so.1, NVIDIA's driver, is not "
            "installed");
  if (void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    dlclose(library);
    GTEST_SKIP() << "this machine has one";
  }
  EXPECT_EQ(CudaDriver::create().status().message(),
            "no GPU can be used: libcuda.so.1, NVIDIA's driver, is not "
            "installed");
}

TEST(CudaDriver, ALibraryThatLacksWhatIsUsed) {
  auto driver = CudaDriver::create("libc.so.6");
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.status().message(),
            "no GPU can be used: libc.so.6, NVIDIA's driver, has no function "
            "cuInit; install a newer one");
}

TEST_F(FakeDriver, SaysWhatTheDeviceIs) {
  create();
  EXPECT_EQ(driver->name(), "NVIDIA Fake");
  EXPECT_EQ(driver->architecture(), 86u);
  driver.reset();
  set("FAKE_CUDA_NAME", "Tesla Fake");
  create();
  EXPECT_EQ(driver->name(), "NVIDIA Tesla Fake");
}

TEST_F(FakeDriver, AMachineWithoutAGpu) {
  set("FAKE_CUDA_FAILS", "cuInit=100");
  expectUnusable("NVIDIA's driver finds no GPU (CUDA_ERROR_NO_DEVICE)");
  set("FAKE_CUDA_FAILS", "");
  set("FAKE_CUDA_DEVICES", "0");
  expectUnusable("NVIDIA's driver finds no GPU");
}

TEST_F(FakeDriver, AGpuThatIsTooOld) {
  set("FAKE_CUDA_CAPABILITY", "75");
  expectUnusable("NVIDIA Fake has compute capability 7.5, and programs need "
                 "8.0 or newer");
}

TEST_F(FakeDriver, EveryCallOfTheBeginThatFailsIsNamed) {
  for (const char *call :
       {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet",
        "cuDeviceGetPCIBusId", "cuDeviceGetName", "cuDeviceGetAttribute",
        "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuStreamCreate",
        "cuEventCreate"}) {
    set("FAKE_CUDA_FAILS", std::string(call) + "=2");
    expectUnusable(std::string(call) +
                   " failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  }
  set("FAKE_CUDA_FAILS", "cuInit=12345");
  expectUnusable("cuInit failed: CUDA error 12345 (which this driver does not "
                 "know)");
}

TEST_F(FakeDriver, TakesTheBestImage) {
  const BoostModule ptx80{BOOSTC_MODULE_PTX, 80, "ptx80", 5},
      ptx90{BOOSTC_MODULE_PTX, 90, "ptx90", 5},
      sm80{BOOSTC_MODULE_CUBIN, 80, "sm80", 4},
      sm86{BOOSTC_MODULE_CUBIN, 86, "sm86", 4},
      sm89{BOOSTC_MODULE_CUBIN, 89, "sm89", 4},
      sm90{BOOSTC_MODULE_CUBIN, 90, "sm90", 4};
  struct Case {
    const char *architecture;
    std::vector<BoostModule> modules;
    const char *taken;
  };
  for (const Case &c : {Case{"86", {ptx80, sm80, sm86, sm89, sm90}, "sm86"},
                        Case{"87", {ptx80, sm86, sm80, sm89, sm90}, "sm86"},
                        Case{"80", {ptx80, sm80, sm86, sm90}, "sm80"},
                        Case{"90", {ptx80, sm80, sm86, sm90}, "sm90"},
                        Case{"90", {ptx80, sm80, sm86}, "ptx80"},
                        Case{"90", {ptx80, ptx90}, "ptx90"},
                        Case{"86", {ptx80, ptx90, sm89}, "ptx80"}}) {
    SCOPED_TRACE(c.taken);
    set("FAKE_CUDA_CAPABILITY", c.architecture);
    set("FAKE_CUDA_IMAGE", c.taken);
    create();
    std::vector<BoostModule> table = c.modules;
    table.push_back({});
    Status status = driver->load(table.data(), "p.so");
    EXPECT_TRUE(status.ok()) << status.message();
    driver.reset();
  }
}

TEST_F(FakeDriver, CompilesPtxWhereItTakesNoMachineCode) {
  create();
  set("FAKE_CUDA_IMAGE", "ptx80");
  const BoostModule parts[] = {{BOOSTC_MODULE_PTX, 80, "ptx80", 5},
                               {BOOSTC_MODULE_CUBIN, 86, "sm86:call", 9},
                               {BOOSTC_MODULE_CUBIN, 86, "sm86:add_one", 12},
                               {}};
  Status status = driver->load(parts, "p.so");
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(driver->findKernel("add_one").ok());
}

TEST_F(FakeDriver, CubinsOfAnArchitectureShareTheKernels) {
  create();
  set("FAKE_CUDA_IMAGE", "sm86");
  const BoostModule parts[] = {{BOOSTC_MODULE_PTX, 80, "ptx80", 5},
                               {BOOSTC_MODULE_CUBIN, 80, "sm80", 4},
                               {BOOSTC_MODULE_CUBIN, 86, "sm86:call", 9},
                               {BOOSTC_MODULE_CUBIN, 86, "sm86:add_one", 12},
                               {BOOSTC_MODULE_CUBIN, 90, "sm90", 4},
                               {}};
  ASSERT_TRUE(driver->load(parts, "p.so").ok());
  EXPECT_TRUE(driver->findKernel("add_one").ok());
  EXPECT_TRUE(driver->findKernel("call").ok());
  expectNoKernel("other");
  // What was loaded before is not searched.
  const BoostModule one[] = {{BOOSTC_MODULE_CUBIN, 86, "sm86:call", 9}, {}};
  ASSERT_TRUE(driver->load(one, "p.so").ok());
  expectNoKernel("add_one");
}

TEST_F(FakeDriver, ImagesThatCannotBeLoaded) {
  create();
  const BoostModule none[] = {{BOOSTC_MODULE_CUBIN, 90, "sm90", 4}, {}};
  expectStatus(driver->load(none, "p.so"), ExitCode::Input,
               "'p.so' has no code for NVIDIA Fake, which is sm_86; build it "
               "again with boostc");
  expectStatus(driver->load(modules, "p.so"), ExitCode::Input,
               "'p.so': the driver, which serves CUDA 12.4, does not compile "
               "its PTX for NVIDIA Fake: cuModuleLoadDataEx failed: "
               "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): line 3: "
               "no such opcode; a newer driver may, or build it again with "
               "boostc");
  const BoostModule cubin[] = {{BOOSTC_MODULE_CUBIN, 80, "sm80", 4}, {}};
  expectStatus(driver->load(cubin, "p.so"), ExitCode::Input,
               "'p.so': the driver does not take its machine code for sm_80: "
               "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (a PTX JIT "
               "compilation failed); build it again with boostc");
}

TEST_F(FakeDriver, LaunchesRunInOrderAndGraphsWhenTheyAreLaunched) {
  load();
  Result<uint32_t> kernel = driver->findKernel("add_one");
  ASSERT_TRUE(kernel.ok());
  Result<uint64_t> one = driver->allocate(4, "one"),
                   two = driver->allocate(4, "two");
  ASSERT_TRUE(one.ok() && two.ok());
  auto write = [&](uint64_t to, float value) {
    EXPECT_TRUE(driver->copyIn(to, std::as_bytes(std::span(&value, 1))).ok());
    EXPECT_TRUE(driver->finishCopies().ok());
  };
  auto read = [&](uint64_t from) {
    float value = -1;
    EXPECT_TRUE(
        this->read(std::as_writable_bytes(std::span(&value, 1)), from).ok());
    return value;
  };
  auto launch = [&](uint64_t on) {
    uint64_t addresses[] = {0, on};
    EXPECT_TRUE(driver->launch(*kernel, addOne, addresses).ok());
  };
  write(*one, 10);
  write(*two, 20);
  launch(*one);
  EXPECT_EQ(read(*one), 11);

  ASSERT_TRUE(driver->beginCapture().ok());
  launch(*one);
  launch(*two);
  launch(*two);
  Result<uint32_t> graph = driver->endCapture();
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(read(*one), 11) << "it ran while it was recorded";
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(driver->launchGraph(*graph).ok());
  EXPECT_EQ(read(*one), 13);
  EXPECT_EQ(read(*two), 24);
}

TEST_F(FakeDriver, StampsAreTimesOfTheDevice) {
  load();
  Result<uint32_t> kernel = driver->findKernel("add_one");
  Result<uint64_t> at = driver->allocate(4, "x");
  ASSERT_TRUE(kernel.ok() && at.ok());
  uint64_t addresses[] = {0, *at};
  for (uint32_t stamp = 0; stamp < 3; ++stamp) {
    ASSERT_TRUE(driver->stamp(stamp).ok());
    ASSERT_TRUE(driver->launch(*kernel, addOne, addresses).ok());
  }
  Result<double> one = driver->secondsBetween(0, 1),
                 both = driver->secondsBetween(0, 2);
  ASSERT_TRUE(one.ok() && both.ok());
  EXPECT_GE(*one, 0);
  EXPECT_GE(*both, *one);
  EXPECT_TRUE(driver->hasTimes());
  // Each stamp is taken again.
  ASSERT_TRUE(driver->stamp(1).ok());
  Result<double> later = driver->secondsBetween(0, 1);
  ASSERT_TRUE(later.ok());
  EXPECT_GE(*later, *both);
  std::string text = failing("cuEventRecord", "cuEventRecord");
  expectStatus(driver->stamp(0), ExitCode::Internal, text);
  text = failing("cuEventElapsedTime", "cuEventElapsedTime");
  expectStatus(driver->secondsBetween(0, 1).status(), ExitCode::Internal, text);
  text = failing("cuEventSynchronize", "cuEventSynchronize");
  expectStatus(driver->secondsBetween(0, 1).status(), ExitCode::Internal, text);
}

TEST_F(FakeDriver, RanksTakeGpusOfTheirOwn) {
  auto bus = [](GpuChoice choice) {
    auto made = CudaDriver::create(BOOSTC_FAKE_CUDA,
                                   cuda::SearchContext::current(), choice);
    return made.ok() ? (*made)->busAddress() : made.status().message();
  };
  // What a launcher shows alone is meant.
  EXPECT_EQ(bus({5, /*wraps=*/false}), "0000:07:00.0");
  set("FAKE_CUDA_DEVICES", "4");
  EXPECT_EQ(bus({0}), "0000:07:00.0");
  EXPECT_EQ(bus({3}), "0000:0A:00.0");
  EXPECT_EQ(bus({5}), "0000:08:00.0");
  EXPECT_EQ(bus({3, /*wraps=*/false}), "0000:0A:00.0");
  EXPECT_EQ(bus({4, /*wraps=*/false}),
            "no GPU can be used: this rank is to take GPU 4, and NVIDIA's "
            "driver shows GPUs 0 to 3; correct the rank table or "
            "CUDA_VISIBLE_DEVICES");
}

// The stream tells when all is done, and waits for nothing.
TEST_F(FakeDriver, TheStreamIsSharedWithLibraries) {
  load();
  Result<uint64_t> one = driver->allocate(4, "one"),
                   two = driver->allocate(4, "two");
  ASSERT_TRUE(one.ok() && two.ok());
  float value = 3;
  ASSERT_TRUE(driver->copyIn(*one, std::as_bytes(std::span(&value, 1))).ok());
  ASSERT_TRUE(driver->copy(*two, *one, 4).ok());
  GpuStream *stream = driver->stream();
  ASSERT_NE(stream, nullptr);
  EXPECT_NE(stream->handle(), nullptr);
  fake_cuda::forget();
  int asked = 0;
  for (Result<bool> idle = false; !*idle; ++asked) {
    idle = stream->isIdle();
    ASSERT_TRUE(idle.ok()) << idle.status().message();
  }
  EXPECT_GT(asked, 2);
  EXPECT_EQ(fake_cuda::waits(fake_cuda::trace()), 0);
  EXPECT_EQ(*reinterpret_cast<float *>(*two), 3);
  set("FAKE_CUDA_FAILS", "cuStreamQuery=700");
  EXPECT_EQ(stream->isIdle().status().message(),
            "cuStreamQuery failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
            "memory access was encountered)");
}

TEST_F(FakeDriver, WhatAFillCopiesOutlivesTheCopy) {
  create();
  set("FAKE_CUDA_IMAGE", "ptx80");
  BoostTarget target{};
  target.modules = modules;
  TestFunctions functions;
  functions.giveTo(target);
  functions.set(
      BOOSTC_FUNCTION_INIT, "init",
      [](const BoostEnv *env, void *const *arenas) -> int32_t {
        auto *weights = static_cast<float *>(arenas[BOOSTC_ARENA_PARAMETER]);
        for (int i : {0, 1})
          env->fill(env, weights + 300 * i, 300, BOOSTC_INIT_UNIFORM, -1, 1,
                    i == 0 ? "w" : "v", arenas[BOOSTC_ARENA_CONTROL]);
        return BOOSTC_CALL_OK;
      });
  auto device = CudaDevice::create(std::move(driver), target, "p.so");
  ASSERT_TRUE(device.ok());
  void *arenas[BOOSTC_ARENA_COUNT] = {};
  arenas[BOOSTC_ARENA_PARAMETER] = *(*device)->allocate(2400, "weights");
  arenas[BOOSTC_ARENA_CONTROL] = *(*device)->allocate(8, "seed");
  uint64_t seed = 11;
  ASSERT_TRUE((*device)
                  ->copyIn(arenas[BOOSTC_ARENA_CONTROL],
                           std::as_bytes(std::span(&seed, 1)))
                  .ok());
  ASSERT_TRUE((*device)->call(BOOSTC_FUNCTION_INIT, arenas).ok());
  const auto *weights =
      static_cast<const float *>(arenas[BOOSTC_ARENA_PARAMETER]);
  for (int i = 0; i < 600; ++i)
    ASSERT_EQ(weights[i],
              static_cast<float>(boost_initial_value(
                  BOOSTC_INIT_UNIFORM, -1, 1, seed,
                  boost_random_stream(i < 300 ? "w" : "v"), i % 300)))
        << i;
}

TEST_F(FakeDriver, EveryCallThatFailsIsNamed) {
  load();
  expectNoKernel("other");
  ASSERT_TRUE(driver->findKernel("add_one").ok());
  Result<uint64_t> at = driver->allocate(4, "x");
  ASSERT_TRUE(at.ok());
  set("FAKE_CUDA_FAILS", "cuMemAlloc_v2=2");
  expectStatus(driver->allocate(1 << 20, "arena STATE (0)").status(),
               ExitCode::Memory,
               "cannot reserve 1048576 bytes for arena STATE (0) on NVIDIA "
               "Fake: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
               "memory); use a smaller batch_size or a GPU with more memory");
  uint64_t addresses[] = {0, *at};
  std::string text = failing("cuLaunchKernel", "cuLaunchKernel");
  expectStatus(driver->launch(0, addOne, addresses), ExitCode::Internal,
               "model.json:5:3: kernel 'add_one': " + text);
  text = failing("cuStreamBeginCapture", "cuStreamBeginCapture_v2");
  expectStatus(driver->beginCapture(), ExitCode::Internal, text);
  set("FAKE_CUDA_FAILS", "");
  ASSERT_TRUE(driver->beginCapture().ok());
  text = failing("cuStreamEndCapture", "cuStreamEndCapture");
  expectStatus(driver->endCapture().status(), ExitCode::Internal, text);
  text = failing("cuGraphInstantiate", "cuGraphInstantiateWithFlags");
  expectStatus(driver->endCapture().status(), ExitCode::Internal, text);
  set("FAKE_CUDA_FAILS", "");
  ASSERT_TRUE(driver->beginCapture().ok());
  Result<uint32_t> graph = driver->endCapture();
  ASSERT_TRUE(graph.ok());
  text = failing("cuGraphLaunch", "cuGraphLaunch");
  expectStatus(driver->launchGraph(*graph), ExitCode::Internal, text);
}

} // namespace
