#include "SimFixture.h"

using namespace boostrt;
using namespace boostrt::sim;
using testing::HasSubstr;

namespace {

// y[i] = x[i] + 1 with 16-byte accesses, n4 vectors.
const char *kAddOne = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(
	.param .u64 .ptr .global .align 16 add_one_param_0,
	.param .u64 .ptr .global .align 16 add_one_param_1,
	.param .u32 add_one_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<16>;
	.reg .b64 	%rd<6>;
	ld.param.b32 	%r1, [add_one_param_2];
	mov.u32 	%r2, %tid.x;
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mad.lo.s32 	%r5, %r3, %r4, %r2;
	setp.ge.s32 	%p1, %r5, %r1;
	@%p1 bra 	$L__BB0_2;
	ld.param.b64 	%rd1, [add_one_param_0];
	ld.param.b64 	%rd2, [add_one_param_1];
	mul.wide.s32 	%rd3, %r5, 16;
	add.s64 	%rd4, %rd1, %rd3;
	add.s64 	%rd5, %rd2, %rd3;
	ld.global.nc.v4.b32 	{%r6, %r7, %r8, %r9}, [%rd4];
	add.rn.f32 	%r10, %r6, 0f3F800000;
	add.rn.f32 	%r11, %r7, 0f3F800000;
	add.rn.f32 	%r12, %r8, 0f3F800000;
	add.rn.f32 	%r13, %r9, 0f3F800000;
	st.global.v4.b32 	[%rd5], {%r10, %r11, %r12, %r13};
$L__BB0_2:
	ret;
}
)";

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = 0.5f * static_cast<float>(i);
  return values;
}

TEST(SimSlice, ElementwiseKernelGivesTheDefinition) {
  for (uint32_t threads : {1u, 3u}) {
    MachineOptions options;
    options.threads = threads;
    Sim sim(kAddOne, options);
    std::vector<float> x = ramp(4 * 333);
    uint64_t from = sim.upload(x, "x"), to = sim.reserve<float>(x.size(), "y");
    LaunchOutcome outcome = sim.launch("add_one", {3}, {128},
                                       Parameters().add(from).add(to).add(333));
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
    // The last 51 threads of the last block read nothing.
    EXPECT_EQ(outcome.globalBytesRead, 333u * 16);
    std::vector<float> y = sim.download<float>(to, x.size());
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], x[i] + 1) << i;
  }
}

TEST(SimSlice, AnAccessPastTheEndIsReportedWithAllThatIsKnown) {
  Sim sim(kAddOne);
  std::vector<float> x = ramp(4 * 100);
  uint64_t from = sim.upload(x, "x"), to = sim.reserve<float>(x.size(), "y");
  LaunchOutcome outcome = sim.launch("add_one", {1}, {128},
                                     Parameters().add(from).add(to).add(101));
  ASSERT_FALSE(outcome.status.ok());
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->kind, FaultKind::OutOfBounds);
  EXPECT_EQ(outcome.fault->address, from + 1600);
  EXPECT_EQ(outcome.status.message(),
            "sim: out-of-bounds access in kernel 'add_one' (test op, "
            "model.json:3:7)\n"
            "  PTX line 26: ld.global.nc.v4.b32 {%r6, %r7, %r8, %r9}, [%rd4];\n"
            "  block (0,0,0), thread (100,0,0), 16 bytes at 0xd0000000640\n"
            "  0 bytes past the end of 'x' (1600 bytes at 0xd0000000000)");
}

} // namespace
