// RaceTest.cpp - barriers that are missed or missing, and races.
#include "FaultFixture.h"

using namespace boostrt;
using namespace boostrt::sim;

namespace {

//===--- barriers ---------------------------------------------------------===//

TEST(SimFault, ABarrierThatSomeThreadsDoNotReach) {
  Planted ended("	setp.gt.u32 %p1, %r2, 40;\n	@%p1 ret;\n	"
                "bar.sync 0;");
  expectFault(ended.launch(), FaultKind::BarrierDivergence, 23, 32,
              "thread 41 of the block has ended; a barrier needs every thread");
  Planted parted("	setp.gt.u32 %p1, %r2, 40;\n	@%p1 bra AROUND;\n"
                 "	bar.sync 0;\nAROUND:\n	add.s32 %r4, %r2, 1;");
  expectFault(
      parted.launch(), FaultKind::BarrierDivergence, 23, 32,
      "thread 41 of the block took another way and does not come here; a "
      "barrier needs every thread");
}

TEST(SimFault, ThreadsThatWaitAtDifferentBarriers) {
  Planted planted(
      "	setp.lt.u32 %p1, %r2, 32;\n	@%p1 bra OTHER;\n"
      "	bar.sync 0;\n	bra.uni DONE;\nOTHER:\n	bar.sync 1;\nDONE:");
  expectFault(planted.launch(), FaultKind::BarrierDivergence, 23, 32,
              "the warp of thread 32 waits at line 23, at another barrier than "
              "this one");
}

//===--- races ------------------------------------------------------------===//

TEST(SimFault, AMissingBarrierBetweenWarps) {
  const std::string store = "	st.shared.b32 [%rd7], %r2;\n",
                    load = "	xor.b32 %r4, %r2, 32;\n"
                           "	mul.wide.u32 %rd8, %r4, 4;\n"
                           "	add.s64 %rd8, %rd6, %rd8;\n"
                           "	ld.shared.b32 %r5, [%rd8];";
  Planted good(store + "	bar.sync 0;\n" + load);
  EXPECT_TRUE(good.launch().status.ok());
  // The first warp reads what the second has not written yet.
  Planted bad("	bar.sync 0;\n" + store + load);
  EXPECT_EQ(bad.launch().fault->kind, FaultKind::Uninitialised);
  Planted again(store + "	bar.sync 0;\n" + load + "\n" + store);
  expectFault(
      again.launch(), FaultKind::SharedRace, 26, 32,
      "thread (0,0,0) wrote it at PTX line 27, and no barrier is between; "
      "it is byte 0 of shared 's' (256 bytes)");
  // Read by several, then written.
  Planted all("	st.shared.b32 [%rd7], %r2;\n	bar.sync 0;\n"
              "	ld.shared.b32 %r4, [s];\n	setp.ne.b32 %p1, %r2, 40;\n"
              "	@%p1 bra DONE;\n	st.shared.b32 [s], %r2;\nDONE:");
  expectFault(
      all.launch(), FaultKind::SharedRace, 26, 40,
      "several threads read it at PTX line 23, and no barrier is between; "
      "it is byte 0 of shared 's' (256 bytes)");
}

TEST(SimFault, ARaceForOneWordOfAWideRead) {
  const std::string
      fill = "	st.shared.b32 [%rd7], %r2;\n	bar.sync 0;\n",
      read = "	ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [s];\n",
      write = "	setp.ne.b32 %p1, %r2, 40;\n	@%p1 bra DONE;\n"
              "	st.shared.b32 [s+12], %r2;\nDONE:";
  Planted ordered(fill + read + read + "	bar.sync 0;\n" + write);
  EXPECT_TRUE(ordered.launch().status.ok());
  Planted late(fill + read + read + write);
  expectFault(
      late.launch(), FaultKind::SharedRace, 27, 40,
      "several threads read it at PTX line 23, and no barrier is between; "
      "it is byte 12 of shared 's' (256 bytes)");
}

TEST(SimFault, LockStepIsNoBarrier) {
  const std::string store = "	st.shared.b32 [%rd7], %r2;\n",
                    load = "	xor.b32 %r4, %r2, 1;\n"
                           "	mul.wide.u32 %rd8, %r4, 4;\n"
                           "	add.s64 %rd8, %rd6, %rd8;\n"
                           "	ld.shared.b32 %r5, [%rd8];";
  Planted bad(store + load);
  expectFault(
      bad.launch(), FaultKind::SharedRace, 25, 0,
      "thread (1,0,0) wrote it at PTX line 21, and no barrier is between; "
      "it is byte 4 of shared 's' (256 bytes)");
  Planted synced(store + "	bar.warp.sync -1;\n" + load);
  EXPECT_TRUE(synced.launch().status.ok());
  Planted shuffled(store + "	shfl.sync.bfly.b32 %r6, %r2, 1, 31, -1;\n" +
                   load);
  EXPECT_TRUE(shuffled.launch().status.ok());
  // It orders one warp only.
  Planted far("	and.b32 %r4, %r2, 31;\n	mul.wide.u32 %rd8, %r4, 4;\n"
              "	add.s64 %rd8, %rd6, %rd8;\n	st.shared.b32 [%rd8], %r2;\n"
              "	bar.warp.sync -1;");
  expectFault(
      far.launch(), FaultKind::SharedRace, 24, 32,
      "thread (0,0,0) wrote it at PTX line 24, and no barrier is between; "
      "it is byte 0 of shared 's' (256 bytes)");
}

TEST(SimFault, BytesOfOneSharedWordAreApart) {
  const std::string at =
      "	cvt.u64.u32 %rd8, %r2;\n	add.s64 %rd8, %rd6, %rd8;\n";
  Planted bytes(at + "	st.shared.b8 [%rd8], %r2;");
  EXPECT_TRUE(bytes.launch().status.ok());
  Planted word(
      at + "	st.shared.b8 [%rd8], %r2;\n	ld.shared.b32 %r4, [s];");
  EXPECT_EQ(word.launch().fault->kind, FaultKind::SharedRace);
  Planted both(at + "	st.shared.b32 [s], 0;\n	st.shared.b8 [%rd8], %r2;");
  EXPECT_EQ(both.launch({1}, {2}).fault->kind, FaultKind::SharedRace);
}

TEST(SimFault, BlocksThatTouchTheSameGlobalWord) {
  // Every block writes b[tid]; then: every block reads what block 0 wrote.
  Planted write("	st.global.b32 [%rd5], %r2;");
  EXPECT_TRUE(write.launch({1}).status.ok());
  expectFault(
      write.launch({2}), FaultKind::GlobalRace, 21, 0,
      "block (0,0,0) wrote it in the same launch; blocks run in any order; "
      "it is byte 0 of 'b' (256 bytes at 0xd0000010200)");
  Planted read(
      "	ld.global.b32 %r4, [%rd4];\n	setp.ne.b32 %p1, %r3, 2;\n"
      "	@%p1 bra DONE;\n	st.global.b32 [%rd4], %r4;\nDONE:");
  expectFault(
      read.launch({3}), FaultKind::GlobalRace, 24, 0,
      "several blocks read it in the same launch; blocks run in any order; "
      "it is byte 0 of 'a' (256 bytes at 0xd0000000000)");
  // Launches after one another are ordered.
  Planted twice(
      "	add.s32 %r4, %r3, %r1;\n	setp.ne.b32 %p1, %r4, 64;\n"
      "	@%p1 bra DONE;\n	st.global.b32 [%rd5], %r4;\nDONE:");
  EXPECT_TRUE(twice.launch({2}, {64}, 64).status.ok());
  EXPECT_TRUE(twice.launch({2}, {64}, 63).status.ok());
}

TEST(SimFault, GlobalRacesAreFoundWhicheverBlockComesFirst) {
  for (uint32_t threads : {1u, 2u, 4u}) {
    MachineOptions options;
    options.threads = threads;
    Planted planted(
        "	shr.u32 %r4, %r3, 3;\n	mul.wide.u32 %rd8, %r4, 4;\n"
        "	add.s64 %rd9, %rd2, %rd8;\n	st.global.b32 [%rd9], %r3;",
        options);
    for (int repeat = 0; repeat < 10; ++repeat) {
      LaunchOutcome outcome = planted.launch({16}, {1});
      ASSERT_TRUE(outcome.fault.has_value());
      EXPECT_EQ(outcome.fault->kind, FaultKind::GlobalRace);
    }
  }
}

TEST(SimFault, AtomicsOfBlocksDoNotRaceButPlainAccessesNextToThemDo) {
  Planted atomics("	red.global.add.u32 [%rd4], 1;");
  EXPECT_TRUE(atomics.launch({9}).status.ok());
  EXPECT_EQ(atomics.sim.download<uint32_t>(atomics.a, 64),
            std::vector<uint32_t>(64, 16));
  Planted mixed("	red.global.add.u32 [%rd4], 1;\n	ld.global.b32 %r4, "
                "[%rd4];");
  EXPECT_EQ(mixed.launch({9}).fault->kind, FaultKind::GlobalRace);
  // The read comes first of all, and only from the block of the first atomic.
  Planted early(
      "	setp.ne.b32 %p1, %r3, 0;\n	red.global.add.u32 [%rd4], 1;"
      "\n	@!%p1 ld.global.b32 %r4, [%rd4];");
  EXPECT_TRUE(early.launch({1}).status.ok());
  EXPECT_EQ(early.launch({2}).fault->kind, FaultKind::GlobalRace);
  MachineOptions options;
  options.globalRaces = false;
  Planted unchecked(
      "	red.global.add.u32 [%rd4], 1;\n	ld.global.b32 %r4, [%rd4];", options);
  EXPECT_TRUE(unchecked.launch({9}).status.ok());
}

} // namespace
