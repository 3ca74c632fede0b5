// FaultFixture.h - kernels with a planted defect.
#pragma once

#include "SimFixture.h"

namespace boostrt::sim {

/// A kernel of arguments a, b, n. %rd4 and %rd5 are &a[tid] and &b[tid] of
/// words, %rd7 is that of shared s[64], %r2 the thread, %r3 the block. `body`
/// begins at line 21.
/// `before` is a declaration on a line that is there without it, too.
inline std::string kernel(const std::string &body,
                          const std::string &before = "") {
  return R"(.version 8.0
.target sm_80
.address_size 64 )" +
         before + R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.shared .align 16 .b8 s[256];
	.local .align 8 .b8 depot[16];
	ld.param.b64 %rd1, [a];
	ld.param.b64 %rd2, [b];
	ld.param.b32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	mov.u64 %rd6, s;
	add.s64 %rd7, %rd6, %rd3;
)" + body +
         "\n\tret;\n}\n";
}

struct Planted {
  explicit Planted(const std::string &body, MachineOptions options = {},
                   const std::string &before = "")
      : sim(kernel(body, before), options) {
    a = sim.upload(std::vector<uint32_t>(64, 7), "a");
    b = sim.reserve<uint32_t>(64, "b");
  }
  LaunchOutcome launch(Dim3 grid = {1}, Dim3 block = {64}, uint32_t n = 64,
                       std::vector<ArgumentExtent> extents = {}) {
    return sim.launch("k", grid, block, Parameters().add(a).add(b).add(n), 0,
                      extents);
  }
  Sim sim;
  uint64_t a = 0, b = 0;
};

inline void expectFault(const LaunchOutcome &outcome, FaultKind kind,
                        uint32_t line, uint32_t thread,
                        const std::string &detail) {
  ASSERT_TRUE(outcome.fault.has_value()) << outcome.status.message();
  EXPECT_EQ(outcome.status.code(), ExitCode::Internal);
  EXPECT_STREQ(nameOf(outcome.fault->kind), nameOf(kind));
  EXPECT_EQ(outcome.fault->line, line);
  EXPECT_EQ(outcome.fault->thread.x, thread);
  EXPECT_EQ(outcome.fault->detail, detail);
}

} // namespace boostrt::sim
