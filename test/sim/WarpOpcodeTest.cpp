// WarpOpcodeTest.cpp - shuffles, votes, atomics, memory of every space, calls
// and special registers.
#include "SimFixture.h"

#include <bit>

using namespace boostrt;
using namespace boostrt::sim;

namespace {

/// y[block * ntid + tid] = %r9 as `body` leaves it; x[...] of the same place is
/// in %r8, the lane in %r7.
std::string kernel(const std::string &body, const std::string &before = "",
                   uint32_t localBytes = 64) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before + R"(
.visible .entry k(.param .u64 x, .param .u64 y)
{
	.reg .pred %p<8>;
	.reg .b16 %rs<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<32>;
	.shared .align 16 .b8 s[1024];
	.local .align 8 .b8 depot[)" +
         std::to_string(localBytes) + R"(];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	mov.u32 %r7, %laneid;
	ld.param.b64 %rd1, [x];
	ld.param.b64 %rd2, [y];
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	ld.global.b32 %r8, [%rd4];
)" + body +
         "\n	st.global.b32 [%rd5], %r9;\n	ret;\n}\n";
}

/// What `body` gives for x[i] = 3 i + 1.
std::vector<uint32_t> results(const std::string &body, uint32_t count = 64,
                              const std::string &before = "", uint32_t grid = 1,
                              uint32_t localBytes = 64) {
  Sim sim(kernel(body, before, localBytes));
  std::vector<uint32_t> x(size_t(count) * grid);
  for (uint32_t i = 0; i < x.size(); ++i)
    x[i] = 3 * i + 1;
  uint64_t y = sim.reserve<uint32_t>(x.size(), "y");
  if (sim.module)
    sim.run("k", {grid}, {count}, Parameters().add(sim.upload(x, "x")).add(y));
  return sim.download<uint32_t>(y, x.size());
}

template <class F>
void expectEach(const std::vector<uint32_t> &got, F expected) {
  for (uint32_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], static_cast<uint32_t>(expected(i))) << "thread " << i;
}
uint32_t valueOf(uint32_t i) { return 3 * i + 1; }

TEST(SimWarp, Shuffles) {
  expectEach(results("shfl.sync.bfly.b32 %r9, %r8, 5, 31, -1;"),
             [](uint32_t i) { return valueOf(i ^ 5); });
  expectEach(results("shfl.sync.down.b32 %r9, %r8, 4, 31, -1;"),
             [](uint32_t i) { return valueOf(i % 32 + 4 < 32 ? i + 4 : i); });
  expectEach(results("shfl.sync.up.b32 %r9, %r8, 4, 0, -1;"),
             [](uint32_t i) { return valueOf(i % 32 >= 4 ? i - 4 : i); });
  expectEach(results("shfl.sync.idx.b32 %r9, %r8, 7, 31, -1;"),
             [](uint32_t i) { return valueOf(i / 32 * 32 + 7); });
  // Segments of eight lanes: clamp 7, mask of 0x18 in bits 8 to 12.
  expectEach(results("shfl.sync.idx.b32 %r9, %r8, 3, 0x181f, -1;"),
             [](uint32_t i) { return valueOf(i / 8 * 8 + 3); });
  expectEach(results("shfl.sync.down.b32 %r9|%p1, %r8, 2, 0x1807, -1;\n"
                     "selp.b32 %r9, %r9, 0, %p1;"),
             [](uint32_t i) { return i % 8 + 2 < 8 ? valueOf(i + 2) : 0; });
}

TEST(SimWarp, VotesMasksAndReductions) {
  expectEach(results("setp.gt.u32 %p1, %r7, 20;\n"
                     "vote.sync.ballot.b32 %r9, %p1, -1;"),
             [](uint32_t) { return 0xffe00000u; });
  expectEach(
      results("setp.gt.u32 %p1, %r3, 20;\nvote.sync.all.pred %p2, %p1, -1;\n"
              "vote.sync.any.pred %p3, %p1, -1;\n"
              "vote.sync.uni.pred %p4, !%p1, -1;\n"
              "selp.b32 %r10, 1, 0, %p2;\nselp.b32 %r11, 2, 0, %p3;\n"
              "selp.b32 %r12, 4, 0, %p4;\nor.b32 %r9, %r10, %r11;\n"
              "or.b32 %r9, %r9, %r12;"),
      [](uint32_t i) { return i < 32 ? 2 : 7; });
  expectEach(results("mov.b32 %r9, 0;\nsetp.lt.u32 %p1, %r7, 9;\n"
                     "@%p1 activemask.b32 %r9;"),
             [](uint32_t i) { return i % 32 < 9 ? 0x1ffu : 0; });
  expectEach(results("redux.sync.add.s32 %r9, %r8, -1;"), [](uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t j = 0; j < 32; ++j)
      sum += valueOf(i / 32 * 32 + j);
    return sum;
  });
  expectEach(results("redux.sync.max.u32 %r9, %r8, -1;"),
             [](uint32_t i) { return valueOf(i / 32 * 32 + 31); });
  expectEach(
      results("and.b32 %r10, %r7, 3;\nmatch.any.sync.b32 %r9, %r10, -1;"),
      [](uint32_t i) { return 0x11111111u << i % 4; });
  expectEach(results("mov.u32 %r9, %lanemask_lt;"),
             [](uint32_t i) { return (1u << i % 32) - 1; });
  expectEach(results("mov.u32 %r9, %lanemask_ge;"),
             [](uint32_t i) { return ~0u << i % 32; });
  expectEach(results("mov.u32 %r9, %warpid;"),
             [](uint32_t i) { return i / 32; });
}

TEST(SimWarp, AtomicsGoInTheOrderOfLanesAndBlocks) {
  Sim sim(kernel("atom.global.add.u32 %r9, [%rd1], 2;"));
  uint64_t x = sim.upload(std::vector<uint32_t>(96, 10), "x"),
           y = sim.reserve<uint32_t>(96, "y");
  sim.machine.options().threads = 3;
  sim.machine.options().globalRaces = false;
  sim.run("k", {3}, {32}, Parameters().add(x).add(y));
  expectEach(sim.download<uint32_t>(y, 96),
             [](uint32_t i) { return 10 + 2 * i; });
  const std::string zero =
      "setp.eq.u32 %p1, %r3, 0;\n@%p1 st.shared.b32 [s], 40;\n"
      "bar.sync 0;\n";
  expectEach(results(zero + "atom.shared.cas.b32 %r9, [s], 40, %r8;"),
             [](uint32_t i) { return i == 0 ? 40 : valueOf(0); });
  expectEach(
      results(zero + "atom.shared.max.s32 %r9, [s], %r8;"),
      [](uint32_t i) { return i == 0 ? 40 : std::max(40u, valueOf(i - 1)); });
  expectEach(results(zero + "atom.shared.exch.b32 %r9, [s], %r8;"),
             [](uint32_t i) { return i == 0 ? 40 : valueOf(i - 1); });
  expectEach(results(zero + "atom.shared.inc.u32 %r9, [s], 42;"),
             [](uint32_t i) { return (40 + i) % 43; });
  expectEach(results(zero + "red.shared.or.b32 [s], 3;\nbar.sync 0;\n"
                            "ld.shared.b32 %r9, [s];"),
             [](uint32_t) { return 43; });
}

TEST(SimMemoryOps, VectorsAndNarrowTypesOfEverySpace) {
  // Two words a thread through shared memory, crosswise.
  expectEach(results("mul.wide.u32 %rd6, %r3, 8;\nmov.u64 %rd7, s;\n"
                     "add.s64 %rd7, %rd7, %rd6;\nadd.s32 %r10, %r8, 5;\n"
                     "st.shared.v2.b32 [%rd7], {%r8, %r10};\n"
                     "ld.shared.v2.b32 {_, %r9}, [%rd7];"),
             [](uint32_t i) { return valueOf(i) + 5; });
  // Bytes, extended by their sign, and 32-bit addresses of shared memory.
  expectEach(results("mov.u32 %r10, s;\nadd.s32 %r10, %r10, %r3;\n"
                     "st.shared.b8 [%r10], %r8;\nld.shared.s8 %r9, [%r10];"),
             [](uint32_t i) { return int32_t(int8_t(valueOf(i))); });
  expectEach(
      results("cvt.u16.u32 %rs1, %r8;\nst.local.b16 [depot+6], %rs1;\n"
              "ld.local.u8 %rs2, [depot+7];\nld.local.s16 %r10, [depot+6];\n"
              "cvt.u32.u16 %r9, %rs2;\nadd.s32 %r9, %r9, %r10;"),
      [](uint32_t i) {
        return (valueOf(i) >> 8 & 255) + int32_t(int16_t(valueOf(i)));
      });
  // Generic addresses: lanes of one instruction in different spaces.
  expectEach(
      results("mul.wide.u32 %rd6, %r3, 4;\nmov.u64 %rd7, s;\n"
              "add.s64 %rd7, %rd7, %rd6;\nadd.s32 %r10, %r8, 9;\n"
              "st.shared.b32 [%rd7], %r10;\ncvta.shared.u64 %rd8, %rd7;\n"
              "and.b32 %r11, %r3, 1;\nsetp.eq.u32 %p1, %r11, 0;\n"
              "selp.b64 %rd9, %rd8, %rd4, %p1;\nld.b32 %r9, [%rd9];"),
      [](uint32_t i) { return i % 2 ? valueOf(i) : valueOf(i) + 9; });
  expectEach(results("mov.u64 %rd6, depot;\ncvta.local.u64 %rd7, %rd6;\n"
                     "st.b32 [%rd7+4], %r8;\ncvta.to.local.u64 %rd8, %rd7;\n"
                     "ld.local.b32 %r9, [%rd8+4];"),
             valueOf);
  // Words side by side, each in the memory of a thread of its own.
  for (const char *space : {"ld.local.b32 %r10, [%rd8]", "ld.b32 %r10, [%rd7]"})
    expectEach(
        results("mov.b32 %r10, 0;\nst.local.v2.b32 [depot], {%r10, %r10};\n"
                "st.local.v2.b32 [depot+8], {%r10, %r10};\n"
                "mov.u64 %rd6, depot;\nmul.wide.u32 %rd9, %r7, 4;\n"
                "cvta.local.u64 %rd7, %rd6;\nadd.s64 %rd7, %rd7, %rd9;\n"
                "add.s64 %rd8, %rd6, %rd9;\nst.local.b32 [%rd8], %r8;\n" +
                    std::string(space) +
                    ";\nld.local.b32 %r9, [depot+12];\nadd.s32 %r9, %r9, "
                    "%r10;",
                32, "", 1, 128),
        [](uint32_t i) { return valueOf(i) * (i == 3 ? 2 : 1); });
  // A copy in the background, one vector a thread.
  expectEach(
      results("mul.wide.u32 %rd6, %r3, 4;\nmov.u64 %rd7, s;\n"
              "add.s64 %rd7, %rd7, %rd6;\n"
              "cp.async.ca.shared.global [%rd7], [%rd4], 4;\n"
              "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
              "ld.shared.b32 %r9, [%rd7];"),
      valueOf);
}

TEST(SimMemoryOps, ConstantsGlobalsAndArraysOfParameters) {
  const std::string data = ".const .align 4 .b32 table[4] = {5, 6, 7, 0x10};\n"
                           ".global .align 4 .b8 bytes[4] = {1, 2, 3};\n";
  expectEach(
      results("and.b32 %r10, %r3, 3;\nmul.wide.u32 %rd6, %r10, 4;\n"
              "mov.u64 %rd7, table;\nadd.s64 %rd7, %rd7, %rd6;\n"
              "ld.const.b32 %r9, [%rd7];\nld.global.u8 %r11, [bytes+2];\n"
              "add.s32 %r9, %r9, %r11;",
              64, data),
      [](uint32_t i) {
        constexpr uint32_t table[] = {5, 6, 7, 16};
        return table[i % 4] + 3;
      });
  Sim sim(".version 8.0\n.target sm_80\n.address_size 64\n"
          ".visible .entry k(.param .u64 y, .param .align 4 .b8 a[16]) {\n"
          ".reg .b32 %r<4>; .reg .b64 %rd<6>;\n"
          "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; mov.b64 %rd2, a;\n"
          "add.s64 %rd2, %rd2, %rd1; ld.param.b32 %r2, [%rd2];\n"
          "ld.param.b32 %r3, [a+12]; add.s32 %r2, %r2, %r3;\n"
          "ld.param.b64 %rd3, [y]; add.s64 %rd3, %rd3, %rd1;\n"
          "st.global.b32 [%rd3], %r2; ret; }");
  uint64_t y = sim.reserve<uint32_t>(4, "y");
  Parameters parameters;
  parameters.add(y).add(10).add(20).add(30).add(40);
  sim.run("k", {1}, {4}, parameters);
  expectEach(sim.download<uint32_t>(y, 4),
             [](uint32_t i) { return 10 * (i + 1) + 40; });
}

TEST(SimCalls, FunctionsRunInTheirCallersPlace) {
  // Divergent calls of a function that returns early for some lanes.
  const std::string functions = R"(
.func (.param .b32 out) collatz(.param .b32 in)
{
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [in];
	and.b32 %r2, %r1, 1;
	setp.eq.b32 %p1, %r2, 1;
	@%p1 bra ODD;
	shr.u32 %r1, %r1, 1;
	st.param.b32 [out], %r1;
	ret;
ODD:
	mad.lo.u32 %r1, %r1, 3, 1;
	st.param.b32 [out], %r1;
	ret;
}
)";
  const std::string call =
      "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r9;\n"
      "call.uni (q), collatz, (p);\n"
      "ld.param.b32 %r9, [q]; }\n";
  auto step = [](uint32_t v) { return v % 2 ? 3 * v + 1 : v / 2; };
  expectEach(results("mov.b32 %r9, %r8;\n" + call + call + call, 64, functions),
             [&](uint32_t i) { return step(step(step(valueOf(i)))); });
  expectEach(
      results("mov.b32 %r9, %r8;\nsetp.lt.u32 %p1, %r3, 40;\n"
              "@!%p1 bra AROUND;\n" +
                  call + "AROUND:",
              64, functions),
      [&](uint32_t i) { return i < 40 ? step(valueOf(i)) : valueOf(i); });
}

TEST(SimMachine, PositionsOfThreeDimensions) {
  Sim sim(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 y) { .reg .b32 %r<16>; .reg .b64 %rd<4>;\n"
      "mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y;\n"
      "mad.lo.u32 %r4, %r1, %r2, %r3; mov.u32 %r2, %nctaid.x;\n"
      "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r4, %r2, %r3;\n"
      "mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z;\n"
      "mad.lo.u32 %r4, %r4, %r2, %r3; mov.u32 %r2, %ntid.y;\n"
      "mov.u32 %r3, %tid.y; mad.lo.u32 %r4, %r4, %r2, %r3;\n"
      "mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
      "mad.lo.u32 %r4, %r4, %r2, %r3; ld.param.b64 %rd1, [y];\n"
      "mul.wide.u32 %rd2, %r4, 4; add.s64 %rd1, %rd1, %rd2;\n"
      "st.global.b32 [%rd1], %r4; ret; }");
  const size_t count = 2 * 3 * 4 * 5 * 6 * 7;
  uint64_t y = sim.reserve<uint32_t>(count, "y");
  sim.run("k", {2, 3, 4}, {5, 6, 7}, Parameters().add(y));
  expectEach(sim.download<uint32_t>(y, count), [](uint32_t i) { return i; });
}

TEST(SimMachine, RegistersThatWereNeverSetAreTheSameForEveryBlock) {
  // Blocks leave their mark in %r9 only when odd.
  expectEach(results("and.b32 %r10, %r1, 1;\nsetp.eq.u32 %p1, %r10, 1;\n"
                     "@%p1 mov.b32 %r9, 5;",
                     32, "", 8),
             [](uint32_t i) { return i / 32 % 2 ? 5 : 0; });
}

TEST(SimMachine, AHandedInLoopRunsTheBlocks) {
  MachineOptions options;
  options.threads = 4;
  uint32_t asked = 0;
  options.parallelFor = [&](uint32_t workers,
                            const std::function<void(uint32_t)> &work) {
    asked = workers;
    for (uint32_t i = workers; i-- > 0;)
      work(i);
  };
  Sim sim(kernel("mov.b32 %r9, %r8;"), options);
  uint64_t from = sim.upload(std::vector<uint32_t>(320, 6), "x"),
           to = sim.reserve<uint32_t>(320, "y");
  sim.run("k", {10}, {32}, Parameters().add(from).add(to));
  EXPECT_EQ(asked, 4u);
  EXPECT_EQ(sim.download<uint32_t>(to, 320), std::vector<uint32_t>(320, 6));
}

TEST(SimMachine, InstructionsAreCounted) {
  Sim sim(kernel("mov.b32 %r9, 0;\nsetp.lt.u32 %p1, %r3, 5;\n@%p1 add.s32 %r9, "
                 "%r9, 1;"));
  uint64_t from = sim.upload(std::vector<uint32_t>(32, 6), "x"),
           to = sim.reserve<uint32_t>(32, "y");
  LaunchOutcome outcome =
      sim.launch("k", {1}, {32}, Parameters().add(from).add(to));
  EXPECT_EQ(outcome.warpInstructions, 16u);
  EXPECT_EQ(outcome.laneInstructions, 15u * 32 + 5);
}

} // namespace
