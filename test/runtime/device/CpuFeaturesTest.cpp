#include "runtime/device/cpu/CpuFeatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <immintrin.h>

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

struct alignas(64) TileShapes {
  uint8_t palette = 1, begin = 0, unused[14] = {};
  uint16_t bytes[16] = {64};
  uint8_t rows[16] = {16};
};
static_assert(sizeof(TileShapes) == 64);
// Static: the compiler is not told that all of it is read.
const TileShapes kShapes;

__attribute__((target("amx-tile"))) void useTile() {
  _tile_loadconfig(&kShapes);
  _tile_zero(0);
  _tile_release();
}

// Without the system's leave this would be an illegal instruction.
TEST(CpuFeatures, TilesMayBeUsedWhereTheyAreThere) {
  if (!missingCpuFeatures("amx-tile").empty())
    GTEST_SKIP() << "this CPU has no tiles, or its system keeps them back";
  useTile();
}

} // namespace
