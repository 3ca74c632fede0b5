// PtxParser.h - PTX text to a PtxModule.
#pragma once

#include "sim/Ptx.h"
#include "sim/PtxLexer.h"

namespace boostrt::sim {

/// What one module may hold. Text beyond these is damaged or hostile: the
/// numbers are far above what a compiler emits, and keep memory bounded.
inline constexpr uint32_t kRegisterCap = 1u << 16;        ///< of one function
inline constexpr uint64_t kVariableBytesCap = 1ull << 28; ///< of one variable

/// Fails with ExitCode::Input and "NAME:LINE: error: ...".
Result<PtxModule> parsePtx(const PtxText &text);

} // namespace boostrt::sim
