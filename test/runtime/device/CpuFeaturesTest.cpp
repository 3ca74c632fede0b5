#include "runtime/device/cpu/CpuFeatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

TEST(CpuFeatures, WhatEveryCpuHasPasses) {
  EXPECT_TRUE(checkCpuFeatures("").ok());
  EXPECT_TRUE(checkCpuFeatures("64bit,cmov,mmx,sse,sse2,fxsr,cx8").ok());
  EXPECT_TRUE(checkCpuFeatures(",sse2,,sse,").ok());
}

TEST(CpuFeatures, AMissingOneIsNamedWithWhatToDo) {
  // AMD has one of these and Intel the other; no CPU has both.
  Status status = checkCpuFeatures("sse2,sse4a,amx-tile");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_THAT(status.message(), HasSubstr("that this machine lacks: "));
  EXPECT_THAT(status.message(),
              testing::AnyOf(HasSubstr("sse4a"), HasSubstr("amx-tile")));
  EXPECT_THAT(status.message(), testing::Not(HasSubstr("sse2")));
  EXPECT_THAT(status.message(), HasSubstr("compile it here"));
}

TEST(CpuFeatures, AnUnknownOneIsNotTakenForPresent) {
  Status status = checkCpuFeatures("sse2,quantum,avx");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_THAT(status.message(),
              HasSubstr("that this boost-run does not know: quantum;"));
}

TEST(CpuFeatures, WhatIsMissingByName) {
  EXPECT_THAT(missingCpuFeatures("sse2,,quantum,fxsr"),
              testing::ElementsAre("quantum"));
  EXPECT_THAT(missingCpuFeatures(""), testing::IsEmpty());
}

} // namespace
