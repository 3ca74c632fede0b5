// The list of GPUs, from a driver library of our own.
#include "runtime/device/cuda/Gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace boostrt;

namespace {

/// Sets a variable for the life of the object.
class Set {
public:
  Set(const char *name, const char *value) : name_(name) {
    setenv(name, value, 1);
  }
  ~Set() { unsetenv(name_); }

private:
  const char *name_;
};

TEST(Gpus, WhatTheDriverTells) {
  auto gpus = cuda::listGpus(BOOSTC_FAKE_CUDA);
  ASSERT_TRUE(gpus.ok()) << gpus.status().message();
  EXPECT_EQ(gpus->version, 12040);
  ASSERT_EQ(gpus->list.size(), 1u);
  EXPECT_EQ(gpus->list[0].name, "NVIDIA Fake");
  EXPECT_EQ(gpus->list[0].architecture, 86u);
  EXPECT_EQ(gpus->list[0].bytes, uint64_t{24} << 30);
  EXPECT_TRUE(gpus->list[0].isUsable);
}

TEST(Gpus, AnOldOneIsListed) {
  Set capability("FAKE_CUDA_CAPABILITY", "75");
  auto gpus = cuda::listGpus(BOOSTC_FAKE_CUDA);
  ASSERT_TRUE(gpus.ok()) << gpus.status().message();
  EXPECT_EQ(gpus->list[0].architecture, 75u);
  EXPECT_FALSE(gpus->list[0].isUsable);
}

TEST(Gpus, None) {
  {
    Set devices("FAKE_CUDA_DEVICES", "0");
    auto gpus = cuda::listGpus(BOOSTC_FAKE_CUDA);
    ASSERT_TRUE(gpus.ok()) << gpus.status().message();
    EXPECT_TRUE(gpus->list.empty());
  }
  Set fails("FAKE_CUDA_FAILS", "cuInit=100");
  auto gpus = cuda::listGpus(BOOSTC_FAKE_CUDA);
  ASSERT_TRUE(gpus.ok()) << gpus.status().message();
  EXPECT_EQ(gpus->version, 12040);
  EXPECT_TRUE(gpus->list.empty());
}

TEST(Gpus, FailuresNameTheCall) {
  auto expect = [](const char *fails, const char *text) {
    Set failure("FAKE_CUDA_FAILS", fails);
    Status status = cuda::listGpus(BOOSTC_FAKE_CUDA).status();
    EXPECT_EQ(status.code(), ExitCode::Usage) << fails;
    EXPECT_EQ(status.message(), text);
  };
  expect("cuInit=2", "cuInit failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  for (const char *call :
       {"cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet",
        "cuDeviceGetName", "cuDeviceGetAttribute"})
    expect((std::string(call) + "=2").c_str(),
           (std::string(call) +
            " failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)")
               .c_str());
  expect("cuDeviceTotalMem_v2=2",
         "cuDeviceTotalMem failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_EQ(cuda::listGpus("libno-such-cuda.so.1").status().message(),
            "libno-such-cuda.so.1, NVIDIA's driver, is not installed");
}

} // namespace
