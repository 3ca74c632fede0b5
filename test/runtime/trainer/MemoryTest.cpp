#include "runtime/trainer/Arenas.h"
#include "runtime/trainer/MemoryPlan.h"

#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

#include <cstring>
#include <sys/mman.h>

using namespace boostrt;

namespace {

BoostProgram sized(uint32_t microBatches) {
  BoostProgram program{};
  uint64_t bytes[] = {1000, 2000, 300, 300, 40, 5, 6, 0};
  std::memcpy(program.arena_bytes, bytes, sizeof bytes);
  program.micro_batches = microBatches;
  return program;
}

BoostTarget target() {
  BoostTarget target{};
  target.transient_bytes = 7000;
  return target;
}

TEST(MemoryPlan, IsTheSumOfTheArenasAndTheirCopies) {
  // parameter + state + gradient sets + three batches + scalars + transient
  EXPECT_EQ(planTraining(sized(1), target()).total(),
            1000u + 2000 + 300 + 3 * 40 + 5 + 6 + 7000);
  EXPECT_EQ(planTraining(sized(8), target()).total(),
            1000u + 2000 + 4 * 300 + 3 * 40 + 5 + 6 + 7000);
}

TEST(MemoryPlan, EvaluationNeedsNeitherGradientsNorState) {
  EXPECT_EQ(planEvaluation(sized(8), target()).total(),
            1000u + 3 * 40 + 5 + 6 + 7000);
}

TEST(Arenas, AreAlignedZeroedAndWritable) {
  MemoryPlan plan = planTraining(sized(4), target());
  auto arenas = Arenas::reserve(plan);
  ASSERT_TRUE(arenas.ok()) << arenas.status().message();
  EXPECT_EQ((*arenas)->copies(BOOST_ARENA_GRADIENT).size(), 3u);
  EXPECT_EQ((*arenas)->copies(BOOST_ARENA_BATCH).size(), 3u);
  EXPECT_EQ((*arenas)->base(BOOST_ARENA_GRADIENT_OTHER), nullptr);
  for (int kind = 0; kind < BOOST_ARENA_COUNT; ++kind)
    for (std::byte *base :
         (*arenas)->copies(static_cast<BoostArenaKind>(kind))) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % BOOST_ALIGNMENT, 0u);
      for (uint64_t i = 0; i < plan.bytes[kind]; ++i)
        ASSERT_EQ(base[i], std::byte{0});
      std::memset(base, 0xff, plan.bytes[kind]);
    }
}

TEST(ArenasDeathTest, ThePageAfterAnArenaIsOutOfBounds) {
  MemoryPlan plan = planTraining(sized(1), target());
  plan.bytes[BOOST_ARENA_STATE] = 4096;
  auto arenas = Arenas::reserve(plan);
  ASSERT_TRUE(arenas.ok());
  std::byte *base = (*arenas)->base(BOOST_ARENA_STATE);
  EXPECT_DEATH(base[4096] = std::byte{1}, "");
}

TEST(Arenas, MemoryThatIsNotThereIsAMessage) {
  MemoryPlan plan = planTraining(sized(1), target());
  plan.bytes[BOOST_ARENA_STATE] = uint64_t{1} << 50;
  auto arenas = Arenas::reserve(plan);
  ASSERT_FALSE(arenas.ok());
  EXPECT_EQ(arenas.status().code(), ExitCode::Internal);
  EXPECT_THAT(arenas.status().message(),
              testing::AllOf(testing::StartsWith("cannot reserve "),
                             testing::HasSubstr("use a smaller batch_size")));
}

TEST(PeakMemory, SeesWhatCameAndWentAfterBegin) {
  PeakMemory peak;
  peak.begin();
  constexpr size_t kBytes = 64u << 20;
  void *memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  munmap(memory, kBytes);
  ASSERT_TRUE(peak.bytes().has_value());
  EXPECT_NEAR(static_cast<double>(*peak.bytes()), kBytes, 2 << 20);
}

} // namespace
