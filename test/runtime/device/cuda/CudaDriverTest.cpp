// CudaDriver over a driver library of our own, which needs no GPU.
#include "runtime/device/cuda/CudaDriver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

int liveObjects() {
  void *library = dlopen(BOOST_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  auto count =
      reinterpret_cast<int (*)()>(dlsym(library, "fakeCudaLiveObjects"));
  int live = count();
  dlclose(library);
  return live;
}

class FakeDriver : public testing::Test {
protected:
  ~FakeDriver() override {
    driver.reset();
    for (const char *name : names_)
      unsetenv(name);
    EXPECT_EQ(liveObjects(), 0) << "something was not freed";
  }
  void set(const char *name, const std::string &value) {
    setenv(name, value.c_str(), 1);
    names_.push_back(name);
  }
  void create() {
    auto made = CudaDriver::create(BOOST_FAKE_CUDA);
    ASSERT_TRUE(made.ok()) << made.status().message();
    driver = std::move(made).value();
  }
  void load() {
    create();
    set("FAKE_CUDA_IMAGE", "ptx80");
    ASSERT_TRUE(driver->load(images, "p.so").ok());
  }
  void expectUnusable(const std::string &why) {
    auto made = CudaDriver::create(BOOST_FAKE_CUDA);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), ExitCode::Usage);
    EXPECT_EQ(made.status().message(), "no GPU can be used: " + why);
    EXPECT_EQ(liveObjects(), 0);
  }
  void expectStatus(const Status &status, ExitCode code,
                    const std::string &text) {
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), text);
  }

  const BoostImage images[2] = {{BOOST_IMAGE_PTX, 80, "ptx80", 5}, {}};
  const BoostOperand operands[2] = {{4, 0, 0}, {4, 1, 0}};
  const BoostLaunch addOne = {"add_one", "model.json:5:3", operands, 2, 3, 32,
                              0};
  std::unique_ptr<CudaDriver> driver;

private:
  std::vector<const char *> names_;
};

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
        "cuDeviceGetName", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
        "cuCtxSetCurrent", "cuStreamCreate"}) {
    set("FAKE_CUDA_FAILS", std::string(call) + "=2");
    expectUnusable(std::string(call) +
                   " failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  }
  set("FAKE_CUDA_FAILS", "cuInit=12345");
  expectUnusable("cuInit failed: CUDA error 12345 (which this driver does not "
                 "know)");
}

TEST_F(FakeDriver, TakesTheBestImage) {
  const BoostImage ptx80{BOOST_IMAGE_PTX, 80, "ptx80", 5},
      ptx90{BOOST_IMAGE_PTX, 90, "ptx90", 5},
      sm80{BOOST_IMAGE_CUBIN, 80, "sm80", 4},
      sm86{BOOST_IMAGE_CUBIN, 86, "sm86", 4},
      sm89{BOOST_IMAGE_CUBIN, 89, "sm89", 4},
      sm90{BOOST_IMAGE_CUBIN, 90, "sm90", 4};
  struct Case {
    const char *architecture;
    std::vector<BoostImage> images;
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
    std::vector<BoostImage> table = c.images;
    table.push_back({});
    Status status = driver->load(table.data(), "p.so");
    EXPECT_TRUE(status.ok()) << status.message();
    driver.reset();
  }
}

TEST_F(FakeDriver, ImagesThatCannotBeLoaded) {
  create();
  const BoostImage none[] = {{BOOST_IMAGE_CUBIN, 90, "sm90", 4}, {}};
  expectStatus(driver->load(none, "p.so"), ExitCode::Input,
               "'p.so' has no code for NVIDIA Fake, which is sm_86; build it "
               "again with boostc");
  expectStatus(driver->load(images, "p.so"), ExitCode::Input,
               "'p.so': the driver, which serves CUDA 12.4, does not compile "
               "its PTX for NVIDIA Fake: cuModuleLoadDataEx failed: "
               "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): line 3: "
               "no such opcode; a newer driver may, or build it again with "
               "boostc");
  const BoostImage cubin[] = {{BOOST_IMAGE_CUBIN, 80, "sm80", 4}, {}};
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
  };
  auto read = [&](uint64_t from) {
    float value = -1;
    EXPECT_TRUE(
        driver->copyOut(std::as_writable_bytes(std::span(&value, 1)), from)
            .ok());
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

TEST_F(FakeDriver, EveryCallThatFailsIsNamed) {
  load();
  expectStatus(driver->findKernel("other").status(), ExitCode::Input,
               "there is no kernel 'other', which the program launches: "
               "cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (named symbol "
               "not found); build it again with boostc");
  ASSERT_TRUE(driver->findKernel("add_one").ok());
  Result<uint64_t> at = driver->allocate(4, "x");
  ASSERT_TRUE(at.ok());
  std::byte bytes[4] = {};

  set("FAKE_CUDA_FAILS", "cuMemAlloc_v2=2");
  expectStatus(driver->allocate(1 << 20, "arena STATE (0)").status(),
               ExitCode::Internal,
               "cannot reserve 1048576 bytes for arena STATE (0) on NVIDIA "
               "Fake: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
               "memory)");
  auto failing = [&](const std::string &call, const std::string &symbol) {
    set("FAKE_CUDA_FAILS", symbol + "=700");
    return call + " failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
                  "access was encountered)";
  };
  std::string text = failing("cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2");
  expectStatus(driver->copyIn(*at, bytes), ExitCode::Internal, text);
  text = failing("cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2");
  expectStatus(driver->copyOut(bytes, *at), ExitCode::Internal, text);
  text = failing("cuStreamSynchronize", "cuStreamSynchronize");
  expectStatus(driver->copyIn(*at, bytes), ExitCode::Internal, text);
  expectStatus(driver->copyOut(bytes, *at), ExitCode::Internal, text);
  uint64_t addresses[] = {0, *at};
  text = failing("cuLaunchKernel", "cuLaunchKernel");
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
