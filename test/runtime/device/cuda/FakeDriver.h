// FakeDriver.h - a CudaDriver on the driver library of FakeCuda.cpp.
#pragma once

#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/device/cuda/FakeCuda.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace boostrt {

class FakeDriver : public testing::Test {
protected:
  ~FakeDriver() override {
    driver.reset();
    for (const char *name : names_)
      unsetenv(name);
    EXPECT_EQ(fake_cuda::liveObjects(), 0) << "something was not freed";
  }
  void set(const char *name, const std::string &value) {
    setenv(name, value.c_str(), 1);
    names_.push_back(name);
  }
  Status read(std::span<std::byte> to, uint64_t from) {
    DeviceCopy copy{to, reinterpret_cast<const void *>(from)};
    return driver->copyOut({&copy, 1});
  }
  void create() {
    auto made = CudaDriver::create(BOOSTC_FAKE_CUDA);
    ASSERT_TRUE(made.ok()) << made.status().message();
    driver = std::move(made).value();
  }
  void load() {
    create();
    set("FAKE_CUDA_IMAGE", "ptx80");
    ASSERT_TRUE(driver->load(modules, "p.so").ok());
  }
  void expectUnusable(const std::string &why) {
    auto made = CudaDriver::create(BOOSTC_FAKE_CUDA);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), ExitCode::Usage);
    EXPECT_EQ(made.status().message(), "no GPU can be used: " + why);
    EXPECT_EQ(fake_cuda::liveObjects(), 0);
  }
  /// Has `symbol` fail; returns the failure's text.
  std::string failing(const std::string &call, const std::string &symbol) {
    set("FAKE_CUDA_FAILS", symbol + "=700");
    return call + " failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
                  "access was encountered)";
  }
  void expectStatus(const Status &status, ExitCode code,
                    const std::string &text) {
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), text);
  }

  void expectNoKernel(const std::string &name) {
    expectStatus(driver->findKernel(name.c_str()).status(), ExitCode::Input,
                 "the program launches kernel '" + name +
                     "', which its modules lack: cuModuleGetFunction failed: "
                     "CUDA_ERROR_NOT_FOUND (named symbol not found); build it "
                     "again with boostc");
  }

  const BoostModule modules[2] = {{BOOSTC_MODULE_PTX, 80, "ptx80", 5}, {}};
  const BoostOperand operands[2] = {{4, 0, 0, "a"}, {4, 1, 0, "b"}};
  const BoostLaunch addOne = {
      "add_one", "model.json:5:3", "fc1", operands, 2, 3, 32, 0, {}};
  std::unique_ptr<CudaDriver> driver;

private:
  std::vector<const char *> names_;
};

} // namespace boostrt
