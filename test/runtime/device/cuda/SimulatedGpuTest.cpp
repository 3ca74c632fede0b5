// The plug-in of the simulated GPU: found, missing, damaged, of another build.
#include "runtime/device/cuda/SimulatedGpu.h"

#include "runtime/device/cuda/FindLibraries.h"
#include "test/runtime/support/Files.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace boostrt;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

std::string failureIn(const std::string &folder) {
  Result<std::unique_ptr<GpuDriver>> driver = openSimulatedGpu(1, folder);
  EXPECT_EQ(driver.status().code(), ExitCode::Usage);
  return driver.status().message();
}

TEST(SimulatedGpu, IsFoundInTheBuild) {
  Result<std::unique_ptr<GpuDriver>> driver =
      openSimulatedGpu(1, cuda::SearchContext::current().origin);
  ASSERT_TRUE(driver.ok()) << driver.status().message();
  EXPECT_EQ((*driver)->name(), "the simulated GPU");
}

TEST(SimulatedGpu, IsMissing) {
  TemporaryDirectory folder;
  EXPECT_EQ(failureIn(folder.path()),
            "cannot open the simulated GPU: found no plug-in "
            "'libboost_sim.so' in '" +
                folder.path() +
                "' or in '../lib'; build it (target boost_sim), or copy it "
                "next to the program");
}

TEST(SimulatedGpu, IsDamaged) {
  TemporaryDirectory folder;
  writeFile(folder.path() + "/libboost_sim.so", "no library");
  EXPECT_THAT(failureIn(folder.path()),
              AllOf(StartsWith("cannot open the simulated GPU: "),
                    HasSubstr(folder.path() + "/libboost_sim.so")));
}

TEST(SimulatedGpu, IsOfAnotherBuild) {
  std::string path = BOOSTC_FAKE_SIM;
  std::string folder = std::filesystem::path(path).parent_path();
  EXPECT_THAT(failureIn(folder),
              AllOf(HasSubstr("libboost_sim.so' is of build 0.0.1, expected "),
                    HasSubstr("; build both together")));
}

} // namespace
