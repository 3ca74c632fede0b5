// Decode.h - from a parsed module to kernels that run.
#pragma once

#include "sim/Opcodes.h"
#include "sim/PtxLexer.h"

namespace boostrt::sim {

/// Instructions of one kernel after inlining, at most.
inline constexpr size_t kCodeCap = 1u << 20;
/// Calls inside each other, at most.
inline constexpr size_t kCallDepthCap = 128;
/// Bytes of a warp's registers and constants, at most.
inline constexpr uint32_t kRegisterBytesCap = 64u << 20;
/// Bytes of local memory of one thread, at most.
inline constexpr uint64_t kLocalCap = 512 << 10;

/// Bytes of shared memory that a kernel may declare; more of it is dynamic.
inline constexpr uint64_t kStaticSharedCap = 48 << 10;

/// Decodes function `index`, an entry, with every function it calls copied into
/// its place. `addresses` are those of the module's variables.
Result<Kernel> decodeKernel(const PtxModule &module, const PtxText &text,
                            uint32_t index,
                            const std::vector<uint64_t> &addresses);

/// Sets Op::reconverge of every branch: its immediate post-dominator.
void findReconvergence(std::vector<Op> &code);

/// Sets Access::parameter of the accesses whose address is computed from one
/// pointer parameter alone. `opcodes` has one entry for each of kernel.code.
void findParameters(Kernel &kernel, const std::vector<const Opcode *> &opcodes);

} // namespace boostrt::sim
