// Where NCCL is looked for, and what is said when it cannot be used.
#include "test/runtime/device/cuda/nccl/FakeGpu.h"

#include <gmock/gmock.h>

#include <filesystem>

using namespace boostrt;
using testing::HasSubstr;

namespace {

TEST(NcclApi, IsTakenFromAPythonEnvironment) {
  std::filesystem::path root = testing::TempDir() + "nccl-in-python";
  std::filesystem::path lib =
      root / "lib/python3.12/site-packages/nvidia/nccl/lib";
  std::filesystem::remove_all(root);
  std::filesystem::create_directories(lib);
  std::filesystem::copy_file(BOOSTC_FAKE_NCCL, lib / "libnccl.so.2");
  // Next to what the linker would find itself.
  cuda::SearchContext context;
  context.root = root;
  context.virtualEnv = root;
  if (dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL))
    GTEST_SKIP() << "this machine has one, which comes first";
  Result<nccl::NcclApi> api = nccl::NcclApi::open(context);
  ASSERT_TRUE(api.ok()) << api.status().message();
  EXPECT_EQ(cuda::versionText(api->version), "2.28.9");
}

TEST(NcclApi, AMachineWithoutIt) {
  cuda::SearchContext context;
  context.root = testing::TempDir() + "nothing-here";
  if (dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL))
    GTEST_SKIP() << "this machine has one";
  Result<nccl::NcclApi> api = nccl::NcclApi::open(context);
  ASSERT_FALSE(api.ok());
  EXPECT_EQ(api.status().code(), ExitCode::Usage);
  EXPECT_EQ(api.status().message(), "libnccl.so.2 is not found");
}

TEST(NcclApi, NvidiasOwnHasAllFunctions) {
  Result<nccl::NcclApi> api =
      nccl::NcclApi::open(cuda::SearchContext::current());
  if (!api.ok())
    GTEST_SKIP() << api.status().message();
  EXPECT_GE(api->version, 21400);
  EXPECT_STREQ(api->ncclGetErrorString(nccl::kSuccess), "no error");
}

TEST(NcclApi, ALibraryThatIsTooOld) {
  // The C library has none of the functions.
  Result<nccl::NcclApi> api =
      nccl::NcclApi::find(dlopen(nullptr, RTLD_NOW), "old/libnccl.so.2");
  ASSERT_FALSE(api.ok());
  EXPECT_EQ(api.status().code(), ExitCode::Usage);
  EXPECT_EQ(api.status().message(),
            "old/libnccl.so.2 has no function ncclGetVersion; install NCCL "
            "2.14 or newer");
}

TEST(NcclApi, FailuresSayWhatNcclSays) {
  const nccl::NcclApi &api = fake_nccl::api();
  EXPECT_EQ(api.failureText("ncclSend", 4, nullptr),
            "ncclSend failed: invalid argument");
  int communicator = 0;
  EXPECT_EQ(
      api.failureText("ncclSend", 2,
                      reinterpret_cast<nccl::Communicator>(&communicator)),
      "ncclSend failed: unhandled system error (Call to connect "
      "returned Connection refused)");
}

} // namespace
