// FaultTest.cpp - one planted defect of every kind, and what is said about it.
#include "FaultFixture.h"
#include "test/runtime/data/Sanitizers.h"
#include "test/runtime/support/LimitedMemory.h"

using namespace boostrt;
using namespace boostrt::sim;
using testing::HasSubstr;

namespace {

//===--- bounds and alignment ---------------------------------------------===//

TEST(SimFault, BeforeTheBeginAndAcrossTheEnd) {
  Planted before("	ld.global.b32 %r4, [%rd4+-8];");
  expectFault(before.launch(), FaultKind::OutOfBounds, 21, 0,
              "8 bytes before the begin of 'a' (256 bytes at 0xd0000000000)");
  Planted across("	ld.global.b64 %rd8, [%rd4+252];");
  expectFault(across.launch({1}, {1}), FaultKind::Misaligned, 21, 0,
              "the address is a multiple of 4; an access of 8 bytes needs a "
              "multiple of 8");
  Planted end(
      "	add.s64 %rd8, %rd1, 248;\n	ld.global.v4.b32 {%r4, %r5, %r6, "
      "%r7}, [%rd8+8];");
  expectFault(end.launch({1}, {1}), FaultKind::OutOfBounds, 22, 0,
              "0 bytes past the end of 'a' (256 bytes at 0xd0000000000)");
}

TEST(SimFault, AStrayHostPointerAndNull) {
  Planted stray("	ld.global.b32 %r4, [%rd1];");
  int host = 0;
  stray.a = reinterpret_cast<uint64_t>(&host);
  expectFault(stray.launch(), FaultKind::OutOfBounds, 21, 0,
              "no device memory; a pointer of the host?");
  stray.a = 0;
  expectFault(stray.launch(), FaultKind::OutOfBounds, 21, 0,
              "next to the null pointer");
}

TEST(SimFault, AFreedBufferIsGone) {
  Planted freed("	ld.global.b32 %r4, [%rd4];");
  ASSERT_TRUE(freed.sim.memory.free(freed.a).ok());
  LaunchOutcome outcome = freed.launch();
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->kind, FaultKind::OutOfBounds);
}

TEST(SimFault, TheFirstLaneAndBlockAreReportedForAnyNumberOfThreads) {
  for (uint32_t threads : {1u, 2u, 5u}) {
    MachineOptions options;
    options.threads = threads;
    // Block 3 and those after it leave the buffer.
    Planted planted(
        "	shl.b32 %r4, %r3, 6;\n	mul.wide.u32 %rd8, %r4, 1;\n"
        "	add.s64 %rd9, %rd1, %rd8;\n	ld.global.b32 %r5, [%rd9+64];",
        options);
    for (int repeat = 0; repeat < 20; ++repeat) {
      LaunchOutcome outcome = planted.launch({40});
      ASSERT_TRUE(outcome.fault.has_value());
      EXPECT_EQ(outcome.fault->block.x, 3u);
      EXPECT_EQ(outcome.fault->thread.x, 0u);
    }
  }
}

//===--- extents of arguments ---------------------------------------------===//

struct Arena : Planted {
  explicit Arena(const std::string &body) : Planted(body) {
    uint64_t arena = sim.upload(std::vector<uint32_t>(256, 7), "transient");
    a = arena + 64;
    b = arena + 512;
    EXPECT_TRUE(sim.memory.nameRange(arena + 320, 64, "mean").ok());
    extents = {{0, a, 256, "fc1.out", true}, {1, b, 256, "fc1.grad", false}};
  }
  std::vector<ArgumentExtent> extents;
};

TEST(SimFault, AKernelThatLeavesItsBufferInsideAnArena) {
  Arena arena("	ld.global.b32 %r4, [%rd4+4];");
  EXPECT_TRUE(arena.launch().status.ok()) << "no extents, all in the arena";
  expectFault(
      arena.launch({1}, {64}, 64, arena.extents), FaultKind::OutOfBounds, 21,
      63,
      "0 bytes past the end of argument 0 'fc1.out' (256 bytes at "
      "0xd0000020440); it is byte 0 of buffer 'mean' (64 bytes, at byte "
      "320 of 'transient' (1024 bytes at 0xd0000020400))");
}

TEST(SimFault, AKernelThatReachesAnotherArgumentThroughTheWrongPointer) {
  Arena arena("	ld.global.b32 %r4, [%rd4+448];");
  expectFault(arena.launch({1}, {1}, 64, arena.extents), FaultKind::OutOfBounds,
              21, 0,
              "192 bytes past the end of argument 0 'fc1.out' (256 bytes at "
              "0xd0000020440); it is byte 512 of 'transient' (1024 bytes at "
              "0xd0000020400)");
}

TEST(SimFault, AnAddressOfUnknownOriginIsCheckedAgainstAllArguments) {
  // The sum of both pointers' bits: b's own memory is fine, the gap is not.
  Arena arena(
      "	xor.b64 %rd8, %rd1, %rd2;\n	xor.b64 %rd8, %rd8, %rd1;\n"
      "	add.s64 %rd8, %rd8, %rd3;\n	ld.global.b32 %r4, [%rd8+128];");
  EXPECT_TRUE(arena.launch({1}, {32}, 64, arena.extents).status.ok());
  expectFault(arena.launch({1}, {64}, 64, arena.extents),
              FaultKind::OutOfBounds, 24, 32,
              "outside all buffers this launch names; it is byte 768 of "
              "'transient' (1024 bytes at 0xd0000020400)");
}

TEST(SimFault, AWriteToAReadOnlyArgument) {
  Arena arena("	st.global.b32 [%rd4], %r2;");
  expectFault(
      arena.launch({1}, {64}, 64, arena.extents), FaultKind::ReadOnly, 21, 0,
      "byte 0 of argument 0 'fc1.out', which this kernel may only read");
}

TEST(SimFault, AWriteOfUnknownOriginToAReadOnlyArgument) {
  // a and b by turns, whichever the thread: both ways to the same register.
  Arena arena("	setp.gt.u32 %p1, %r1, 0;\n"
              "	selp.b64 %rd8, %rd4, %rd5, %p1;\n"
              "	st.global.b32 [%rd8], %r2;");
  EXPECT_TRUE(arena.launch({1}, {64}, 0, arena.extents).status.ok());
  expectFault(
      arena.launch({1}, {64}, 1, arena.extents), FaultKind::ReadOnly, 23, 0,
      "byte 0 of argument 0 'fc1.out', which this kernel may only read");
  // A buffer that is an argument twice may be written under the other name.
  arena.extents.push_back({2, arena.a, 256, "fc1.out", false});
  EXPECT_TRUE(arena.launch({1}, {64}, 1, arena.extents).status.ok());
}

TEST(SimFault, AWriteToConstantMemory) {
  for (const char *store :
       {"st.global.b32 [%rd8+4], %r2;", "red.add.u32 [%rd8+4], %r2;"}) {
    Planted planted(std::string("	mov.u64 %rd8, table;\n	") + store, {},
                    ".const .align 4 .b32 table[2] = {5, 6};");
    expectFault(planted.launch({1}, {1}), FaultKind::ReadOnly, 22, 0,
                "byte 4 of 'table' (8 bytes at 0xd0000000000), which is "
                "constant memory");
  }
}

//===--- uninitialised ----------------------------------------------------===//

TEST(SimFault, AReadOfGlobalMemoryThatWasNeverWritten) {
  const char *body = "	ld.global.b32 %r4, [%rd5];";
  Planted planted(body);
  expectFault(
      planted.launch(), FaultKind::Uninitialised, 21, 0,
      "no operation wrote all of these bytes: byte 0 of 'b' (256 bytes at "
      "0xd0000010200)");
  // All but one byte of word 40.
  ASSERT_TRUE(planted.sim.memory.fill(planted.b, 256, std::byte{1}).ok());
  EXPECT_TRUE(planted.launch().status.ok());
  ASSERT_TRUE(planted.sim.memory.forget(planted.b + 162, 1).ok());
  LaunchOutcome outcome = planted.launch();
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->thread.x, 40u);
  EXPECT_EQ(outcome.fault->address, planted.b + 160);
}

TEST(SimFault, AStoreInitialises) {
  Planted planted(
      "	st.global.b32 [%rd5], %r2;\n	ld.global.b32 %r4, [%rd5];");
  EXPECT_TRUE(planted.launch().status.ok());
  EXPECT_TRUE(planted.sim.memory.isWritten(planted.b, 256));
}

TEST(SimFault, AReadOfSharedOrLocalMemoryThatWasNeverWritten) {
  Planted shared("	ld.shared.b32 %r4, [%rd7];");
  expectFault(
      shared.launch(), FaultKind::Uninitialised, 21, 0,
      "no thread of this block wrote all of these bytes: byte 0 of shared "
      "'s' (256 bytes)");
  Planted local("	mov.u64 %rd8, depot;\n	st.local.b32 [%rd8], %r2;\n"
                "	ld.local.b64 %rd9, [%rd8];");
  expectFault(local.launch(), FaultKind::Uninitialised, 23, 0,
              "this thread did not write all of these bytes: byte 0 of local "
              "'depot' (16 bytes)");
  // What one block wrote is undefined for the next.
  Planted later("	setp.ne.b32 %p1, %r3, 0;\n	@%p1 bra READ;\n"
                "	st.shared.b32 [%rd7], %r2;\n	bra.uni DONE;\nREAD:\n"
                "	ld.shared.b32 %r4, [%rd7];\nDONE:");
  LaunchOutcome outcome = later.launch({2});
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->kind, FaultKind::Uninitialised);
  EXPECT_EQ(outcome.fault->block.x, 1u);
}

TEST(SimFault, SharedAndLocalBounds) {
  Planted shared("	st.shared.b32 [%rd7+4], %r2;");
  expectFault(shared.launch(), FaultKind::OutOfBounds, 21, 63,
              "byte 256 of shared memory; this block has 256 bytes");
  Planted local("	mov.u64 %rd8, depot;\n	st.local.b64 [%rd8+16], %rd1;");
  expectFault(local.launch(), FaultKind::OutOfBounds, 22, 0,
              "byte 16 of local memory; a thread has 16 bytes");
  Planted generic("	cvta.shared.u64 %rd8, %rd7;\n	st.b32 [%rd8+-4], "
                  "%r2;");
  expectFault(generic.launch(), FaultKind::OutOfBounds, 22, 0,
              "in or next to a window of shared, local or parameter memory");
}

//===--- lanes, traps, endless loops --------------------------------------===//

TEST(SimFault, AShuffleThatCountsOnAbsentLanes) {
  const std::string shuffle = "	shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;";
  Planted parted("	setp.lt.u32 %p1, %r2, 8;\n	@%p1 bra DONE;\n" +
                 shuffle + "\nDONE:");
  expectFault(
      parted.launch({1}, {32}), FaultKind::InactiveLane, 23, 8,
      "mask 0xffffffff and the lanes that execute this, 0xffffff00, must "
      "agree: lane 0 took another way");
  Planted ended("	setp.lt.u32 %p1, %r2, 8;\n	@%p1 ret;\n" + shuffle);
  expectFault(
      ended.launch({1}, {32}), FaultKind::InactiveLane, 23, 8,
      "mask 0xffffffff and the lanes that execute this, 0xffffff00, must "
      "agree: lane 0 has ended");
  Planted small(shuffle);
  expectFault(
      small.launch({1}, {48}), FaultKind::InactiveLane, 21, 32,
      "mask 0xffffffff and the lanes that execute this, 0x0000ffff, must "
      "agree: lane 16 does not exist in this block");
  Planted outside("	shfl.sync.bfly.b32 %r5, %r2, 16, 31, 0xffff;");
  expectFault(outside.launch({1}, {16}), FaultKind::InactiveLane, 21, 0,
              "it reads lane 16, which mask 0x0000ffff does not name");
}

TEST(SimFault, TrapAndBudget) {
  Planted trap(
      "	setp.ne.b32 %p1, %r2, 5;\n	@%p1 bra DONE;\n	trap;\nDONE:");
  expectFault(trap.launch(), FaultKind::Trap, 23, 5,
              "the kernel gave up here by itself");
  MachineOptions options;
  options.instructionBudget = 1000;
  Planted loop("LOOP:\n	bra.uni LOOP;", options);
  expectFault(loop.launch(), FaultKind::Budget, 22, 0,
              "this warp executed 1000 instructions; an endless loop, or "
              "MachineOptions::instructionBudget is too small");
}

//===--- levels, positions, requests --------------------------------------===//

TEST(SimFault, LevelsLeaveOutWhatTheySay) {
  const char *uninitialised = "	ld.global.b32 %r4, [%rd5];";
  for (Checks checks : {Checks::Off, Checks::Bounds}) {
    MachineOptions options;
    options.checks = checks;
    Planted unwritten(uninitialised, options);
    EXPECT_TRUE(unwritten.launch().status.ok());
    Planted outside("	ld.global.b32 %r4, [%rd4+4];", options);
    EXPECT_EQ(outside.launch().fault->kind, FaultKind::OutOfBounds);
    Planted odd("	ld.global.b32 %r4, [%rd4+1];", options);
    EXPECT_EQ(odd.launch().fault->kind, FaultKind::Misaligned);
    Planted race("	st.shared.b32 [s], %r2;", options);
    EXPECT_TRUE(race.launch().status.ok());
  }
}

TEST(SimFault, TheWholeReportWithTheSourcePosition) {
  std::string text = kernel("	.loc 3 12 9\n	ld.global.b32 %r4, [%rd4+4];") +
                     "	.file 3 \"step.mlir\"\n";
  Sim sim(text);
  uint64_t a = sim.upload(std::vector<uint32_t>(64, 7), "a");
  LaunchOutcome outcome =
      sim.launch("k", {1}, {8, 8}, Parameters().add(a).add(a).add(0));
  EXPECT_TRUE(outcome.status.ok());
  outcome = sim.launch("k", {1}, {65, 2}, Parameters().add(a).add(a).add(0));
  EXPECT_EQ(
      outcome.status.message(),
      "sim: out-of-bounds access in kernel 'k' (test op, model.json:3:7)\n"
      "  PTX line 22: ld.global.b32 %r4, [%rd4+4];\n"
      "  from step.mlir:12:9\n"
      "  block (0,0,0), thread (63,0,0), 4 bytes at 0xd0000000100\n"
      "  0 bytes past the end of 'a' (256 bytes at 0xd0000000000)");
}

TEST(SimRequest, EveryRefusalSaysWhatIsPossible) {
  Planted planted("");
  auto refusal = [&](Dim3 grid, Dim3 block) {
    return planted.launch(grid, block).status.message();
  };
  const std::string prefix = "sim: cannot launch 'k' of model.json:3:7: ";
  EXPECT_EQ(refusal({1}, {1025}),
            prefix + "a block of 1025 x 1 x 1 threads; 1 to 1024 threads are "
                     "possible, 64 in z");
  EXPECT_EQ(refusal({1, 0}, {1}),
            prefix +
                "a grid of 1 x 0 x 1 blocks; 1 to 2147483647 x 65535 x 65535 "
                "are possible");
  LaunchOutcome outcome =
      planted.sim.launch("k", {1}, {1}, Parameters().add(1), 200000);
  EXPECT_EQ(outcome.status.message(),
            prefix + "200256 bytes of shared memory; a block has 166912");
  outcome = planted.sim.launch("k", {1}, {1}, Parameters().add(1));
  EXPECT_EQ(outcome.status.message(),
            prefix + "4 bytes of parameters; the kernel has 20");
  outcome = planted.sim.launch("none", {1}, {1}, Parameters());
  EXPECT_EQ(outcome.status.message(),
            "sim: cannot launch '' of model.json:3:7: "
            "there is no such kernel");
  outcome = planted.launch({1}, {1}, 1, {{7, planted.a, 4, "x", false}});
  EXPECT_EQ(outcome.status.message(),
            prefix + "extent 'x' is of parameter 7; there are 3");
  outcome = planted.launch({1}, {1}, 1, {{0, planted.a, 400, "x", false}});
  EXPECT_EQ(outcome.status.message(),
            prefix +
                "extent 'x' (400 bytes at 0xd0000000000) lies in no "
                "allocation: the last 144 bytes of it lie past the end of 'a' "
                "(256 bytes at 0xd0000000000)");
}

TEST(SimRequest, ThreadLimitsOfAKernelHold) {
  const char *text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry a() .maxntid 64, 2 { ret; }\n"
                     ".visible .entry b() .reqntid 32 { ret; }\n";
  Sim sim(text);
  EXPECT_TRUE(sim.launch("a", {1}, {128}, Parameters()).status.ok());
  EXPECT_THAT(sim.launch("a", {1}, {129}, Parameters()).status.message(),
              HasSubstr("129 threads; .maxntid allows 128"));
  EXPECT_TRUE(sim.launch("b", {1}, {32}, Parameters()).status.ok());
  EXPECT_THAT(sim.launch("b", {1}, {33}, Parameters()).status.message(),
              HasSubstr("a block of 33 x 1 x 1; .reqntid wants 32 x 1 x 1"));
}

TEST(SimMemory, HostCopiesAreChecked) {
  Memory memory;
  auto address = memory.allocate(16, "x");
  ASSERT_TRUE(address.ok());
  std::vector<std::byte> bytes(17);
  EXPECT_EQ(
      memory.copyIn(*address, bytes).message(),
      "sim: cannot copy in 17 bytes at 0xd0000000000: the last 1 bytes of it "
      "lie past the end of 'x' (16 bytes at 0xd0000000000)");
  EXPECT_FALSE(memory.copyOut(bytes, *address).ok());
  EXPECT_THAT(memory.free(*address + 8).message(),
              testing::StartsWith("sim: cannot free 0xd0000000008: it is "));
  EXPECT_FALSE(memory.allocate(1ull << 60, "huge").ok());
  EXPECT_TRUE(memory.free(*address).ok());
  EXPECT_FALSE(memory.free(*address).ok());
}

TEST(SimMemory, TooLittleToCheckForRaces) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "a sanitizer takes address space of its own";
  Memory memory;
  ASSERT_TRUE(memory.allocate(64 << 20, "x").ok());
  LimitedMemory limit(4 << 20);
  EXPECT_EQ(memory.prepareTags().message(),
            "sim: no memory left to check 'x' (67108864 bytes) for races; "
            "check bounds only");
}

} // namespace
