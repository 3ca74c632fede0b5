// LibraryCallsFixture.h - a program with library calls, on the stand-ins for
// NVIDIA's driver and libraries.
#pragma once

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/device/TestFunctions.h"
#include "test/runtime/device/cuda/FakeCuda.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace boostrt {

/// A stand-in for a library: what it counted.
struct FakeLibrary {
  const char *path;
  /// "fakeCudnn" of fakeCudnnLiveObjects().
  std::string prefix;

  template <class Function> Function *find(const std::string &name) const {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function *>(
        dlsym(library, (prefix + name).c_str()));
  }
  int live() const { return find<int()>("LiveObjects")(); }
  std::string trace() const { return find<const char *()>("Trace")(); }
  void forget() const { find<void()>("Forget")(); }
};

class LibraryCallsFixture : public testing::Test {
protected:
  /// `proposals` is the environment variable that says what it proposes.
  LibraryCallsFixture(FakeLibrary library, const char *proposals)
      : library(std::move(library)), proposals(proposals) {}

  void SetUp() override {
    setenv("FAKE_CUDA_IMAGE", "image", 1);
    for (const char *name :
         {"FAKE_CUDA_FAILS", "FAKE_CUBLASLT_FAILS", "FAKE_CUBLASLT_PROPOSES",
          "FAKE_CUBLASLT_VERSION", "FAKE_CUDNN_FAILS", "FAKE_CUDNN_PROPOSES",
          "FAKE_CUDNN_FALLBACK", "FAKE_CUDNN_VERSION"})
      unsetenv(name);
    forget();
    live = fake_cuda::liveObjects();
    liveInLibrary = library.live();
    std::string pattern =
        std::filesystem::temp_directory_path() / "boost-plans-XXXXXX";
    folder = mkdtemp(pattern.data());
    settings.planFiles = {folder / "p.so.plans"};
    settings.programHash = "abc";
    context.origin = std::filesystem::path(library.path).parent_path();
    target.kind = BOOSTC_TARGET_CUDA;
    target.launches = &launch;
    target.launch_count = 1;
    target.modules = kModules;
  }
  void TearDown() override {
    device.reset();
    EXPECT_EQ(fake_cuda::liveObjects(), live);
    EXPECT_EQ(library.live(), liveInLibrary);
    std::filesystem::remove_all(folder);
  }

  void forget() const {
    fake_cuda::forget();
    library.forget();
  }

  Status create() {
    device.reset();
    forget();
    auto driver = CudaDriver::create(BOOSTC_FAKE_CUDA, context);
    if (!driver.ok())
      return driver.status();
    auto made =
        CudaDevice::create(std::move(driver).value(), target, "p.so", settings);
    if (!made.ok())
      return made.status();
    device = std::move(made).value();
    return Status();
  }

  /// Creates a device with `proposed` by the library; its notes.
  std::vector<std::string> notesWith(const char *proposed) {
    setenv(proposals, proposed, 1);
    std::filesystem::remove(settings.planFiles[0]);
    Status status = create();
    EXPECT_TRUE(status.ok()) << status.message();
    return status.ok() ? device->notes() : std::vector<std::string>();
  }

  Status step(void *transient) {
    void *arenas[BOOSTC_ARENA_COUNT] = {};
    arenas[BOOSTC_ARENA_TRANSIENT] = transient;
    return device->call(BOOSTC_FUNCTION_MICRO, arenas);
  }
  /// What a step on `bytes` of TRANSIENT ends with.
  Status failedStep(uint64_t bytes) {
    auto base = device->allocate(bytes, "transient");
    return base.ok() ? step(*base) : base.status();
  }

  std::string readPlanFile() const {
    std::ifstream file(settings.planFiles[0]);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  static constexpr BoostModule kModules[] = {
      {BOOSTC_MODULE_CUBIN, 86, "image", 5}, {}};
  FakeLibrary library;
  const char *proposals;
  BoostLaunch launch = {
      "defined", "model.json:5:3", "fc1", nullptr, 0, 3, 32, 0, {}};
  TestFunctions functions;
  BoostTarget target{};
  LibrarySettings settings;
  cuda::SearchContext context;
  std::filesystem::path folder;
  std::unique_ptr<CudaDevice> device;
  int live = 0, liveInLibrary = 0;
};

} // namespace boostrt
