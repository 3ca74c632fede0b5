// Ptxas.h - machine code of GPUs by NVIDIA's assembler, where it is installed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace boostc {

/// The assembler for `choice`: "auto" (the first that
/// `boost-run doctor` finds; empty when there is none), "off" (empty), or a
/// path.
std::string findPtxas(llvm::StringRef choice);

/// What the assembler makes of a text.
struct Cubin {
  std::string bytes; ///< empty where it makes nothing
  std::string error; ///< why
};

/// Runs the assembler `ptxas` on `ptx` for `architecture` (80 for sm_80), and
/// waits; on any thread.
Cubin assemble(llvm::StringRef ptxas, llvm::StringRef ptx,
               unsigned architecture);

} // namespace boostc
